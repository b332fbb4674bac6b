package customization

const (
	maximumLinks      = 50
	maximumName       = 128
	maximumExpression = 1024
)

var (
	themedColor   = object{map[string]member{"light": required(color{}), "dark": required(color{})}}
	themedAddress = object{map[string]member{"light": required(address{}), "dark": required(address{})}}
	link          = object{map[string]member{"title": required(text{0, 64}), "to": required(reference{})}}
	fontFace      = object{map[string]member{
		"weight": required(number{1, 1000}),
		"sources": required(list{object{map[string]member{
			"url": required(address{}), "format": optional(choice{"woff2", "woff"}),
		}}, 10}),
	}}
	font = object{map[string]member{
		"id": required(text{1, maximumName}), "custom": required(truth{}), "fontFamily": required(text{1, 50}), "fontFaces": required(list{fontFace, 20}),
	}}
	fonts = choice{
		"ABCFavorit", "Inter", "Roboto", "RobotoSlab", "OpenSans", "SourceSansPro", "Lato", "Ubuntu", "Raleway",
		"Merriweather", "Overpass", "NotoSans", "IBMPlexSerif", "Poppins", "FiraSans",
	}
	monospaceFonts = choice{
		"FiraCode", "IBMPlexMono", "JetBrainsMono", "SourceCodePro", "RobotoMono", "SpaceMono", "DMMono", "Inconsolata",
	}
	favicon = either{
		object{map[string]member{"icon": required(themedAddress)}},
		object{map[string]member{"emoji": required(text{1, 50})}},
		object{},
	}
	headerItem = object{map[string]member{
		"title": required(text{0, maximumName}), "style": optional(choice{"link", "button-primary", "button-secondary"}),
		"to": required(nullable{reference{}}), "links": required(list{link, maximumLinks}),
		"condition": optional(text{0, maximumExpression}),
	}}
	footerGroup  = object{map[string]member{"title": required(text{0, maximumName}), "links": required(list{link, maximumLinks})}}
	announcement = object{map[string]member{
		"enabled": required(truth{}), "message": required(text{2, 128}), "link": optional(link),
		"style": required(choice{"info", "warning", "danger", "success"}),
	}}
)

// whole is the customization of a site.
var whole = group{map[string]member{
	"title": optional(text{2, 128}),
	"styling": required(group{map[string]member{
		"theme": required(choice{"clean", "muted", "bold", "gradient"}), "primaryColor": required(themedColor),
		"tint":      optional(object{map[string]member{"color": required(themedColor)}}),
		"infoColor": required(themedColor), "successColor": required(themedColor),
		"warningColor": required(themedColor), "dangerColor": required(themedColor),
		"corners": required(choice{"straight", "rounded", "circular"}), "depth": required(choice{"subtle", "flat"}),
		"links": required(choice{"default", "accent"}),
		"font":  required(either{fonts, font}), "monospaceFont": required(either{monospaceFonts, font}),
		"background": required(choice{"plain", "match"}), "icons": required(choice{"regular", "solid", "duotone", "light", "thin"}),
		"sidebar": required(group{map[string]member{
			"background": required(choice{"default", "filled"}), "list": required(choice{"default", "pill", "line"}),
		}}),
		"search": required(choice{"prominent", "subtle"}),
	}}),
	"internationalization": required(group{map[string]member{
		"locale": required(choice{"en", "fr", "es", "zh", "ja", "de", "nl", "no", "pt-br", "ru"}),
	}}),
	"favicon": required(favicon),
	"header": required(group{map[string]member{
		"preset": required(choice{"default", "bold", "contrast", "custom", "none"}), "logo": optional(themedAddress),
		"backgroundColor": optional(themedColor), "linkColor": optional(themedColor), "links": required(list{headerItem, maximumLinks}),
	}}),
	"footer": required(group{map[string]member{
		"logo": optional(themedAddress), "groups": required(list{footerGroup, maximumLinks}), "copyright": optional(text{0, 300}),
	}}),
	"announcement": optional(announcement),
	"themes": required(group{map[string]member{
		"default": required(choice{"light", "dark"}), "toggeable": required(truth{}),
	}}),
	"pdf":                   required(enabled),
	"feedback":              required(enabled),
	"ai":                    required(group{map[string]member{"mode": required(choice{"none", "search", "assistant"})}}),
	"advancedCustomization": required(enabled),
	"git":                   required(group{map[string]member{"showEditLink": required(truth{})}}),
	"pageActions": required(group{map[string]member{
		"externalAI": required(truth{}), "markdown": required(truth{}), "mcp": required(truth{}),
	}}),
	"externalLinks": required(group{map[string]member{"target": required(choice{"self", "blank"})}}),
	"pagination":    required(enabled),
	"trademark":     required(enabled),
	"privacyPolicy": required(group{map[string]member{"url": optional(address{})}}),
	"socialPreview": required(group{map[string]member{"url": optional(address{})}}),
	"insights":      required(group{map[string]member{"trackingCookie": required(truth{})}}),
}}

var enabled = group{map[string]member{"enabled": required(truth{})}}
