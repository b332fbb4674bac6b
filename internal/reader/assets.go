package reader

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed assets/reader.css assets/reader.js assets/theme.js assets/icon.svg
var assetFiles embed.FS

//go:embed templates/*.html
var templateFiles embed.FS

// asset is a file that every site has, under a name that changes with it.
type asset struct {
	name        string
	contentType string
	content     []byte
}

var assets = func() map[string]*asset {
	found := map[string]*asset{}
	for name, contentType := range map[string]string{
		"reader.css": "text/css; charset=utf-8", "reader.js": "text/javascript; charset=utf-8", "theme.js": "text/javascript; charset=utf-8",
		"icon.svg": "image/svg+xml",
	} {
		content, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			continue // embedded: a test looks for each
		}
		sum := sha256.Sum256(content)
		extension := path.Ext(name)
		found[name] = &asset{strings.TrimSuffix(name, extension) + "-" + hex.EncodeToString(sum[:6]) + extension, contentType, content}
	}
	return found
}()

func serveAsset(writer http.ResponseWriter, request *http.Request, name string) {
	for _, known := range assets {
		if known.name == name {
			writer.Header().Set("Content-Type", known.contentType)
			writer.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			http.ServeContent(writer, request, "", time.Time{}, bytes.NewReader(known.content))
			return
		}
	}
	writer.WriteHeader(http.StatusNotFound)
}

func assetAddress(base, name string) string {
	return base + "/" + functions + "/assets/" + assets[name].name
}

// templates are parsed once for each kind of page, since each says what main is.
var templates = func() map[string]*template.Template {
	parsed := map[string]*template.Template{}
	for _, kind := range []string{"page", "search", "missing"} {
		parsed[kind] = template.Must(template.ParseFS(templateFiles, "templates/layout.html", "templates/"+kind+".html"))
	}
	parsed["notice"] = template.Must(template.ParseFS(templateFiles, "templates/notice.html"))
	return parsed
}()

// notice shows a page that belongs to no site.
func notice(writer http.ResponseWriter, status int, title, text string) {
	var page bytes.Buffer
	err := templates["notice"].ExecuteTemplate(&page, "notice", map[string]string{
		"Title": title, "Text": text, "Style": AssetPrefix + assets["reader.css"].name, "Icon": AssetPrefix + assets["icon.svg"].name,
	})
	if err != nil {
		http.Error(writer, title, status)
		return
	}
	writer.Header().Set("Content-Type", "text/html; charset=utf-8")
	writer.Header().Set("Cache-Control", "no-store")
	writer.Header().Set("X-Robots-Tag", "noindex")
	writer.WriteHeader(status)
	_, _ = writer.Write(page.Bytes()) // the client may have gone
}
