package content

import (
	"encoding/json"
	"fmt"
	"slices"

	"octavo/internal/fault"
)

// ConflictKind tells what two sides changed differently.
type ConflictKind string

// The kinds of conflicts. Ours and theirs are the sides as Merge was given
// them.
const (
	// ConflictBody: both changed a block of text.
	ConflictBody ConflictKind = "body_block"
	// ConflictTitle: both renamed.
	ConflictTitle ConflictKind = "title"
	// ConflictField: both changed the property Field of a page.
	ConflictField ConflictKind = "metadata_field"
	// ConflictMoved: both moved a page below different pages.
	ConflictMoved ConflictKind = "moved_both"
	// ConflictDeletedAndEdited: ours deleted what theirs changed, or put a
	// page below.
	ConflictDeletedAndEdited ConflictKind = "deleted_and_edited"
	// ConflictEditedAndDeleted: ours changed, or put a page below, what theirs
	// deleted.
	ConflictEditedAndDeleted ConflictKind = "edited_and_deleted"
	// ConflictSlug: the sides gave two pages in one place the same slug.
	ConflictSlug ConflictKind = "slug_clash"
	// ConflictPath: the sides gave two pages, files or reusable contents the
	// same path in the repository.
	ConflictPath ConflictKind = "path_clash"
	// ConflictOrder: both reordered the pages below Page in ways that no one
	// order satisfies.
	ConflictOrder ConflictKind = "order"
	// ConflictCycle: each side moved one page below the other's.
	ConflictCycle ConflictKind = "cycle"
	// ConflictFile: both changed the property Field of a file.
	ConflictFile ConflictKind = "file"
	// ConflictReusableContent: both changed the property Field of a reusable
	// content.
	ConflictReusableContent ConflictKind = "reusable_content"
	// ConflictVariable: both changed the variable Field of the space.
	ConflictVariable ConflictKind = "variable"
	// ConflictRepository: both changed the part Field of what is kept for
	// export.
	ConflictRepository ConflictKind = "repository"
)

// Choice is a way to settle a conflict.
type Choice string

// The choices.
const (
	ChooseOurs   Choice = "ours"
	ChooseTheirs Choice = "theirs"
	ChooseBase   Choice = "base"
	// ChooseBoth takes ours followed by theirs.
	ChooseBoth Choice = "both"
	// ChooseCustom takes what the resolution brings.
	ChooseCustom Choice = "custom"
)

// Conflict is something that both sides changed differently.
type Conflict struct {
	// ID is the same for the same conflict of the same sides.
	ID   string       `json:"id"`
	Kind ConflictKind `json:"kind"`
	// Page, File and ReusableContent say what it is about. For ConflictOrder
	// Page is the page above, empty for the root.
	Page            string `json:"page,omitempty"`
	File            string `json:"file,omitempty"`
	ReusableContent string `json:"reusableContent,omitempty"`
	// Field names the property, the variable or the part.
	Field string `json:"field,omitempty"`
	// Block is, for ConflictBody, the index of the first block of base that
	// the conflict is about; one behind the last when text was appended.
	Block int `json:"block"`
	// Base, Ours and Theirs are the values; nil stands for none. They hold the
	// source for a block, ids for places and orders, and the page, file or
	// reusable content itself where a side deleted it.
	Base   any `json:"base"`
	Ours   any `json:"ours"`
	Theirs any `json:"theirs"`
	// Choices are those that settle it.
	Choices []Choice `json:"choices"`
}

// Resolution settles the conflict with the given id.
type Resolution struct {
	Conflict string
	Choice   Choice
	// Markdown is the text for ChooseCustom of a body_block.
	Markdown *string
	// Value is the value for ChooseCustom of any other kind.
	Value any
}

// settlement is what has been decided about a conflict.
type settlement struct {
	choice Choice
	// resolution is nil when nobody decided and ours stands in.
	resolution *Resolution
	// position is the index of resolution among the options.
	position int
}

func (s settlement) invalid(field, format string, arguments ...any) error {
	return fault.Invalid(fmt.Sprintf("resolutions.%d.%s", s.position, field), format, arguments...)
}

// settle records the conflict, or finds its resolution. Without one ours is
// chosen.
func (m *merger) settle(conflict Conflict) (settlement, error) {
	id, err := m.identify(conflict)
	if err != nil {
		return settlement{}, err
	}
	conflict.ID = id
	position := slices.IndexFunc(m.resolutions, func(resolution Resolution) bool { return resolution.Conflict == conflict.ID })
	if position < 0 {
		m.conflicts = append(m.conflicts, conflict)
		return settlement{choice: ChooseOurs}, nil
	}
	m.used[position] = true
	settled := settlement{choice: m.resolutions[position].Choice, resolution: &m.resolutions[position], position: position}
	if !slices.Contains(conflict.Choices, settled.choice) {
		return settlement{}, settled.invalid("choice", "a conflict of kind %s is settled by one of %v", conflict.Kind, conflict.Choices)
	}
	m.resolved = append(m.resolved, conflict)
	return settled, nil
}

// identify returns a name that depends on what the conflict is about and on
// its sides. Of several that are alike, each gets its own.
func (m *merger) identify(conflict Conflict) (string, error) {
	description := struct {
		Kind                               ConflictKind
		Page, File, ReusableContent, Field string
		Base, Ours, Theirs                 any
		Repetition                         int
	}{
		conflict.Kind, conflict.Page, conflict.File, conflict.ReusableContent, conflict.Field,
		conflict.Base, conflict.Ours, conflict.Theirs, 0,
	}
	for {
		data, err := json.Marshal(description)
		if err != nil {
			return "", fmt.Errorf("name a conflict: %w", err)
		}
		id := string(HashOf(data)[:32])
		if !m.named[id] {
			m.named[id] = true
			return id, nil
		}
		description.Repetition++
	}
}

// checkResolutions refuses resolutions that settle nothing: their conflict is
// of other sides, or there are two for one.
func (m *merger) checkResolutions() error {
	for position, resolution := range m.resolutions {
		if !m.used[position] {
			err := fault.New(fault.Conflict, "there is no conflict %q any more: one of the sides has changed, or it is settled twice", resolution.Conflict)
			err.Field = fmt.Sprintf("resolutions.%d.conflict", position)
			return err
		}
	}
	return nil
}

// pick returns the value that the choice stands for; custom is returned as it
// is for ChooseCustom.
func pick[Value any](choice Choice, base, ours, theirs, custom Value) Value {
	switch choice {
	case ChooseBase:
		return base
	case ChooseTheirs:
		return theirs
	case ChooseCustom:
		return custom
	}
	return ours
}

var (
	sideChoices   = []Choice{ChooseOurs, ChooseTheirs}
	plainChoices  = []Choice{ChooseOurs, ChooseTheirs, ChooseBase}
	customChoices = []Choice{ChooseOurs, ChooseTheirs, ChooseBase, ChooseCustom}
	textChoices   = []Choice{ChooseOurs, ChooseTheirs, ChooseBase, ChooseBoth, ChooseCustom}
)
