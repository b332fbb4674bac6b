package benchmark

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"octavo/internal/app"
	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/identifier"
	"octavo/internal/site"
	"octavo/internal/space"
)

// documentation is a published site with so many pages.
type documentation struct {
	server *apptest.Server
	path   string // of one page in the middle
}

// publishPages makes a public site of pages of about four kilobytes of Markdown
// in parts of 25.
func publishPages(b *testing.B, server *apptest.Server, count int) *documentation {
	b.Helper()
	ctx := server.Context(b, apptest.Admin)
	made, bodies := &content.Tree{}, map[content.Hash][]byte{}
	part := &content.Page{}
	address := ""
	for index := range count {
		body := []byte(pageText(index))
		hash := content.HashOf(body)
		bodies[hash] = body
		page := &content.Page{
			ID: identifier.New(identifier.Page), Type: content.PageDocument, Title: fmt.Sprintf("Page %d", index),
			Slug: fmt.Sprintf("page-%d", index), Body: hash, UpdatedAt: time.Now(),
		}
		if index%25 == 0 {
			part = page
		} else {
			page.Parent = part.ID
		}
		made.Pages = append(made.Pages, page)
		if index == count/2+1 {
			address = part.Slug + "/" + page.Slug
		}
	}
	filled, err := server.App.Spaces.Create(ctx, space.New{OrganizationID: server.OrganizationID, Title: "Guide", Tree: made, Bodies: bodies})
	require.NoError(b, err)
	created, err := server.App.Sites.Create(ctx, site.New{
		OrganizationID: server.OrganizationID, Title: "Docs", Visibility: enum.SitePublic, SpaceIDs: []string{filled.ID},
	})
	require.NoError(b, err)
	published, err := server.App.Sites.Publish(ctx, created.ID)
	require.NoError(b, err)
	return &documentation{server: server, path: "/sites/" + published.Basename + "/" + address}
}

func pageText(index int) string {
	var text strings.Builder
	for section := range 6 {
		fmt.Fprintf(&text, "## Part %d of page %d\n\n", section, index)
		for range 3 {
			text.WriteString("Each setting is an environment variable or a **flag**; `serve --help` lists them. Settings are checked at the start, and a wrong one ends the program with a [message](https://example.com/messages) that names it.\n\n")
		}
		text.WriteString("```go\nfunc main() { fmt.Println(\"hello\") }\n```\n\n")
	}
	return text.String()
}

// BenchmarkSite compares pages of a published site with files of the same
// bytes that net/http serves from disk.
func BenchmarkSite(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		for _, pages := range []int{50, 3000} {
			server, there := apptest.NewConfiguredOn(b, database, asConfigured)
			if !there {
				continue
			}
			docs := publishPages(b, server, pages)
			for _, encoding := range []string{"identity", "gzip"} {
				static := staticFile(b, docs, encoding)
				for _, connections := range []int{1, 32} {
					b.Run(fmt.Sprintf("%s/pages-%d/%s/connections-%d", database, pages, encoding, connections), func(b *testing.B) {
						docs.compare(b, static, encoding, connections)
					})
				}
			}
		}
	}
}

// BenchmarkFirstPage measures what a server that has nothing in memory takes to
// start, to answer its first request for a page, and then for another page.
func BenchmarkFirstPage(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		for _, pages := range []int{50, 500, 3000} {
			server, there := apptest.NewConfiguredOn(b, database, asConfigured)
			if !there {
				continue
			}
			docs := publishPages(b, server, pages)
			b.Run(fmt.Sprintf("%s/pages-%d", database, pages), docs.start)
		}
	}
}

func (d *documentation) start(b *testing.B) {
	var started, first, another []float64
	for range b.N {
		begin := time.Now()
		server := d.server.Beside(b)
		started = append(started, since(begin))
		begin = time.Now()
		fetch(b, server.URL+d.path)
		first = append(first, since(begin))
		begin = time.Now()
		fetch(b, server.URL+path.Dir(d.path))
		another = append(another, since(begin))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(started), "start-ms")
	b.ReportMetric(median(first), "first-page-ms")
	b.ReportMetric(median(another), "second-page-ms")
}

