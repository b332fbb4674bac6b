package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReport(t *testing.T) {
	t.Parallel()
	const (
		pass = `{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
`
		fail = `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:3: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
`
		skip = `{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:3: not today\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
`
		summary = `{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`
		noTests = `{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}
`
		unbuilt = `{"ImportPath":"p","Action":"build-output","Output":"./p.go:1:1: syntax error\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p"}
`
	)
	rows := map[string]struct{ lines, shown, message string }{
		"passed":          {pass + summary, "ok  \tp\t0.1s\n1 tests passed, 0 failed, 0 skipped\n", ""},
		"without tests":   {pass + summary + noTests, "ok  \tp\t0.1s\n?   \tq\t[no test files]\n1 tests passed, 0 failed, 0 skipped\n", ""},
		"failed":          {pass + fail, "    b_test.go:3: wrong\n1 tests passed, 1 failed, 0 skipped\n", "1 failed"},
		"skipped":         {pass + skip + summary, "    c_test.go:3: not today\nok  \tp\t0.1s\n1 tests passed, 0 failed, 1 skipped\n", "1 tests were skipped"},
		"not built":       {unbuilt, "./p.go:1:1: syntax error\nFAIL\tp [build failed]\n0 tests passed, 2 failed, 0 skipped\n", "2 failed"},
		"nothing":         {"", "0 tests passed, 0 failed, 0 skipped\n", "no test ran"},
		"only no tests":   {noTests, "?   \tq\t[no test files]\n0 tests passed, 0 failed, 0 skipped\n", "no test ran"},
		"text of go test": {"go: no such tool\n" + pass, "go: no such tool\n1 tests passed, 0 failed, 0 skipped\n", ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			err := report(strings.NewReader(row.lines), &shown)
			assert.Equal(t, row.shown, shown.String())
			if row.message == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, row.message)
		})
	}
}
