package parity

import (
	"fmt"
	"testing"
)

func TestDump(t *testing.T) {
	for _, r := range rows {
		fmt.Println("XG", r.operation, r.path())
	}
}