func since(begin time.Time) float64 { return float64(time.Since(begin).Microseconds()) / 1000 }

// asConfigured has the limits that the server has, but for that of requests in a
// minute, which is counted and never reached.
func asConfigured(config *app.Config) {
	config.Limits = app.DefaultLimits
	config.Limits.RequestsPerMinute = 1 << 30
}

// staticFile serves the bytes of the page from a file: those that are
// compressed were compressed before.
func staticFile(b *testing.B, docs *documentation, encoding string) *httptest.Server {
	b.Helper()
	directory := b.TempDir()
	body := fetch(b, docs.server.URL+docs.path)
	require.Contains(b, string(body), "Part 5 of page")
	if encoding == "gzip" {
		var compressed bytes.Buffer
		writer, err := gzip.NewWriterLevel(&compressed, 5)
		require.NoError(b, err)
		_, err = writer.Write(body)
		require.NoError(b, err)
		require.NoError(b, writer.Close())
		body = compressed.Bytes()
	}
	require.NoError(b, os.WriteFile(filepath.Join(directory, "page.html"), body, 0o600))
	files := http.FileServer(http.Dir(directory))
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if encoding == "gzip" {
			writer.Header().Set("Content-Encoding", "gzip")
		}
		files.ServeHTTP(writer, request)
	}))
	b.Cleanup(server.Close)
	return server
}

func fetch(b *testing.B, address string) []byte {
	b.Helper()
	request, err := http.NewRequest(http.MethodGet, address, nil)
	require.NoError(b, err)
	request.Header.Set("Accept-Encoding", "identity")
	response, err := http.DefaultClient.Do(request)
	require.NoError(b, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, response.StatusCode, "%.300s", body)
	return body
}

// round is how many requests are sent to one of the two before the other has
// its turn.
const round = 2000

// compare sends rounds to the site and to the file in turn and reports the
// medians.
func (d *documentation) compare(b *testing.B, static *httptest.Server, encoding string, connections int) {
	b.Helper()
	page, file := &measured{}, &measured{}
	for done := 0; done < b.N; done += round {
		count := min(round, b.N-done)
		file.add(b, load{Address: addressOf(b, static.URL), Request: get("/page.html", encoding), Connections: connections, Requests: count})
		page.add(b, load{Address: addressOf(b, d.server.URL), Request: get(d.path, encoding), Connections: connections, Requests: count})
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(page.perSecond), "page/s")
	b.ReportMetric(median(file.perSecond), "file/s")
	b.ReportMetric(median(page.perSecond)/median(file.perSecond), "×")
	b.ReportMetric(median(page.processor), "page-cpu-µs")
	b.ReportMetric(median(file.processor), "file-cpu-µs")
	b.ReportMetric(median(page.half), "page-p50-µs")
	b.ReportMetric(median(file.half), "file-p50-µs")
	b.ReportMetric(median(page.slow), "page-p99-µs")
	b.ReportMetric(median(file.slow), "file-p99-µs")
	b.ReportMetric(page.bytes, "page-B")
	b.ReportMetric(file.bytes, "file-B")
}

type measured struct {
	perSecond, processor, half, slow []float64
	bytes                            float64
}

func (m *measured) add(b *testing.B, wanted load) {
	b.Helper()
	before := processorTime(b)
	result := wanted.send(b)
	used := processorTime(b) - before
	m.perSecond = append(m.perSecond, float64(wanted.Requests)/result.Seconds)
	m.processor = append(m.processor, float64(used.Microseconds())/float64(wanted.Requests))
	m.half, m.slow = append(m.half, result.Median), append(m.slow, result.Slow)
	m.bytes = float64(result.Bytes)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func get(path, encoding string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: %s\r\n\r\n", path, encoding)
}

func addressOf(b *testing.B, server string) string {
	b.Helper()
	parsed, err := url.Parse(server)
	require.NoError(b, err)
	return parsed.Host
}
