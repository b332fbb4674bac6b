// Command gotest reads the output of go test -json on standard input, shows
// what go test shows without -json, and fails where a test failed, was skipped,
// or none ran at all.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// event is one line of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

func main() {
	if err := report(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type reporter struct {
	shown io.Writer
	// output collects what each running test printed, by package and test.
	output                  map[[2]string][]string
	passed, failed, skipped int
}

func report(lines io.Reader, shown io.Writer) error {
	r := reporter{shown: shown, output: make(map[[2]string][]string)}
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		if err := r.read(scanner.Bytes()); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	return r.verdict()
}

func (r *reporter) read(line []byte) error {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		// go test prints what goes wrong before a test starts as it is.
		_, err = fmt.Fprintf(r.shown, "%s\n", line)
		return err
	}
	switch {
	case e.Action == "build-output":
		return r.show(e.Output)
	case e.Action == "build-fail":
		r.failed++
	case e.Action == "output" && e.Test == "":
		return r.show(e.Output)
	case e.Action == "output":
		key := [2]string{e.Package, e.Test}
		r.output[key] = append(r.output[key], e.Output)
	case e.Test != "":
		return r.end(e)
	case e.Action == "fail":
		r.failed++
	}
	return nil
}

// end handles the outcome of one test: what a passed one printed is dropped.
func (r *reporter) end(e event) error {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
	case "skip":
		r.skipped++
	default:
		return nil
	}
	output := r.output[key]
	delete(r.output, key)
	if e.Action == "pass" {
		return nil
	}
	return r.show(output...)
}

func (r *reporter) show(output ...string) error {
	for _, text := range output {
		// A package that passed alone announces it on a line of its own before
		// its summary.
		if text == "PASS\n" {
			continue
		}
		if _, err := io.WriteString(r.shown, text); err != nil {
			return err
		}
	}
	return nil
}

func (r *reporter) verdict() error {
	if err := r.show(fmt.Sprintf("%d tests passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)); err != nil {
		return err
	}
	switch {
	case r.failed > 0:
		return fmt.Errorf("gotest: %d failed", r.failed)
	case r.skipped > 0:
		return fmt.Errorf("gotest: %d tests were skipped: a test that cannot run must fail", r.skipped)
	case r.passed == 0:
		return fmt.Errorf("gotest: no test ran")
	}
	return nil
}
