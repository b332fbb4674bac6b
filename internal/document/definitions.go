package document

// definition tells what a kind of block or inline may hold.
type definition struct {
	inline bool
	void   bool
	// fragments says that the property is always written.
	fragments bool
	// content names what Nodes may hold; it is empty for void nodes.
	content content
	// data lists the properties that are read, with their checks.
	data map[string]check
	// required lists the properties that must be there.
	required []string
}

type content int

const (
	contentNone content = iota
	contentInlines
	contentText
	contentBlocks
	contentItems
)

// itemOf gives the only kind of block that some blocks hold.
var itemOf = map[string]string{
	"list-ordered": "list-item", "list-unordered": "list-item", "list-tasks": "list-item",
	"code": "code-line", "images": "image", "tabs": "tabs-item", "stepper": "stepper-step",
	"columns": "column", "updates": "update",
}

// insideOnly holds the kinds of blocks that stand in their list only.
var insideOnly = func() map[string]bool {
	items := map[string]bool{}
	for _, item := range itemOf {
		items[item] = true
	}
	return items
}()

var textColors = []string{
	"default", "green", "blue", "red", "orange", "yellow", "purple",
	"$primary", "$info", "$success", "$warning", "$danger",
}

var alignments = []string{"start", "center", "end"}

var definitions = map[string]definition{
	"paragraph":      {content: contentInlines, data: map[string]check{"align": oneOf(alignments...)}},
	"heading-1":      heading(),
	"heading-2":      heading(),
	"heading-3":      heading(),
	"list-ordered":   {content: contentItems, data: map[string]check{"start": integerFrom(0)}},
	"list-unordered": {content: contentItems},
	"list-tasks":     {content: contentItems},
	"list-item":      {content: contentBlocks, data: map[string]check{"checked": boolean}},
	"divider":        {void: true},
	"blockquote":     {content: contentBlocks},
	"hint": {content: contentBlocks, required: []string{"style"}, data: map[string]check{
		"style": oneOf("info", "warning", "danger", "success"), "icon": anyText,
	}},
	"images": {content: contentItems, data: map[string]check{
		"align": oneOf("center", "left", "right"), "fullWidth": boolean, "withFrame": boolean,
	}},
	"image": {void: true, fragments: true, required: []string{"ref"}, data: map[string]check{
		"ref": fileOrURL, "refDark": fileOrURL, "width": length, "height": length, "alt": anyText,
	}},
	"file":    {void: true, required: []string{"ref"}, data: map[string]check{"ref": anyReference, "caption": anyText}},
	"drawing": {void: true, data: map[string]check{"ref": anyReference, "alt": anyText}},
	"embed": {void: true, required: []string{"url"}, data: map[string]check{
		"url": anyText, "fullWidth": boolean, "caption": anyText,
	}},
	"code": {content: contentItems, data: map[string]check{
		"syntax": anyText, "title": anyText, "overflow": oneOf("scroll", "wrap"), "lineNumbers": boolean,
		"fullWidth": boolean, "expandable": boolean, "collapsedLineCount": integerFrom(1), "raw": boolean,
	}},
	"code-line":    {content: contentInlines, data: map[string]check{"highlighted": boolean}},
	"math":         {void: true, required: []string{"formula"}, data: map[string]check{"formula": anyText}},
	"expandable":   {void: true, fragments: true, data: map[string]check{"open": boolean}},
	"tabs":         {content: contentItems, data: map[string]check{"fullWidth": boolean}},
	"tabs-item":    {content: contentBlocks, data: map[string]check{"title": anyText, "icon": anyText}},
	"table":        {void: true, fragments: true, required: []string{"view", "records", "definition"}},
	"stepper":      {content: contentItems},
	"stepper-step": {content: contentBlocks, data: map[string]check{"icon": anyText}},
	"columns":      {content: contentItems, data: map[string]check{"fullWidth": boolean}},
	"column": {content: contentBlocks, data: map[string]check{
		"width": length, "verticalAlignment": oneOf("top", "middle", "bottom"),
	}},
	"if":      {content: contentBlocks, required: []string{"expression"}, data: map[string]check{"expression": expression}},
	"updates": {content: contentItems, data: map[string]check{"format": anyText}},
	"update":  {content: contentBlocks, data: map[string]check{"date": anyText, "tags": anyText}},
	"content-ref": {void: true, required: []string{"ref"}, data: map[string]check{
		"ref": anyReference, "caption": anyText,
	}},
	"reusable-content": {void: true, required: []string{"ref"}, data: map[string]check{"ref": anyReference}},
	"integration": {void: true, required: []string{"integration", "block", "props"}, data: map[string]check{
		"integration": anyText, "block": anyText, "props": object, "action": object, "url": anyText, "fullWidth": boolean,
	}},
	"swagger": {void: true, required: []string{"ref"}, data: map[string]check{
		"ref": fileOrURL, "path": anyText, "method": anyText, "expanded": boolean, "fullWidth": boolean, "caption": anyText,
	}},
	"openapi-operation": {void: true, required: []string{"ref"}, data: map[string]check{
		"ref": openAPIReference, "path": anyText, "method": anyText, "caption": anyText,
	}},
	"openapi-schemas": {void: true, required: []string{"ref"}, data: map[string]check{
		"ref": openAPIReference, "schemas": texts, "grouped": boolean, "caption": anyText,
	}},
	"openapi-webhook": {void: true, required: []string{"ref"}, data: map[string]check{
		"ref": openAPIReference, "name": anyText, "method": anyText, "caption": anyText,
	}},

	"link":  {inline: true, content: contentInlines, required: []string{"ref"}, data: map[string]check{"ref": anyReference, "title": anyText}},
	"emoji": {inline: true, void: true, required: []string{"code"}, data: map[string]check{"code": emojiCode, "name": anyText}},
	"icon": {inline: true, void: true, required: []string{"icon"}, data: map[string]check{
		"icon": anyText, "color": oneOf(textColors...),
	}},
	"expression": {inline: true, void: true, required: []string{"expression"}, data: map[string]check{"expression": expression}},
	"inline-math": {inline: true, void: true, required: []string{"formula"}, data: map[string]check{
		"formula": anyText,
	}},
	"inline-image": {inline: true, void: true, required: []string{"ref"}, data: map[string]check{
		"ref": fileOrURL, "refDark": fileOrURL, "caption": anyText, "alt": anyText, "size": oneOf("original", "line"),
	}},
	"annotation": {inline: true, fragments: true, content: contentText},
	"mention":    {inline: true, void: true, required: []string{"ref"}, data: map[string]check{"ref": anyReference, "caption": anyText}},
	"button": {inline: true, void: true, required: []string{"label", "kind", "ref"}, data: map[string]check{
		"label": anyText, "kind": oneOf("primary", "secondary"), "icon": anyText, "ref": anyReference,
	}},
}

func heading() definition {
	return definition{content: contentInlines, data: map[string]check{
		"id": identifier, "align": oneOf(alignments...), "level": integerFrom(4),
	}}
}
