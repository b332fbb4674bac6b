package content

import (
	"slices"
)

// MergeOptions say how a merge settles its conflicts.
type MergeOptions struct {
	// Resolutions settle conflicts that an earlier merge of the same trees
	// reported.
	Resolutions []Resolution
}

// MergeResult is what Merge makes of three trees.
type MergeResult struct {
	// Tree is valid even when there are conflicts: it has ours where a
	// conflict is not settled.
	Tree *Tree
	// Bodies holds the text that the merge made.
	Bodies *Memory
	// Conflicts are those that are not settled.
	Conflicts []Conflict
	// Resolved are those that the resolutions settled.
	Resolved []Conflict
}

// Merge brings together what ours and theirs changed since base.
//
// Pages, files and reusable contents are matched by id, page properties are
// merged one by one, the order of siblings pair by pair, and text first by
// front matter property and block, then by line. What only one side changed,
// or both changed alike, is taken; the rest is a Conflict. A page that only
// one side keeps, but that the other deleted together with the page above, is
// never dropped: it moves up to the nearest ancestor that is left.
//
// Errors: Conflict when a resolution names no conflict of these trees,
// BadUserInput when it does not suit its conflict.
func Merge(base, ours, theirs *Tree, bodies Bodies, options MergeOptions) (*MergeResult, error) {
	m := newMerger(base, ours, theirs, bodies, options)
	tree, err := m.merge()
	if err != nil {
		return nil, err
	}
	if err := m.checkResolutions(); err != nil {
		return nil, err
	}
	m.bodies.keepOnly(tree)
	return &MergeResult{Tree: tree, Bodies: m.bodies, Conflicts: m.conflicts, Resolved: m.resolved}, nil
}

// merger is the state of one Merge.
type merger struct {
	base, ours, theirs *Tree
	bodies             *Memory
	resolutions        []Resolution
	used               []bool
	named              map[string]bool
	conflicts          []Conflict
	resolved           []Conflict
}

func newMerger(base, ours, theirs *Tree, bodies Bodies, options MergeOptions) *merger {
	return &merger{
		base: base, ours: ours, theirs: theirs,
		bodies:      NewMemory(bodies),
		resolutions: options.Resolutions,
		used:        make([]bool, len(options.Resolutions)),
		named:       map[string]bool{},
	}
}

func (m *merger) merge() (*Tree, error) {
	if equalTrees(m.base, m.ours) {
		return m.theirs, nil
	}
	if equalTrees(m.base, m.theirs) || equalTrees(m.ours, m.theirs) {
		return m.ours, nil
	}
	pages, err := m.mergePages()
	if err != nil {
		return nil, err
	}
	files, err := m.mergeFiles()
	if err != nil {
		return nil, err
	}
	reusableContents, err := m.mergeReusableContents()
	if err != nil {
		return nil, err
	}
	variables, err := m.mergeMap(Conflict{Kind: ConflictVariable}, m.base.Variables, m.ours.Variables, m.theirs.Variables)
	if err != nil {
		return nil, err
	}
	repository, err := m.mergeRepository()
	if err != nil {
		return nil, err
	}
	merged := &Tree{
		Pages: pages, Files: files, ReusableContents: reusableContents, Redirects: m.mergeRedirects(),
		Variables: variables, Repository: repository,
	}
	for _, side := range []*Tree{m.base, m.ours, m.theirs} {
		FollowMoves(side, merged)
	}
	return merged, nil
}

// versions are the three states of one thing; nil where it is missing.
type versions[Entry any] struct {
	base, ours, theirs *Entry
}

// later returns the version of the side that changed, when only one did or
// both did alike.
func (v versions[Entry]) agreed(equal func(a, b *Entry) bool) (*Entry, bool) {
	same := func(a, b *Entry) bool {
		return a == b || a != nil && b != nil && equal(a, b)
	}
	switch {
	case same(v.base, v.ours):
		return v.theirs, true
	case same(v.base, v.theirs), same(v.ours, v.theirs):
		return v.ours, true
	}
	return nil, false
}

