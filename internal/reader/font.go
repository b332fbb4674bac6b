package reader

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// customFont is a font that a customization brings along.
type customFont struct {
	Family string `json:"fontFamily"`
	Faces  []struct {
		Weight  int `json:"weight"`
		Sources []struct {
			URL    string `json:"url"`
			Format string `json:"format"`
		} `json:"sources"`
	} `json:"fontFaces"`
}

// families are the names that devices know fonts of the customization by, where
// they differ from its own.
var families = map[string]string{
	"RobotoSlab": "Roboto Slab", "OpenSans": "Open Sans", "SourceSansPro": "Source Sans 3", "NotoSans": "Noto Sans", "IBMPlexSerif": "IBM Plex Serif",
	"FiraSans": "Fira Sans", "ABCFavorit": "ABC Favorit", "FiraCode": "Fira Code", "IBMPlexMono": "IBM Plex Mono", "JetBrainsMono": "JetBrains Mono",
	"SourceCodePro": "Source Code Pro", "RobotoMono": "Roboto Mono", "SpaceMono": "Space Mono", "DMMono": "DM Mono",
}

// familyPattern is what a family is called: nothing that could leave its quotes.
var familyPattern = regexp.MustCompile(`^[\pL\pN _-]{1,50}$`)

// fontOf reads a font of the customization: the name of a known one, or one that
// it brings along. The family is empty for what cannot be used.
func fontOf(setting json.RawMessage) (family string, custom *customFont) {
	var name string
	if json.Unmarshal(setting, &name) == nil {
		if known := families[name]; known != "" {
			name = known
		}
		return name, nil
	}
	var own customFont
	if json.Unmarshal(setting, &own) != nil || !familyPattern.MatchString(own.Family) {
		return "", nil
	}
	return own.Family, &own
}

// fonts are the settings of fonts, by the properties of reader.css.
func fonts(settings *customization) []struct {
	property string
	setting  json.RawMessage
} {
	return []struct {
		property string
		setting  json.RawMessage
	}{{"--site-font", settings.Styling.Font}, {"--site-mono", settings.Styling.Monospace}}
}

// fontRules prefer the fonts of the customization: those that it brings along,
// and the others where the reader's device has them.
func fontRules(settings *customization) string {
	var rules strings.Builder
	for _, font := range fonts(settings) {
		if family, _ := fontOf(font.setting); family != "" {
			fmt.Fprintf(&rules, "  %s: \"%s\",;\n", font.property, family)
		}
	}
	return rules.String()
}

// fontFaces load the fonts that the customization brings along, from the site.
func fontFaces(settings *customization) string {
	var rules strings.Builder
	for _, font := range fonts(settings) {
		family, custom := fontOf(font.setting)
		if custom == nil {
			continue
		}
		for _, face := range custom.Faces {
			var sources []string
			for _, source := range face.Sources {
				location := "url(\"elsewhere/" + digestOf(source.URL) + "\")"
				if slices.Contains([]string{"woff", "woff2"}, source.Format) {
					location += " format(\"" + source.Format + "\")"
				}
				sources = append(sources, location)
			}
			if len(sources) > 0 {
				fmt.Fprintf(&rules, "@font-face { font-family: \"%s\"; font-weight: %d; font-display: swap; src: %s; }\n", family, face.Weight, strings.Join(sources, ", "))
			}
		}
	}
	return rules.String()
}

// fontAddresses are where the fonts that the customization brings along lie.
func fontAddresses(settings *customization) []string {
	var addresses []string
	for _, font := range fonts(settings) {
		_, custom := fontOf(font.setting)
		if custom == nil {
			continue
		}
		for _, face := range custom.Faces {
			for _, source := range face.Sources {
				addresses = append(addresses, source.URL)
			}
		}
	}
	return addresses
}

// isSerif tells whether a font is one with serifs, for devices that lack it.
func isSerif(setting json.RawMessage) bool {
	return slices.Contains([]string{`"Merriweather"`, `"RobotoSlab"`, `"IBMPlexSerif"`}, string(setting))
}
