// Package address makes the absolute addresses of resources, from the base URL
// under which the server is reached.
package address

import (
	"net/url"
	"strings"
)

// Book makes addresses. The zero Book makes relative ones.
type Book struct{ base string }

// NewBook returns a book for a base URL such as https://docs.example.com.
func NewBook(base string) Book { return Book{strings.TrimSuffix(base, "/")} }

// Base is the base URL, without a slash at its end.
func (b Book) Base() string { return b.base }

// REST is the address of a resource of the REST API; the segments are escaped.
func (b Book) REST(segments ...string) string { return b.base + "/v1" + join(segments) }

// App is the address under which people see a resource.
func (b Book) App(segments ...string) string { return b.base + "/app" + join(segments) }

// Site is the address of a site that is read on this server.
func (b Book) Site(basename string) string { return b.base + "/sites" + join([]string{basename}) }

// Invite is the address of the page that says how to accept an invite.
func (b Book) Invite(secret string) string { return b.base + "/invites" + join([]string{secret}) }

// Below is an address further down; the segments are escaped.
func Below(address string, segments ...string) string { return address + join(segments) }

func join(segments []string) string {
	var path strings.Builder
	for _, segment := range segments {
		path.WriteByte('/')
		path.WriteString(url.PathEscape(segment))
	}
	return path.String()
}