// agreedValue returns the value of the side that changed it, when only one did
// or both did alike.
func agreedValue[Value any](base, ours, theirs Value, equal func(a, b Value) bool) (value Value, agreed bool) {
	switch {
	case equal(base, ours):
		return theirs, true
	case equal(base, theirs), equal(ours, theirs):
		return ours, true
	}
	return ours, false
}

func equalText[Text ~string](a, b Text) bool { return a == b }

// mergeValue merges one property. check, which may be nil when the conflict
// admits no custom value, returns why a custom value is wrong.
func (m *merger) mergeValue(conflict Conflict, base, ours, theirs any, check func(value any) string) (any, error) {
	if value, agreed := agreedValue(base, ours, theirs, equalValues); agreed {
		return value, nil
	}
	conflict.Base, conflict.Ours, conflict.Theirs = base, ours, theirs
	conflict.Choices = plainChoices
	if check != nil {
		conflict.Choices = customChoices
	}
	settled, err := m.settle(conflict)
	if err != nil {
		return nil, err
	}
	if settled.choice != ChooseCustom {
		return pick(settled.choice, base, ours, theirs, nil), nil
	}
	if problem := check(settled.resolution.Value); problem != "" {
		return nil, settled.invalid("value", "%s", problem)
	}
	return settled.resolution.Value, nil
}

// mergeMap merges variables by name.
func (m *merger) mergeMap(conflict Conflict, base, ours, theirs map[string]any) (map[string]any, error) {
	if value, agreed := agreedValue(base, ours, theirs, equalMaps[any]); agreed {
		return value, nil
	}
	prefix := conflict.Field
	merged := map[string]any{}
	for _, name := range unionOfKeys(base, ours, theirs) {
		conflict.Field = prefix + name
		value, err := m.mergeValue(conflict, base[name], ours[name], theirs[name], func(value any) string {
			return CheckVariables(map[string]any{name: value})
		})
		if err != nil {
			return nil, err
		}
		if value != nil {
			merged[name] = value
		}
	}
	return merged, nil
}

// eachVersion visits what any of three lists sorted by id holds, in the order
// of the ids.
func eachVersion[Entry any](base, ours, theirs []*Entry, identify func(*Entry) string, visit func(id string, found versions[Entry]) error) error {
	all := map[string]versions[Entry]{}
	for _, entry := range base {
		all[identify(entry)] = versions[Entry]{base: entry}
	}
	for _, entry := range ours {
		found := all[identify(entry)]
		found.ours = entry
		all[identify(entry)] = found
	}
	for _, entry := range theirs {
		found := all[identify(entry)]
		found.theirs = entry
		all[identify(entry)] = found
	}
	for _, id := range unionOfKeys(all) {
		if err := visit(id, all[id]); err != nil {
			return err
		}
	}
	return nil
}

// settleDeletion asks which side prevails when one deleted what the other
// changed, and returns the version that stays, nil for none.
func settleDeletion[Entry any](m *merger, conflict Conflict, found versions[Entry]) (*Entry, error) {
	conflict.Kind, conflict.Choices = ConflictEditedAndDeleted, plainChoices
	if found.ours == nil {
		conflict.Kind = ConflictDeletedAndEdited
	}
	conflict.Base, conflict.Ours, conflict.Theirs = entryValue(found.base), entryValue(found.ours), entryValue(found.theirs)
	settled, err := m.settle(conflict)
	if err != nil {
		return nil, err
	}
	return pick(settled.choice, found.base, found.ours, found.theirs, nil), nil
}

// entryValue keeps a missing entry a plain nil.
func entryValue[Entry any](entry *Entry) any {
	return present(entry, entry != nil)
}

