// Package embed finds out what to show of an address that a page embeds.
package embed

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"octavo/internal/access"
	"octavo/internal/fault"
	"octavo/internal/outbound"
)

const (
	// maximumAddress bounds addresses, in bytes.
	maximumAddress = 2048
	// maximumRead bounds what is read of a page, in bytes: what describes it
	// stands at its beginning.
	maximumRead = 512 << 10
	// maximumText bounds titles and names, in characters.
	maximumText = 300
	// askTime bounds how long a page is waited for.
	askTime = 5 * time.Second
	// keptEmbeds are how many are kept in memory, for keptTime.
	keptEmbeds = 2000
	keptTime   = time.Hour
	// maximumAsked bounds how many pages are asked for at once.
	maximumAsked = 16
)

// Embed is what is shown of an address: a link.
type Embed struct {
	Title string
	// Site is the name of the site that it leads to.
	Site string
	// Icon is the address of the site's icon; nil for none.
	Icon *string
}

// Service describes addresses.
type Service struct {
	client *outbound.Client
	kept   *expirable.LRU[string, *Embed]
	slots  chan struct{}
}

// NewService returns a service that asks through a client.
func NewService(client *outbound.Client) *Service {
	return &Service{
		client: client, kept: expirable.NewLRU[string, *Embed](keptEmbeds, nil, keptTime), slots: make(chan struct{}, maximumAsked),
	}
}

// Describe says what to show of an address: the title, site name and icon that
// the page behind it states, or else the address and its host. The page is asked
// for by everybody who has a token. BAD_USER_INPUT for what is not an http or
// https address of at most 2,048 bytes.
func (s *Service) Describe(ctx context.Context, address string) (*Embed, error) {
	if _, err := access.AllowContent(ctx); err != nil {
		return nil, err
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" || len(address) > maximumAddress {
		return nil, fault.Invalid("url", "an http or https address of at most %d characters is needed", maximumAddress)
	}
	parsed.Fragment, parsed.User = "", nil
	key := parsed.String()
	if known, found := s.kept.Get(key); found {
		return known, nil
	}
	described := &Embed{Title: address, Site: parsed.Hostname()}
	if s.ask(ctx, parsed, described); ctx.Err() == nil {
		s.kept.Add(key, described)
	}
	return described, nil
}

// ask adds what the page states. One that does not answer states nothing.
func (s *Service) ask(ctx context.Context, address *url.URL, described *Embed) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return
	}
	request.Header.Set("Accept", "text/html")
	answer, err := s.client.HTTP().Do(request)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	kind := answer.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(kind)
	if err != nil || answer.StatusCode != http.StatusOK || media != "text/html" && media != "application/xhtml+xml" {
		return
	}
	text, err := charset.NewReader(io.LimitReader(answer.Body, maximumRead), kind)
	if err != nil {
		return
	}
	described.read(html.NewTokenizer(text), answer.Request.URL)
}

// read takes what the head of a page states.
func (e *Embed) read(page *html.Tokenizer, address *url.URL) {
	var title, stated, site string
	for {
		switch page.Next() {
		case html.ErrorToken:
			e.set(title, stated, site)
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			token := page.Token()
			switch token.DataAtom {
			case atom.Title:
				if page.Next() == html.TextToken && title == "" {
					title = string(page.Text())
				}
			case atom.Meta:
				name, content := attribute(token, "property"), attribute(token, "content")
				switch name {
				case "og:title":
					stated = content
				case "og:site_name":
					site = content
				}
			case atom.Link:
				e.readLink(token, address)
			case atom.Body:
				e.set(title, stated, site)
				return
			}
		}
	}
}

func (e *Embed) set(title, stated, site string) {
	if shown := oneLine(title); shown != "" {
		e.Title = shown
	}
	if shown := oneLine(stated); shown != "" {
		e.Title = shown
	}
	if shown := oneLine(site); shown != "" {
		e.Site = shown
	}
}

// readLink takes the icon of the site.
func (e *Embed) readLink(token html.Token, address *url.URL) {
	for relation := range strings.FieldsSeq(strings.ToLower(attribute(token, "rel"))) {
		if relation != "icon" || e.Icon != nil {
			continue
		}
		target, err := address.Parse(attribute(token, "href"))
		if err == nil && (target.Scheme == "https" || target.Scheme == "http") && len(target.String()) <= maximumAddress {
			e.Icon = new(target.String())
		}
	}
}

func attribute(token html.Token, name string) string {
	for _, each := range token.Attr {
		if each.Key == name {
			return each.Val
		}
	}
	return ""
}

// oneLine is a text without breaks, and not longer than may be shown.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if utf8.RuneCountInString(text) <= maximumText {
		return text
	}
	return string([]rune(text)[:maximumText-1]) + "…"
}
