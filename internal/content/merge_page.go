package content

import "maps"

// pageMerge is the state of merging the pages of three trees.
type pageMerge struct {
	*merger
	versions map[string]versions[Page]
	// order lists the ids of all pages: those of ours in their order, then
	// those that only theirs or only base has.
	order []string
	// pages are those that stay. Pages of the inputs are never written to.
	pages map[string]*Page
	// parents holds the page above for all pages, those that go included, so
	// that a page can be led up to an ancestor that stays.
	parents map[string]string
	// kept and dropped are pages whose deletion has been settled.
	kept, dropped map[string]bool
}

func (m *merger) mergePages() ([]*Page, error) {
	p := newPageMerge(m)
	for _, id := range p.order {
		if err := p.mergePage(id); err != nil {
			return nil, err
		}
	}
	if err := p.breakCycles(); err != nil {
		return nil, err
	}
	if err := p.settleParents(); err != nil {
		return nil, err
	}
	pages, err := p.arrange()
	if err != nil {
		return nil, err
	}
	return p.settleNames(pages)
}

func newPageMerge(m *merger) *pageMerge {
	p := &pageMerge{
		merger:   m,
		versions: make(map[string]versions[Page], len(m.ours.Pages)),
		pages:    make(map[string]*Page, len(m.ours.Pages)),
		parents:  make(map[string]string, len(m.ours.Pages)),
		kept:     map[string]bool{},
		dropped:  map[string]bool{},
	}
	p.collect(m.ours.Pages, func(found *versions[Page], page *Page) { found.ours = page })
	p.collect(m.theirs.Pages, func(found *versions[Page], page *Page) { found.theirs = page })
	p.collect(m.base.Pages, func(found *versions[Page], page *Page) { found.base = page })
	return p
}

func (p *pageMerge) collect(pages []*Page, note func(found *versions[Page], page *Page)) {
	for _, page := range pages {
		found, known := p.versions[page.ID]
		if !known {
			p.order = append(p.order, page.ID)
		}
		note(&found, page)
		p.versions[page.ID] = found
	}
}

func (p *pageMerge) mergePage(id string) error {
	found := p.versions[id]
	merged, err := p.mergeVersions(found)
	if err != nil {
		return err
	}
	if merged != nil {
		p.pages[id] = merged
		p.parents[id] = merged.Parent
		return nil
	}
	for _, version := range []*Page{found.base, found.theirs, found.ours} {
		if version != nil {
			p.parents[id] = version.Parent
		}
	}
	return nil
}

// mergeVersions returns what becomes of a page, nil when it goes.
func (p *pageMerge) mergeVersions(found versions[Page]) (*Page, error) {
	if page, agreed := found.agreed(equalPages); agreed {
		return latest(page, found), nil
	}
	if found.ours == nil || found.theirs == nil {
		return p.mergeDeletion(found)
	}
	if found.base == nil {
		found.base = &Page{ID: found.ours.ID}
	}
	merged := *found.ours
	if found.theirs.CreatedAt.Before(merged.CreatedAt) {
		merged.CreatedAt = found.theirs.CreatedAt
	}
	if found.theirs.UpdatedAt.After(merged.UpdatedAt) {
		merged.UpdatedAt = found.theirs.UpdatedAt
	}
	if err := p.mergeParent(&merged, found); err != nil {
		return nil, err
	}
	if err := p.mergeFields(&merged, found); err != nil {
		return nil, err
	}
	if err := p.mergeComposites(&merged, found); err != nil {
		return nil, err
	}
	if err := p.mergePageBody(&merged, found); err != nil {
		return nil, err
	}
	merged.GitOID = mergedOID(merged.Body, found)
	return &merged, nil
}

// latest returns the page of two equal ones that was changed last.
func latest(page *Page, found versions[Page]) *Page {
	if found.ours == nil || found.theirs == nil || !equalPages(found.ours, found.theirs) {
		return page
	}
	if found.theirs.UpdatedAt.After(found.ours.UpdatedAt) {
		return found.theirs
	}
	return found.ours
}

func (p *pageMerge) mergeDeletion(found versions[Page]) (*Page, error) {
	page, err := settleDeletion(p.merger, Conflict{Page: found.base.ID}, found)
	if err != nil {
		return nil, err
	}
	if page != nil {
		p.kept[found.base.ID] = true
	} else {
		p.dropped[found.base.ID] = true
	}
	return page, nil
}

func (p *pageMerge) mergeParent(merged *Page, found versions[Page]) error {
	parent, agreed := agreedValue(found.base.Parent, found.ours.Parent, found.theirs.Parent, equalText[string])
	if !agreed {
		settled, err := p.settle(Conflict{
			Kind: ConflictMoved, Page: merged.ID, Field: "parent",
			Base: found.base.Parent, Ours: found.ours.Parent, Theirs: found.theirs.Parent,
			Choices: plainChoices,
		})
		if err != nil {
			return err
		}
		parent = pick(settled.choice, found.base.Parent, found.ours.Parent, found.theirs.Parent, "")
	}
	merged.Parent = parent
	return nil
}

