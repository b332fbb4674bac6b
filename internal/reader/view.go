package reader

import (
	"encoding/json"
	"html/template"
	"time"

	"octavo/internal/hypertext"
)

// view is what the templates show.
type view struct {
	Language, DocumentTitle, Description string
	// Classes of the page, by the customization.
	Classes, DefaultTheme string
	Robots, Canonical     string
	SocialImage           string
	MarkdownAddress       string
	FeedAddress           string
	Alternates            []alternate
	Assets                assetAddresses
	Words                 words
	Site                  siteView
	Announcement          *announcement
	HeaderLinks           []navigationLink
	ThemeToggle           bool
	SearchAddress         string
	SearchSource          string
	Query                 string
	Sections              []navigationLink
	ShowSidebar, Narrow   bool
	Variant               string
	Variants              []navigationLink
	Tree                  []treeItem
	Contents              []hypertext.Heading
	MainClass             string
	Footer                *footer
	// NewWindow opens links of the page to other hosts in a window of their own.
	NewWindow bool

	// Of a page.
	Breadcrumbs    []navigationLink
	Page           pageView
	Actions        []navigationLink
	Previous, Next *navigationLink
	EditAddress    string

	// Of a search.
	ResultsSummary string
	Results        []result
	NextResults    string

	// Of a page that is missing.
	Suggestions []navigationLink
}

type alternate struct{ Language, Address string }

type assetAddresses struct{ Style, Theme, Script, ThemeScript string }

type siteView struct {
	Title, Home, Emoji   string
	LogoLight, LogoDark  string
	Favicon, FaviconDark string
}

type navigationLink struct {
	Title, Description, Address, Class, Action string
	Current, NewWindow                         bool
	Links, Children                            []navigationLink
}

type treeItem struct {
	Title, Emoji, Address string
	Current, Open, Group  bool
	NewWindow             bool
	Children              []treeItem
}

type announcement struct {
	Message, Style string
	Link           *navigationLink
}

type footer struct {
	LogoLight, LogoDark      string
	Copyright, PrivacyPolicy string
	Groups                   []footerGroup
}

type footerGroup struct {
	Title string
	Links []navigationLink
}

type pageView struct {
	Title, Description, Emoji                           string
	Cover, CoverDark, CoverSize                         string
	ShowCover, ShowTitle, ShowDescription, ShowMetadata bool
	Body                                                template.HTML
	UpdatedAt                                           *moment
}

type moment struct{ Machine, People string }

// momentOf writes a time as everybody reads it; the script writes it as people of
// the page's language do.
func momentOf(at time.Time) *moment {
	if at.IsZero() {
		return nil
	}
	return &moment{at.UTC().Format(time.RFC3339), at.UTC().Format(time.DateOnly)}
}

type result struct {
	Title, Place, Address, Excerpt string
	Sections                       []result
}

// customization is what the pages honour of the settings of a site.
type customization struct {
	Title   string `json:"title"`
	Styling struct {
		Theme        string          `json:"theme"`
		PrimaryColor themed          `json:"primaryColor"`
		InfoColor    themed          `json:"infoColor"`
		SuccessColor themed          `json:"successColor"`
		WarningColor themed          `json:"warningColor"`
		DangerColor  themed          `json:"dangerColor"`
		Corners      string          `json:"corners"`
		Depth        string          `json:"depth"`
		Links        string          `json:"links"`
		Background   string          `json:"background"`
		Font         json.RawMessage `json:"font"`
		Monospace    json.RawMessage `json:"monospaceFont"`
		Search       string          `json:"search"`
		Sidebar      struct {
			Background string `json:"background"`
			List       string `json:"list"`
		} `json:"sidebar"`
	} `json:"styling"`
	Internationalization struct {
		Locale string `json:"locale"`
	} `json:"internationalization"`
	Favicon struct {
		Icon  *themed `json:"icon"`
		Emoji string  `json:"emoji"`
	} `json:"favicon"`
	Header struct {
		Preset     string       `json:"preset"`
		Logo       *themed      `json:"logo"`
		Background *themed      `json:"backgroundColor"`
		LinkColor  *themed      `json:"linkColor"`
		Links      []headerLink `json:"links"`
	} `json:"header"`
	Footer struct {
		Logo   *themed `json:"logo"`
		Groups []struct {
			Title string       `json:"title"`
			Links []headerLink `json:"links"`
		} `json:"groups"`
		Copyright string `json:"copyright"`
	} `json:"footer"`
	Announcement *struct {
		Enabled bool        `json:"enabled"`
		Message string      `json:"message"`
		Style   string      `json:"style"`
		Link    *headerLink `json:"link"`
	} `json:"announcement"`
	Themes struct {
		Default    string `json:"default"`
		Toggleable bool   `json:"toggeable"` // spelt so in the contract
	} `json:"themes"`
	Pagination  enabled `json:"pagination"`
	PageActions struct {
		Markdown bool `json:"markdown"`
	} `json:"pageActions"`
	Git struct {
		ShowEditLink bool `json:"showEditLink"`
	} `json:"git"`
	ExternalLinks struct {
		Target string `json:"target"`
	} `json:"externalLinks"`
	PrivacyPolicy struct {
		URL string `json:"url"`
	} `json:"privacyPolicy"`
	SocialPreview struct {
		URL string `json:"url"`
	} `json:"socialPreview"`
}

type themed struct {
	Light string `json:"light"`
	Dark  string `json:"dark"`
}

type enabled struct {
	Enabled bool `json:"enabled"`
}

type headerLink struct {
	Title     string         `json:"title"`
	Style     string         `json:"style"`
	To        map[string]any `json:"to"`
	Condition *string        `json:"condition"`
	Links     []headerLink   `json:"links"`
}
