package content

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// frontMatterEntry is a property of front matter as it is written: its line,
// and the lines up to the next property.
type frontMatterEntry struct {
	key  string
	text string
}

// frontMatterText is front matter taken apart. Together the parts are the
// whole.
type frontMatterText struct {
	opening, closing string
	entries          []frontMatterEntry
}

var frontMatterKey = regexp.MustCompile(`^("[^"]*"|'[^']*'|[^\s#'"\[\]{}:,&*!|>%@-][^:]*?)\s*:(\s|$)`)

func parseFrontMatterText(frontMatter []byte) frontMatterText {
	lines := splitLines(frontMatter)
	if len(lines) < 2 {
		return frontMatterText{}
	}
	last := len(lines) - 1
	for last > 1 && isSeparator(lines[last]) {
		last--
	}
	parsed := frontMatterText{opening: lines[0], closing: strings.Join(lines[last:], "")}
	repetitions := map[string]int{}
	for _, line := range lines[1:last] {
		if match := frontMatterKey.FindStringSubmatch(line); match != nil {
			key := strings.Trim(match[1], `"'`)
			repetitions[key]++
			if repetitions[key] > 1 {
				key += "#" + strconv.Itoa(repetitions[key])
			}
			parsed.entries = append(parsed.entries, frontMatterEntry{key: key})
		}
		if len(parsed.entries) == 0 {
			parsed.entries = append(parsed.entries, frontMatterEntry{})
		}
		parsed.entries[len(parsed.entries)-1].text += line
	}
	return parsed
}

func (t frontMatterText) keys() []string {
	keys := make([]string, len(t.entries))
	for position, entry := range t.entries {
		keys[position] = entry.key
	}
	return keys
}

func (t frontMatterText) byKey() map[string]string {
	texts := make(map[string]string, len(t.entries))
	for _, entry := range t.entries {
		texts[entry.key] = entry.text
	}
	return texts
}

// mergeFrontMatter merges front matter property by property, as it is written.
func (m *merger) mergeFrontMatter(conflict Conflict, base, ours, theirs []byte) ([]byte, error) {
	if frontMatter, agreed := agreedValue(string(base), string(ours), string(theirs), equalText[string]); agreed {
		return []byte(frontMatter), nil
	}
	baseParts, oursParts, theirsParts := parseFrontMatterText(base), parseFrontMatterText(ours), parseFrontMatterText(theirs)
	texts, err := m.mergeEntries(conflict, baseParts.byKey(), oursParts.byKey(), theirsParts.byKey())
	if err != nil {
		return nil, err
	}
	members := map[string]bool{}
	for key := range texts {
		members[key] = true
	}
	// Where the sides want different orders, that of ours is as good: order
	// means nothing in front matter.
	order, _ := mergeOrder(shifted(baseParts.keys()), shifted(oursParts.keys()), shifted(theirsParts.keys()), setOf(shifted(unionOfKeys(members))))
	if len(order) == 0 && (len(ours) == 0 || len(theirs) == 0) {
		return nil, nil
	}
	var merged strings.Builder
	opening := mergeFence(baseParts.opening, oursParts.opening, theirsParts.opening)
	closing := mergeFence(baseParts.closing, oursParts.closing, theirsParts.closing)
	merged.WriteString(opening)
	for _, key := range order {
		merged.WriteString(texts[key[1:]])
	}
	merged.WriteString(closing)
	return []byte(merged.String()), nil
}

// shifted puts a letter before each key: mergeOrder takes no empty ids, and
// the lines before the first property have an empty key.
func shifted(keys []string) []string {
	shifted := make([]string, len(keys))
	for position, key := range keys {
		shifted[position] = "k" + key
	}
	return shifted
}

// mergeFence merges the line before or after the properties. It is needed even
// where one side has none.
func mergeFence(base, ours, theirs string) string {
	if fence, agreed := agreedValue(base, ours, theirs, equalText[string]); agreed && fence != "" {
		return fence
	}
	return max(ours, theirs)
}

func (m *merger) mergeEntries(conflict Conflict, base, ours, theirs map[string]string) (map[string]string, error) {
	merged := map[string]string{}
	for _, key := range unionOfKeys(base, ours, theirs) {
		text, err := m.mergeEntry(conflict, key, base[key], ours[key], theirs[key])
		if err != nil {
			return nil, err
		}
		if text != "" {
			merged[key] = text
		}
	}
	return merged, nil
}

// mergeEntry merges one property. Those that pages model have been settled
// before and differ in how they are written at most: the sides then count the
// same, and the choice between them must not depend on which is which.
func (m *merger) mergeEntry(conflict Conflict, key, base, ours, theirs string) (string, error) {
	if text, agreed := agreedValue(base, ours, theirs, equalText[string]); agreed {
		return text, nil
	}
	if conflict.Page != "" && isModelled(key) {
		return max(ours, theirs), nil
	}
	conflict.Kind, conflict.Field, conflict.Block = ConflictField, "frontMatter."+key, 0
	if conflict.Page == "" {
		conflict.Kind = ConflictReusableContent
	}
	value, err := m.mergeValue(conflict, present(base, base != ""), present(ours, ours != ""), present(theirs, theirs != ""), nil)
	text, _ := value.(string)
	return text, err
}

// modelledKeys are the properties of front matter that pages have fields for.
var modelledKeys = []string{"title", "layout", "cover", "coverDark", "coverY", "coverHeight"}

func isModelled(key string) bool {
	if slices.Contains(modelledKeys, key) {
		return true
	}
	for _, modelled := range frontMatterKeys {
		if key == modelled {
			return true
		}
	}
	return false
}
