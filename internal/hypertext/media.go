package hypertext

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"octavo/internal/document"
)

func (w *writer) images(node *document.Node) {
	align := text(node, "align")
	class := classes("images", classIf(align == "left" || align == "right" || align == "center", "align-"+align),
		classIf(flag(node, "fullWidth"), "full-width"), classIf(flag(node, "withFrame"), "framed"))
	w.element("div", class, func() {
		for _, image := range node.Nodes {
			w.image(image)
		}
	})
}

func (w *writer) image(node *document.Node) {
	w.element("figure", "", func() {
		w.imagePair(node, "", text(node, "alt"))
		caption := fragment(node, "caption")
		if caption == nil || PlainText(caption.Nodes) == "" {
			return
		}
		w.element("figcaption", "", func() {
			for _, paragraph := range caption.Nodes {
				w.inlines(paragraph.Nodes)
			}
		})
	})
}

// imagePair writes an image, and its variant for dark pages where it has one.
func (w *writer) imagePair(node *document.Node, class, alternative string) {
	dark := object(node, "refDark")
	if dark == nil {
		w.picture(object(node, "ref"), node, class, alternative)
		return
	}
	w.picture(object(node, "ref"), node, classes(class, "light-only"), alternative)
	w.picture(dark, node, classes(class, "dark-only"), alternative)
}

func (w *writer) picture(reference map[string]any, node *document.Node, class, alternative string) {
	source, width, height := w.imageSource(reference)
	if source == "" {
		w.imageElsewhere(reference, alternative)
		return
	}
	if given := length(node, "width"); given != "" {
		width, height = given, cmp.Or(length(node, "height"), scaled(given, width, height))
	}
	w.raw("<img")
	for _, attribute := range [][2]string{{"class", class}, {"src", source}, {"width", width}, {"height", height}} {
		if attribute[1] != "" {
			w.raw(" ", attribute[0], `="`)
			w.text(attribute[1])
			w.raw(`"`)
		}
	}
	w.raw(` alt="`)
	w.text(alternative)
	w.raw(`" loading="lazy" decoding="async">`)
}

// scaled is the height of an image of a known size at a given width, so that the
// page does not jump when it is there; empty where that is not known.
func scaled(given, width, height string) string {
	wanted, err := strconv.Atoi(given)
	natural, widthErr := strconv.Atoi(width)
	tall, heightErr := strconv.Atoi(height)
	if errors.Join(err, widthErr, heightErr) != nil || natural == 0 {
		return ""
	}
	return strconv.Itoa((wanted*tall + natural/2) / natural)
}

// imageElsewhere writes a link to an image that the page does not load, or its
// description.
func (w *writer) imageElsewhere(reference map[string]any, alternative string) {
	address, _ := reference["url"].(string)
	if !isSafe(address) || isLost(address) {
		if address != "" {
			alternative = cmp.Or(alternative, path.Base(address))
		}
		if alternative != "" {
			w.element("span", "image-missing", func() { w.text(alternative) })
		}
		return
	}
	if alternative == "" {
		alternative = address
	}
	w.openLink(&Link{Address: address}, "image-elsewhere", "")
	w.text(alternative)
	w.close("a")
}

// imageSource is the address of an image of the site. An image elsewhere is not
// loaded, since a page asks no third party; it is shown by its description.
func (w *writer) imageSource(reference map[string]any) (address, width, height string) {
	if reference["kind"] == "url" {
		elsewhere, _ := reference["url"].(string)
		if isSafe(elsewhere) && !isExternal(elsewhere) && !isLost(elsewhere) {
			return elsewhere, "", ""
		}
		return "", "", ""
	}
	found := w.fileOf(reference)
	if found == nil {
		return "", "", ""
	}
	if found.Width > 0 && found.Height > 0 {
		return found.Address, strconv.Itoa(found.Width), strconv.Itoa(found.Height)
	}
	return found.Address, "", ""
}

func (w *writer) file(node *document.Node) {
	reference := object(node, "ref")
	found := w.fileOf(reference)
	if found == nil {
		if target := w.target(reference); target != nil {
			w.linkCard(target.Address, target.Title)
		}
		return
	}
	w.open("a", "class", "file", "href", found.Address, "download", found.Name)
	w.element("span", "file-name", func() { w.text(found.Name) })
	w.element("span", "file-size", func() { w.text(Size(found.Size)) })
	w.close("a")
	if caption := captionOf(node); caption != "" {
		w.element("p", "caption", func() { w.text(caption) })
	}
}

// captionOf is the text of a caption, which is kept as the Markdown of a line:
// often a link to what the block shows.
func captionOf(node *document.Node) string {
	caption := text(node, "caption")
	if caption == "" {
		return ""
	}
	return PlainText(document.Parse([]byte(caption), document.References{}).Nodes)
}

// Size writes a number of bytes for people.
func Size(bytes int64) string {
	units := []string{"B", "kB", "MB", "GB"}
	amount, unit := float64(bytes), 0
	for amount >= 1000 && unit < len(units)-1 {
		amount /= 1000
		unit++
	}
	if unit == 0 || amount >= 10 {
		return fmt.Sprintf("%.0f %s", amount, units[unit])
	}
	return fmt.Sprintf("%.1f %s", amount, units[unit])
}

func (w *writer) drawing(node *document.Node) {
	if reference := object(node, "ref"); reference != nil {
		w.element("figure", "drawing", func() { w.picture(reference, node, "", text(node, "alt")) })
	}
}

func (w *writer) embed(node *document.Node) {
	w.linkCard(text(node, "url"), captionOf(node))
}

// linkCard writes a link to something elsewhere that is not loaded into the page.
func (w *writer) linkCard(address, title string) {
	parsed, err := url.Parse(address)
	if err != nil || !isSafe(address) {
		return
	}
	if title == "" {
		title = strings.TrimPrefix(parsed.Host+parsed.Path, "www.")
	}
	w.openLink(&Link{Address: address}, "embed", "")
	w.element("span", "embed-title", func() { w.text(title) })
	w.element("span", "embed-host", func() { w.text(parsed.Host) })
	w.close("a")
}

func (w *writer) contentReference(node *document.Node) {
	target := w.target(object(node, "ref"))
	if target == nil {
		return
	}
	title := target.Title
	if title == "" || object(node, "ref")["kind"] == "url" {
		title = captionOf(node)
	}
	if title == "" {
		title = target.Address
	}
	w.openLink(target, "content-ref", "")
	if target.Emoji != "" {
		w.open("span", "class", "emoji", "aria-hidden", "true")
		w.text(emoji(target.Emoji))
		w.close("span")
	}
	w.element("span", "content-ref-title", func() { w.text(title) })
	if target.Description != "" {
		w.element("span", "content-ref-description", func() { w.text(target.Description) })
	}
	w.close("a")
}
