package invite

import (
	"context"
	"html/template"
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/internal/access"
	"octavo/internal/fault"
)

// shown is what the page of an invite says.
type shown struct {
	Title, Secret string
	ByEmail       bool
}

var page = template.Must(template.New("invite").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>Invite to {{.Title}}</title></head>
<body>
<main>
<h1>You are invited to {{.Title}}</h1>
<p>With an account, accept with an access token of yours:</p>
<pre>mutation {
  joinOrganizationWithInvite(input: {invite: "{{.Secret}}"}) { organization { id title } }
}</pre>
{{if .ByEmail}}<p>Without one, make an account; the answer holds an access token, which is shown once:</p>
<pre>mutation {
  acceptInvite(input: {secret: "{{.Secret}}", displayName: "…"}) { accessToken }
}</pre>
{{end}}</main>
</body>
</html>
`))

// ServeHTTP shows to whoever has the secret of an invite where it leads and how
// to accept it. Any other address is not found.
func (s *Service) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	header := writer.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	found, err := s.show(request.Context(), chi.URLParam(request, "secret"))
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		http.Error(writer, "not found", http.StatusNotFound)
	case err != nil:
		http.Error(writer, "unexpected error", http.StatusInternalServerError)
	default:
		header.Set("Content-Type", "text/html; charset=utf-8")
		// A client that is gone reads no page.
		_ = page.Execute(writer, found)
	}
}

// show finds what the page of a usable invite says; NOT_FOUND for a secret of
// none.
func (s *Service) show(ctx context.Context, secret string) (*shown, error) {
	ctx = access.System(ctx, "the secret of an invite shows where it leads")
	row, err := s.find(ctx, secret)
	if err != nil {
		return nil, err
	}
	owner, err := s.database.Client(ctx).Organization.Get(ctx, row.OrganizationID)
	if err != nil {
		return nil, err
	}
	open := row.Email != nil || owner.InviteLinks
	if !open || !opens(secret, row) || ended(row) {
		return nil, fault.Missing("invite")
	}
	return &shown{Title: owner.Title, Secret: secret, ByEmail: row.Email != nil}, nil
}
