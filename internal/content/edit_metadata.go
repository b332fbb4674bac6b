package content

// setMetadata gives the page the fields that the operation sets, except those
// that its source states already.
func (e *editor) setMetadata(page *Page, metadata PageMetadata, stated map[string]bool) error {
	if metadata.Title.Given() && metadata.Title.Value() == nil {
		return e.invalid("title", "a title cannot be removed")
	}
	if metadata.Slug.Given() && metadata.Slug.Value() == nil {
		return e.invalid("slug", "a slug cannot be removed")
	}
	set := map[string]bool{}
	mark := func(name string, given bool) bool {
		set[name] = given && !stated[name]
		return set[name]
	}
	assign(&page.Title, metadata.Title, mark("title", metadata.Title.Given()))
	assign(&page.Slug, metadata.Slug, mark("slug", metadata.Slug.Given()))
	assign(&page.Emoji, metadata.Emoji, mark("emoji", metadata.Emoji.Given()))
	assign(&page.Icon, metadata.Icon, mark("icon", metadata.Icon.Given()))
	assign(&page.Description, metadata.Description, mark("description", metadata.Description.Given()))
	assign(&page.Hidden, metadata.Hidden, mark("hidden", metadata.Hidden.Given()))
	assign(&page.NoIndex, metadata.NoIndex, mark("noIndex", metadata.NoIndex.Given()))
	assign(&page.NoRobots, metadata.NoRobots, mark("noRobotsIndex", metadata.NoRobots.Given()))
	assign(&page.Condition, metadata.Condition, mark("condition", metadata.Condition.Given()))
	assign(&page.Variables, metadata.Variables, mark("variables", metadata.Variables.Given()))
	assign(&page.Target, metadata.Target, mark("target", metadata.Target.Given()))
	if mark("layout", metadata.Layout.Given()) {
		page.Layout = metadata.Layout.Value()
	}
	if mark("cover", metadata.Cover.Given()) {
		page.Cover = metadata.Cover.Value()
	}
	if set["target"] && page.Type != PageLink {
		return e.invalid("target", "a %s page has no target", page.Type)
	}
	return e.checkMetadata(page, set)
}

func assign[Value any](to *Value, option Option[Value], wanted bool) {
	if !wanted {
		return
	}
	var none Value
	*to = none
	if value := option.Value(); value != nil {
		*to = *value
	}
}

// checkMetadata checks the fields of the page that are named in set.
func (e *editor) checkMetadata(page *Page, set map[string]bool) error {
	for _, field := range plainAndCompositeFields {
		if !set[field.name] {
			continue
		}
		if problem := fieldProblem(field.name, page); problem != "" {
			return e.invalid(field.name, "%s", problem)
		}
	}
	return nil
}

// fieldProblem returns why the field of the page cannot have its value, or "".
func fieldProblem(name string, page *Page) string {
	switch name {
	case "title":
		return checkTitle(page.Title)
	case "slug":
		return checkSlug(page.Slug)
	case "emoji":
		return checkLine(page.Emoji, EmojiLimit)
	case "icon":
		return checkIcon(page.Icon)
	case "description":
		return checkText(page.Description, DescriptionLimit)
	case "condition":
		return checkText(page.Condition, ConditionLimit)
	case "variables":
		return CheckVariables(page.Variables)
	case "target":
		return checkReference(page.Target)
	case "layout":
		if page.Layout != nil {
			return checkLayout(*page.Layout)
		}
	case "cover":
		if page.Cover != nil {
			return checkCover(*page.Cover)
		}
	}
	return ""
}
