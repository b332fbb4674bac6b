package reader

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var colorPattern = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

// The darkest surface of light pages and the lightest one of dark pages, as
// reader.css mixes them: texts have to be readable on both.
const (
	lightBackground = "#e9edf2"
	darkBackground  = "#272e37"
	// leastContrast is what WCAG 2.2 asks of text (1.4.3).
	leastContrast = 4.5
)

// themeSheet sets the colours of the customization, made darker or lighter as
// far as it takes to be read.
func themeSheet(settings *customization) string {
	var sheet strings.Builder
	sheet.WriteString(":root {\n")
	for _, color := range []struct {
		name   string
		values themed
	}{
		{"primary", settings.Styling.PrimaryColor}, {"info", settings.Styling.InfoColor}, {"success", settings.Styling.SuccessColor},
		{"warning", settings.Styling.WarningColor}, {"danger", settings.Styling.DangerColor},
	} {
		light, dark := readable(color.values.Light, lightBackground), readable(color.values.Dark, darkBackground)
		if light != "" {
			fmt.Fprintf(&sheet, "  --%s-light: %s; --on-%s-light: %s;\n", color.name, light, color.name, opposite(light))
		}
		if dark != "" {
			fmt.Fprintf(&sheet, "  --%s-dark: %s; --on-%s-dark: %s;\n", color.name, dark, color.name, opposite(dark))
		}
	}
	sheet.WriteString(fontRules(settings))
	sheet.WriteString(headerRules(settings))
	sheet.WriteString("}\n")
	sheet.WriteString(fontFaces(settings))
	return sheet.String()
}

// headerRules are the colours of a header that the customization colours itself;
// its links are made readable on its background.
func headerRules(settings *customization) string {
	header := settings.Header
	if header.Preset != "custom" || header.Background == nil || !colorPattern.MatchString(header.Background.Light) || !colorPattern.MatchString(header.Background.Dark) {
		return ""
	}
	rules := fmt.Sprintf("  --header-background: light-dark(%s, %s);\n", header.Background.Light, header.Background.Dark)
	links := themed{Light: opposite(header.Background.Light), Dark: opposite(header.Background.Dark)}
	if header.LinkColor != nil {
		links.Light = cmp.Or(readable(header.LinkColor.Light, header.Background.Light), links.Light)
		links.Dark = cmp.Or(readable(header.LinkColor.Dark, header.Background.Dark), links.Dark)
	}
	return rules + fmt.Sprintf("  --header-link: light-dark(%s, %s);\n", links.Light, links.Dark)
}

func themeVersion(settings *customization) string {
	sum := sha256.Sum256([]byte(themeSheet(settings)))
	return hex.EncodeToString(sum[:6])
}

// readable is a colour that can be read on a background: the given one, or the
// nearest mix of it with black or white that can. Empty for what is no colour.
func readable(color, background string) string {
	if !colorPattern.MatchString(color) {
		return ""
	}
	given, behind := parseColor(color), parseColor(background)
	target := [3]float64{0, 0, 0}
	if luminance(behind) < 0.5 {
		target = [3]float64{255, 255, 255}
	}
	for step := 0.0; step <= 1; step += 0.05 {
		var mixed [3]float64
		for index := range mixed {
			mixed[index] = math.Round(given[index]*(1-step) + target[index]*step)
		}
		if contrast(mixed, behind) >= leastContrast {
			return formatColor(mixed)
		}
	}
	return formatColor(target)
}

// opposite is black or white, whichever reads better on a colour.
func opposite(color string) string {
	given := parseColor(color)
	if contrast(given, [3]float64{255, 255, 255}) >= contrast(given, [3]float64{16, 21, 28}) {
		return "#ffffff"
	}
	return "#10151c"
}

func parseColor(color string) [3]float64 {
	digits := strings.TrimPrefix(color, "#")
	if len(digits) == 3 {
		digits = strings.Join([]string{digits[:1], digits[:1], digits[1:2], digits[1:2], digits[2:], digits[2:]}, "")
	}
	var parts [3]float64
	for index := range parts {
		// The pattern admits hexadecimal digits only.
		value, _ := strconv.ParseUint(digits[2*index:2*index+2], 16, 8)
		parts[index] = float64(value)
	}
	return parts
}

func formatColor(parts [3]float64) string {
	return fmt.Sprintf("#%02x%02x%02x", int(parts[0]), int(parts[1]), int(parts[2]))
}

// luminance and contrast are those of WCAG 2.2.
func luminance(parts [3]float64) float64 {
	var linear [3]float64
	for index, part := range parts {
		part /= 255
		if part <= 0.04045 {
			linear[index] = part / 12.92
		} else {
			linear[index] = math.Pow((part+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}

func contrast(a, b [3]float64) float64 {
	first, second := luminance(a), luminance(b)
	return (max(first, second) + 0.05) / (min(first, second) + 0.05)
}
