// Command table turns the output of the benchmarks of package benchmark into
// the table of docs/develop/benchmarks.md:
//
//	go test ./internal/benchmark -run '^$' -bench . -benchtime 300x | go run ./internal/benchmark/table
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
)

func main() {
	if err := write(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

var line = regexp.MustCompile(`^BenchmarkOperations/(\w+)/([\w-]+)/(by-hand|rest|graphql)-\d+\s.*?([\d.]+) cpu-ns/op`)

// operation is a row of the table: nanoseconds of processor time by handler.
type operation struct {
	database, name string
	used           map[string]float64
}

func write(from io.Reader, to io.Writer) error {
	operations, err := read(from)
	if err != nil {
		return err
	}
	fmt.Fprintln(to, "| Database | Operation | By hand, µs | REST, µs | × | GraphQL, µs | × |\n| --- | --- | --- | --- | --- | --- | --- |")
	for _, row := range operations {
		fmt.Fprintf(to, "| %s | %s | %s | %s | %s | %s | %s |\n", row.database, row.name, row.microseconds("by-hand"),
			row.microseconds("rest"), row.ratio("rest"), row.microseconds("graphql"), row.ratio("graphql"))
	}
	return nil
}

func read(from io.Reader) ([]*operation, error) {
	var operations []*operation
	scanner := bufio.NewScanner(from)
	for scanner.Scan() {
		match := line.FindStringSubmatch(scanner.Text())
		if match == nil {
			continue
		}
		used, err := strconv.ParseFloat(match[4], 64)
		if err != nil {
			return nil, err
		}
		last := len(operations) - 1
		if last < 0 || operations[last].database != match[1] || operations[last].name != match[2] {
			operations = append(operations, &operation{match[1], match[2], map[string]float64{}})
			last++
		}
		operations[last].used[match[3]] = used
	}
	return operations, scanner.Err()
}

func (o *operation) microseconds(handler string) string {
	used, measured := o.used[handler]
	if !measured {
		return "–"
	}
	return fmt.Sprintf("%.0f", used/1000)
}

func (o *operation) ratio(handler string) string {
	used, measured := o.used[handler]
	if !measured || o.used["by-hand"] == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", used/o.used["by-hand"])
}