func (p *pageMerge) mergeFields(merged *Page, found versions[Page]) error {
	for _, field := range plainFields {
		conflict := Conflict{Kind: ConflictField, Page: merged.ID, Field: field.name}
		if field.name == "title" {
			conflict.Kind = ConflictTitle
		}
		value, err := p.mergeValue(conflict,
			field.read(found.base), field.read(found.ours), field.read(found.theirs), customCheck(field))
		if err != nil {
			return err
		}
		field.write(merged, value)
	}
	return nil
}

// customCheck returns the check of a value that a resolution brings for the
// field, nil when it admits none.
func customCheck(field field) func(any) string {
	switch field.name {
	case "title", "slug", "description", "emoji", "icon", "condition":
	default:
		return nil
	}
	return func(value any) string {
		if _, isText := value.(string); !isText {
			return "a text is expected"
		}
		var page Page
		field.write(&page, value)
		return fieldProblem(field.name, &page)
	}
}

// mergeComposites merges layout, cover and variables: whole when one side left
// them alone, part by part otherwise.
func (p *pageMerge) mergeComposites(merged *Page, found versions[Page]) error {
	variables, err := p.mergeMap(Conflict{Kind: ConflictField, Page: merged.ID, Field: "variables."},
		found.base.Variables, found.ours.Variables, found.theirs.Variables)
	if err != nil {
		return err
	}
	merged.Variables = variables
	if merged.Layout, err = p.mergeLayout(merged.ID, found); err != nil {
		return err
	}
	merged.Cover, err = p.mergeCover(merged.ID, found)
	return err
}

func (p *pageMerge) mergeLayout(id string, found versions[Page]) (*Layout, error) {
	base, ours, theirs := found.base.Layout, found.ours.Layout, found.theirs.Layout
	if layout, agreed := agreedValue(base, ours, theirs, equalPointers[Layout]); agreed {
		return layout, nil
	}
	return mergeParts(p.merger, Conflict{Kind: ConflictField, Page: id, Field: "layout."},
		layoutValues(base), layoutValues(ours), layoutValues(theirs), layoutOf)
}

func (p *pageMerge) mergeCover(id string, found versions[Page]) (*Cover, error) {
	base, ours, theirs := found.base.Cover, found.ours.Cover, found.theirs.Cover
	if cover, agreed := agreedValue(base, ours, theirs, equalDeep[Cover]); agreed {
		return cover, nil
	}
	if base != nil && ours != nil && theirs != nil {
		return mergeParts(p.merger, Conflict{Kind: ConflictField, Page: id, Field: "cover."},
			coverValues(base), coverValues(ours), coverValues(theirs), coverOf)
	}
	value, err := p.mergeValue(Conflict{Kind: ConflictField, Page: id, Field: "cover"},
		entryValue(base), entryValue(ours), entryValue(theirs), nil)
	cover, _ := value.(*Cover)
	return cover, err
}

// mergeParts merges a property made of parts.
func mergeParts[Whole any](m *merger, conflict Conflict, base, ours, theirs map[string]any, assemble func(map[string]any) *Whole) (*Whole, error) {
	prefix := conflict.Field
	merged := map[string]any{}
	for _, name := range unionOfKeys(base, ours, theirs) {
		conflict.Field = prefix + name
		value, err := m.mergeValue(conflict, base[name], ours[name], theirs[name], nil)
		if err != nil {
			return nil, err
		}
		merged[name] = value
	}
	return assemble(merged), nil
}

func layoutValues(layout *Layout) map[string]any {
	if layout == nil {
		defaults := DefaultLayout()
		layout = &defaults
	}
	values := map[string]any{"width": layout.Width, "coverSize": layout.CoverSize}
	for _, part := range layoutParts {
		values[part.key] = *part.of(layout)
	}
	return values
}

func layoutOf(values map[string]any) *Layout {
	layout := DefaultLayout()
	layout.Width, _ = values["width"].(string)
	layout.CoverSize, _ = values["coverSize"].(string)
	for _, part := range layoutParts {
		*part.of(&layout), _ = values[part.key].(bool)
	}
	return &layout
}

func coverValues(cover *Cover) map[string]any {
	return map[string]any{
		"ref":     present(cover.Ref, len(cover.Ref) > 0),
		"refDark": present(cover.RefDark, len(cover.RefDark) > 0),
		"yPos":    cover.YPos,
		"height":  cover.Height,
	}
}

func coverOf(values map[string]any) *Cover {
	cover := &Cover{}
	if reference, ok := values["ref"].(map[string]any); ok {
		cover.Ref = maps.Clone(reference)
	}
	if reference, ok := values["refDark"].(map[string]any); ok {
		cover.RefDark = maps.Clone(reference)
	}
	cover.YPos, _ = values["yPos"].(float64)
	cover.Height, _ = values["height"].(float64)
	return cover
}

// mergedOID returns the git object id that goes with the merged body: none for
// a body that no side has.
func mergedOID(body Hash, found versions[Page]) string {
	switch body {
	case found.base.Body:
		oid, _ := agreedValue(found.base.GitOID, found.ours.GitOID, found.theirs.GitOID, equalText[string])
		return oid
	case found.ours.Body:
		return found.ours.GitOID
	case found.theirs.Body:
		return found.theirs.GitOID
	}
	return ""
}