// mergeOrder merges three orders of the same members. Lists may lack members
// and hold others; every member that ours or theirs has is in the result. Of
// two members the one comes first that the side says which changed their
// order; agreed is false, and the order that of ours, when that runs in a
// circle. What only one side has follows what it follows there.
func mergeOrder(base, ours, theirs []string, members map[string]bool) (order []string, agreed bool) {
	inOurs, inTheirs := setOf(ours), setOf(theirs)
	shared := func(id string) bool { return members[id] && inOurs[id] && inTheirs[id] }
	oursShared, theirsShared := filter(ours, shared), filter(theirs, shared)
	middle, agreed := mergeSharedOrder(filter(base, shared), oursShared, theirsShared)
	oursRuns := runsAfter(ours, members, shared)
	theirsRuns := runsAfter(theirs, members, shared)
	emit := func(anchor string) {
		first, second := oursRuns[anchor], theirsRuns[anchor]
		if len(first) > 0 && len(second) > 0 && second[0] < first[0] {
			first, second = second, first
		}
		order = append(append(order, first...), second...)
	}
	emit("")
	for _, id := range middle {
		order = append(order, id)
		emit(id)
	}
	return order, agreed
}

// runsAfter groups the members that are not shared by the shared member they
// follow, the empty id for the beginning.
func runsAfter(list []string, members map[string]bool, shared func(string) bool) map[string][]string {
	runs := map[string][]string{}
	anchor := ""
	for _, id := range list {
		switch {
		case shared(id):
			anchor = id
		case members[id]:
			runs[anchor] = append(runs[anchor], id)
		}
	}
	return runs
}

func mergeSharedOrder(base, ours, theirs []string) (order []string, agreed bool) {
	if order, agreed := agreedValue(base, ours, theirs, slices.Equal[[]string]); agreed {
		return order, true
	}
	start, end := 0, len(ours)
	if len(base) == len(ours) {
		for ours[start] == theirs[start] && ours[start] == base[start] {
			start++
		}
		for ours[end-1] == theirs[end-1] && ours[end-1] == base[end-1] {
			end--
		}
		base = base[start:end]
	}
	middle, transitive := mergePairs(base, ours[start:end], theirs[start:end])
	if !transitive {
		return ours, false
	}
	return slices.Concat(ours[:start], middle, ours[end:]), true
}

// mergePairs orders what ours and theirs both hold by merging the order of
// each pair.
func mergePairs(base, ours, theirs []string) (order []string, transitive bool) {
	inBase, inTheirs := positionsOf(base), positionsOf(theirs)
	precedes := func(position, other int) bool { // positions in ours, position < other
		first, second := ours[position], ours[other]
		if inTheirs[first] < inTheirs[second] {
			return true
		}
		baseFirst, known := inBase[first]
		baseSecond, knownToo := inBase[second]
		if known && knownToo {
			return baseSecond < baseFirst
		}
		return first < second
	}
	followers := make([]int, len(ours))
	for position := range ours {
		for other := position + 1; other < len(ours); other++ {
			if precedes(position, other) {
				followers[position]++
			} else {
				followers[other]++
			}
		}
	}
	// The order runs in no circle exactly when no two members have the same
	// number of followers.
	order = make([]string, len(ours))
	for position, id := range ours {
		place := len(ours) - 1 - followers[position]
		if order[place] != "" {
			return nil, false
		}
		order[place] = id
	}
	return order, true
}

func positionsOf(list []string) map[string]int {
	positions := make(map[string]int, len(list))
	for position, id := range list {
		positions[id] = position
	}
	return positions
}

func setOf[Member comparable](list []Member) map[Member]bool {
	set := make(map[Member]bool, len(list))
	for _, member := range list {
		set[member] = true
	}
	return set
}

func filter(list []string, keep func(string) bool) []string {
	var kept []string
	for _, id := range list {
		if keep(id) {
			kept = append(kept, id)
		}
	}
	return kept
}
