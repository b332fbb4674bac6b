package benchmark

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// loadVariable has the test program send requests and do nothing else: in a
// process of its own, what asks does not count as processor time of what
// answers.
const loadVariable = "OCTAVO_BENCHMARK_LOAD"

// load is what to send: the same request again and again over connections that
// stay open.
type load struct {
	Address     string
	Request     []byte
	Connections int
	Requests    int
}

// loaded is what came of it.
type loaded struct {
	Seconds float64
	// Median and Slow are how long half and 99 of 100 answers took at most, in
	// microseconds.
	Median, Slow float64
	// Bytes of one body.
	Bytes int64
}

func TestMain(m *testing.M) {
	if encoded := os.Getenv(loadVariable); encoded != "" {
		if err := sendLoad(encoded); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// sendLoad runs in the process that asks.
func sendLoad(encoded string) error {
	var wanted load
	if err := json.Unmarshal([]byte(encoded), &wanted); err != nil {
		return err
	}
	var left atomic.Int64
	left.Store(int64(wanted.Requests))
	took := make([][]time.Duration, wanted.Connections)
	failures := make([]error, wanted.Connections)
	sizes := make([]int64, wanted.Connections)
	var group sync.WaitGroup
	begin := time.Now()
	for index := range wanted.Connections {
		group.Go(func() { took[index], sizes[index], failures[index] = wanted.ask(&left) })
	}
	group.Wait()
	seconds := time.Since(begin).Seconds()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	at := func(share float64) float64 { return float64(all[int(share*float64(len(all)-1))].Nanoseconds()) / 1000 }
	return json.NewEncoder(os.Stdout).Encode(loaded{seconds, at(0.5), at(0.99), slices.Max(sizes)})
}

func (l load) ask(left *atomic.Int64) (took []time.Duration, size int64, err error) {
	connection, err := net.Dial("tcp", l.Address)
	if err != nil {
		return nil, 0, err
	}
	defer connection.Close()
	reading := bufio.NewReaderSize(connection, 64<<10)
	for left.Add(-1) >= 0 {
		begin := time.Now()
		if _, err := connection.Write(l.Request); err != nil {
			return nil, 0, err
		}
		response, err := http.ReadResponse(reading, nil)
		if err != nil {
			return nil, 0, err
		}
		size, err = io.Copy(io.Discard, response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return nil, 0, err
		}
		if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusNotModified {
			return nil, 0, fmt.Errorf("status %s", response.Status)
		}
		took = append(took, time.Since(begin))
	}
	return took, size, nil
}

// send has another process send the load.
func (l load) send(b *testing.B) loaded {
	b.Helper()
	encoded, err := json.Marshal(l)
	require.NoError(b, err)
	command := exec.CommandContext(context.Background(), os.Args[0])
	command.Env = append(os.Environ(), loadVariable+"="+string(encoded), "GOGC=400")
	command.Stderr = os.Stderr
	output, err := command.Output()
	require.NoError(b, err)
	var result loaded
	require.NoError(b, json.Unmarshal(output, &result))
	return result
}
