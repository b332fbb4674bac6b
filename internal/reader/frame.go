package reader

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"octavo/internal/audience"
	"octavo/internal/content"
	"octavo/internal/hypertext"
	"octavo/internal/site"
)

// frame is all of a page but its text: the header, the navigation, the footer.
// page is nil for what is no page of the site space.
func (h *Handler) frame(visited *visit, found *place, page *content.Page) (*view, error) {
	settings, err := settingsOf(found.siteSpace)
	if err != nil {
		return nil, err
	}
	words := wordsOf(settings.Internationalization.Locale)
	sources := h.sources(visited, found, page)
	home := visited.siteHome()
	shown := &view{
		Language: cmp.Or(deref(found.siteSpace.Space.Language), settings.Internationalization.Locale, "en"),
		Words:    words, Classes: classesOf(settings), DefaultTheme: settings.Themes.Default, ThemeToggle: settings.Themes.Toggleable,
		Assets: assetAddresses{
			Style: assetAddress(visited.base, "reader.css"), Script: assetAddress(visited.base, "reader.js"), ThemeScript: assetAddress(visited.base, "theme.js"),
			Theme: visited.base + "/" + functions + "/theme.css?v=" + themeVersion(settings) + "&s=" + url.QueryEscape(found.siteSpace.ID),
		},
		Site: siteView{
			Title: cmp.Or(settings.Title, visited.Structure.Site.Title), Home: home,
			Emoji: hypertext.Emoji(settings.Favicon.Emoji), Favicon: iconAddress(visited, found.siteSpace, settings),
		},
		SearchAddress: visited.base + "/" + functions + "/search", SearchSource: visited.base + "/" + functions + "/search.json",
		Sections: sectionLinks(visited, found.siteSpace), Tree: tree(visited, found, page, sources, settings),
		HeaderLinks: linksOf(visited, sources, settings.Header.Links, settings),
		Footer:      footerOf(visited, sources, settings), NewWindow: settings.ExternalLinks.Target == "blank",
	}
	if note := settings.Announcement; note != nil && note.Enabled {
		shown.Announcement = &announcement{Message: note.Message, Style: note.Style}
		if note.Link != nil {
			if links := linksOf(visited, sources, []headerLink{*note.Link}, settings); len(links) > 0 {
				shown.Announcement.Link = &links[0]
			}
		}
	}
	pictures(shown, visited, settings)
	h.variants(shown, visited, found)
	shown.ShowSidebar = (page == nil || layoutOf(page).TableOfContents) && (len(shown.Tree) > 1 || len(shown.Variants) > 0 || len(shown.Tree) == 1 && len(shown.Tree[0].Children) > 0)
	if !visited.Indexable() {
		shown.Robots = "noindex, nofollow"
	}
	return shown, nil
}

