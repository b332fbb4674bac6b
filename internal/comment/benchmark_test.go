package comment_test

import (
	"fmt"
	"net/http"
	"testing"

	"octavo/internal/apptest"
)

// eachDatabase runs a benchmark on every database that is there.
func eachDatabase(b *testing.B, run func(b *testing.B, on *discussed)) {
	b.Helper()
	for _, name := range []string{"sqlite", "postgres"} {
		server, there := apptest.NewOn(b, name)
		if !there {
			continue
		}
		on := discuss(b, server)
		b.Run(name, func(b *testing.B) { run(b, on) })
	}
}

func BenchmarkListComments(b *testing.B) {
	eachDatabase(b, func(b *testing.B, on *discussed) {
		if openComments(b, on, on.onSpace).(float64) == 0 {
			fill(b, on, on.onSpace, 100)
		}
		path, client := on.onSpace+"/comments?limit=100", on.As(apptest.Reader)
		b.ReportAllocs()
		for b.Loop() {
			client.REST(b, http.MethodGet, path, nil).JSON(b, http.StatusOK, nil)
		}
	})
}

func BenchmarkCreateComment(b *testing.B) {
	for _, parent := range []string{"space", "change-request"} {
		b.Run(parent, func(b *testing.B) {
			eachDatabase(b, func(b *testing.B, on *discussed) {
				path, client := on.onSpace, on.As(apptest.Commenter)
				if parent == "change-request" {
					path = on.onChangeRequest
				}
				b.ReportAllocs()
				for index := 0; b.Loop(); index++ {
					client.REST(b, http.MethodPost, path+"/comments", markdown(fmt.Sprintf("comment %d", index))).JSON(b, http.StatusOK, nil)
				}
			})
		})
	}
}