func settingsOf(shown *site.SiteSpace) (*customization, error) {
	encoded, err := shown.Customization()
	if err != nil {
		return nil, err
	}
	var settings customization
	if err := json.Unmarshal(encoded, &settings); err != nil {
		return nil, fmt.Errorf("the customization of site %s: %w", shown.SiteID, err)
	}
	return &settings, nil
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (v *visit) siteHome() string { return cmp.Or(v.base, "/") }

func classesOf(settings *customization) string {
	names := []string{
		"theme-" + settings.Styling.Theme, "corners-" + settings.Styling.Corners, "depth-" + settings.Styling.Depth, "links-" + settings.Styling.Links,
		"background-" + settings.Styling.Background, "list-" + settings.Styling.Sidebar.List, "header-" + settings.Header.Preset,
	}
	if settings.Styling.Search == "subtle" {
		names = append(names, "search-subtle")
	}
	if settings.Styling.Sidebar.Background == "filled" {
		names = append(names, "sidebar-filled")
	}
	if isSerif(settings.Styling.Font) {
		names = append(names, "font-serif")
	}
	return strings.Join(names, " ")
}

// sectionLinks are the sections and groups of the site.
func sectionLinks(visited *visit, current *site.SiteSpace) []navigationLink {
	if len(visited.Structure.Sections) < 2 {
		return nil
	}
	return itemLinks(visited, visited.Structure.Top, current)
}

func itemLinks(visited *visit, items []site.Item, current *site.SiteSpace) []navigationLink {
	var links []navigationLink
	for _, item := range items {
		switch item := item.(type) {
		case *site.Section:
			if len(item.SiteSpaces) > 0 {
				links = append(links, sectionLink(visited, item, current))
			}
		case *site.Group:
			children := flattened(itemLinks(visited, item.Children, current))
			isCurrent := slices.ContainsFunc(children, func(link navigationLink) bool { return link.Current })
			links = append(links, navigationLink{Title: item.Title, Children: children, Current: isCurrent})
		}
	}
	return links
}

// flattened brings the sections of groups in groups to one level: a menu has no
// menus.
func flattened(links []navigationLink) []navigationLink {
	var flat []navigationLink
	for _, link := range links {
		if len(link.Children) > 0 {
			flat = append(flat, link.Children...)
			continue
		}
		flat = append(flat, link)
	}
	return flat
}

func sectionLink(visited *visit, section *site.Section, current *site.SiteSpace) navigationLink {
	shown := section.SiteSpaces[0]
	for _, variant := range section.SiteSpaces {
		if variant.Default {
			shown = variant
		}
	}
	return navigationLink{
		Title: section.Title, Description: deref(section.Description), Address: visited.siteSpaceAddress(shown),
		Current: current.Section != nil && current.Section.ID == section.ID,
	}
}

// variants are the site spaces of the section, when there are several.
func (h *Handler) variants(shown *view, visited *visit, found *place) {
	variants := visited.Structure.Variants(found.siteSpace.Section)
	if len(variants) < 2 {
		return
	}
	for _, variant := range variants {
		address := visited.siteSpaceAddress(variant)
		current := variant.ID == found.siteSpace.ID
		shown.Variants = append(shown.Variants, navigationLink{Title: variant.Space.Title, Address: address, Current: current})
		if current {
			shown.Variant = variant.Space.Title
		}
		if language := deref(variant.Space.Language); language != "" {
			shown.Alternates = append(shown.Alternates, alternate{language, visited.absolute(address)})
		}
	}
}

// maximumTree is up to how many pages the navigation shows all of them. Beyond,
// it shows what is on the way to the current page and directly below: everything
// else is reached from the page above it.
const maximumTree = 1000

// tree is the navigation of a site space; what leads to the current page is open.
func tree(visited *visit, found *place, current *content.Page, sources hypertext.Sources, settings *customization) []treeItem {
	made := navigation{visited: visited, content: found.content, sources: sources, settings: settings, open: map[string]bool{}}
	made.whole = len(found.content.Reading()) <= maximumTree
	if current != nil {
		made.current = current.ID
		made.open[current.ID] = true
		for _, above := range found.content.Tree.Index().Ancestors(current.ID) {
			made.open[above.ID] = true
		}
	}
	return made.below("")
}

// navigation makes the tree of a page.
type navigation struct {
	visited  *visit
	content  *audience.Content
	sources  hypertext.Sources
	settings *customization
	current  string
	open     map[string]bool
	whole    bool
}

func (n navigation) below(parent string) []treeItem {
	var items []treeItem
	for _, page := range n.content.Listed(parent) {
		if item := n.item(page); item.Address != "" || item.Group {
			items = append(items, item)
		}
	}
	return items
}

// item is a page in the tree; one without an address leads nowhere.
func (n navigation) item(page *content.Page) treeItem {
	item := treeItem{
		Title: page.Title, Emoji: hypertext.Emoji(page.Emoji), Open: n.open[page.ID], Current: page.ID == n.current,
	}
	if n.whole || item.Open || page.Type == content.PageGroup {
		item.Children = n.below(page.ID)
	}
	switch page.Type {
	case content.PageLink:
		item.Address = linkTarget(n.sources, page.Target)
		item.NewWindow = opensWindow(item.Address, n.settings)
	case content.PageGroup:
		item.Group = len(item.Children) > 0
	default:
		item.Address = n.visited.pageAddress(n.content, page)
	}
	return item
}

func opensWindow(address string, settings *customization) bool {
	return settings.ExternalLinks.Target == "blank" && (strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://"))
}

// linkTarget is the address of a reference, or empty.
func linkTarget(sources hypertext.Sources, reference map[string]any) string {
	target := hypertext.Resolve(reference, sources)
	if target == nil {
		return ""
	}
	return target.Address
}

// linksOf are the links of the header or footer that the visitor may see.
func linksOf(visited *visit, sources hypertext.Sources, links []headerLink, settings *customization) []navigationLink {
	var shown []navigationLink
	for _, link := range links {
		if !visited.Holds(link.Condition, nil) {
			continue
		}
		below := linksOf(visited, sources, link.Links, settings)
		address := linkTarget(sources, link.To)
		if address == "" && len(below) == 0 {
			continue
		}
		class := map[string]string{"button-primary": "button button-primary", "button-secondary": "button button-secondary"}[link.Style]
		shown = append(shown, navigationLink{Title: link.Title, Address: address, Class: class, Links: below, NewWindow: opensWindow(address, settings)})
	}
	return shown
}

func footerOf(visited *visit, sources hypertext.Sources, settings *customization) *footer {
	made := &footer{Copyright: settings.Footer.Copyright}
	if address := settings.PrivacyPolicy.URL; strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
		made.PrivacyPolicy = address
	}
	for _, group := range settings.Footer.Groups {
		if links := linksOf(visited, sources, group.Links, settings); len(links) > 0 {
			made.Groups = append(made.Groups, footerGroup{group.Title, links})
		}
	}
	if len(made.Groups) == 0 && made.Copyright == "" && made.PrivacyPolicy == "" && settings.Footer.Logo == nil {
		return nil
	}
	return made
}

// describePage fills in what the frame says of a page.
func (h *Handler) describePage(shown *view, visited *visit, found *place, page *content.Page) {
	layout := layoutOf(page)
	address := visited.pageAddress(found.content, page)
	shown.DocumentTitle = page.Title
	if shown.Site.Title != "" && page.Title != shown.Site.Title {
		shown.DocumentTitle += " | " + shown.Site.Title
	}
	shown.Description = page.Description
	shown.Canonical = visited.absolute(address)
	shown.MarkdownAddress = visited.markdownAddress(found.content, page)
	if page.NoRobots || page.NoIndex {
		shown.Robots = "noindex"
	}
	shown.Page = pageView{
		Title: page.Title, Description: page.Description, Emoji: hypertext.Emoji(page.Emoji), UpdatedAt: momentOf(page.UpdatedAt),
		ShowTitle: layout.Title, ShowDescription: layout.Description, ShowMetadata: layout.Metadata, CoverSize: layout.CoverSize,
	}
	if page.Cover != nil && layout.Cover {
		sources := h.sources(visited, found, page)
		shown.Page.Cover, shown.Page.CoverDark = fileAddress(sources, page.Cover.Ref), fileAddress(sources, page.Cover.RefDark)
		shown.Page.ShowCover = shown.Page.Cover != ""
		if shown.Page.Cover != "" {
			shown.SocialImage = visited.absolute(shown.Page.Cover)
		}
	}
	settings, err := settingsOf(found.siteSpace)
	if err != nil {
		return
	}
	if settings.PageActions.Markdown {
		shown.Actions = []navigationLink{
			{Title: shown.Words.CopyPage, Address: shown.MarkdownAddress, Action: "copy"},
			{Title: shown.Words.ViewMarkdown, Address: shown.MarkdownAddress},
		}
	}
	if settings.Git.ShowEditLink {
		shown.EditAddress = h.editAddress(found, page)
	}
	shown.Breadcrumbs = breadcrumbs(visited, found, page)
	if settings.Pagination.Enabled && layout.Pagination {
		shown.Previous, shown.Next = neighbours(visited, found.content, page)
	}
}

func fileAddress(sources hypertext.Sources, reference map[string]any) string {
	if reference["kind"] != "file" {
		return ""
	}
	if file := sources.File(reference); file != nil {
		return file.Address
	}
	return ""
}

func breadcrumbs(visited *visit, found *place, page *content.Page) []navigationLink {
	var crumbs []navigationLink
	for _, above := range found.content.Tree.Index().Ancestors(page.ID) {
		crumb := navigationLink{Title: above.Title}
		if HasOwnPage(above) {
			crumb.Address = visited.pageAddress(found.content, above)
		}
		crumbs = append(crumbs, crumb)
	}
	slices.Reverse(crumbs)
	return crumbs
}

func neighbours(visited *visit, from *audience.Content, page *content.Page) (previous, next *navigationLink) {
	reading := from.Reading()
	at := slices.IndexFunc(reading, func(other *content.Page) bool { return other.ID == page.ID })
	if at > 0 {
		previous = &navigationLink{Title: reading[at-1].Title, Address: visited.pageAddress(from, reading[at-1])}
	}
	if at >= 0 && at+1 < len(reading) {
		next = &navigationLink{Title: reading[at+1].Title, Address: visited.pageAddress(from, reading[at+1])}
	}
	return previous, next
}

// maximumSuggestions bounds what is suggested for a page that is missing.
const maximumSuggestions = 5

// suggestions are listed pages whose addresses share words with a path, the
// most first.
func suggestions(visited *visit, found *place, path string) []navigationLink {
	type candidate struct {
		link   navigationLink
		shared int
	}
	wanted := wordsIn(path)
	var candidates []candidate
	for _, page := range found.content.Reading() {
		shared := 0
		for word := range wordsIn(found.content.Tree.Index().Path(page) + " " + page.Title) {
			if wanted[word] {
				shared++
			}
		}
		if shared > 0 {
			candidates = append(candidates, candidate{navigationLink{Title: page.Title, Address: visited.pageAddress(found.content, page)}, shared})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return b.shared - a.shared })
	var links []navigationLink
	for _, each := range candidates[:min(len(candidates), maximumSuggestions)] {
		links = append(links, each.link)
	}
	return links
}

func wordsIn(text string) map[string]bool {
	found := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(character rune) bool { return strings.ContainsRune("/-_.+ ", character) }) {
		if len(word) > 1 {
			found[word] = true
		}
	}
	return found
}
