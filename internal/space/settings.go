package space

import (
	"context"
	"net/url"
	"time"
	"unicode/utf8"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/mergerule"
	"octavo/internal/organization"
)

const (
	maximumTitle = 50
	maximumEmoji = 50
	maximumIcon  = 2048
)

// Languages that a space can be written in.
var Languages = []string{
	"en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "yue", "ko", "ar", "hi", "nl", "pl", "tr", "sv",
	"no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk", "bg", "hr", "lt", "lv", "et", "sl",
}

// Changes to the settings of a space; nil leaves a setting as it is, an empty
// Emoji, Icon or Language removes it.
type Changes struct {
	Title        *string
	Emoji        *string
	Icon         *string
	Language     *string
	EditMode     *enum.EditMode
	DefaultLevel *access.Role
	MergeRules   *mergerule.Rules
}

// Update changes the settings of a space. Its name, picture and language need
// the role create; how it is edited and by whom needs admin.
func (s *Service) Update(ctx context.Context, id string, changes Changes) (*Space, error) {
	if err := changes.validate(); err != nil {
		return nil, err
	}
	err := s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.Lock(ctx, id, access.ScopeWrite, changes.minimum())
		if err != nil {
			return err
		}
		if err := organization.CheckMergeRules(ctx, s.database, locked.OrganizationID, changes.MergeRules); err != nil {
			return err
		}
		update := s.database.Client(ctx).Space.UpdateOne(locked.Space).SetUpdatedAt(now())
		changes.apply(update)
		updated, err := update.Save(ctx)
		if err != nil {
			return err
		}
		return s.recordSettings(ctx, locked.Space, updated)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func (c Changes) minimum() access.Role {
	if c.EditMode != nil || c.DefaultLevel != nil || c.MergeRules != nil {
		return access.Admin
	}
	return access.Create
}

func (c Changes) validate() error {
	if c.Title != nil {
		if err := validateTitle(*c.Title); err != nil {
			return err
		}
	}
	if c.Emoji != nil && *c.Emoji != "" && c.Icon != nil && *c.Icon != "" {
		return fault.Invalid("icon", "a space has an emoji or an icon, not both")
	}
	if c.Emoji != nil {
		if err := validateEmoji(*c.Emoji); err != nil {
			return err
		}
	}
	if c.Icon != nil && *c.Icon != "" {
		parsed, err := url.Parse(*c.Icon)
		if err != nil || !parsed.IsAbs() || len(*c.Icon) > maximumIcon {
			return fault.Invalid("icon", "an absolute address of at most %d characters is needed", maximumIcon)
		}
	}
	if c.Language != nil && *c.Language != "" {
		if err := validateLanguage(*c.Language); err != nil {
			return err
		}
	}
	if c.EditMode != nil {
		if err := enum.Check("editMode", *c.EditMode); err != nil {
			return err
		}
	}
	if c.MergeRules != nil {
		return c.MergeRules.Validate()
	}
	return nil
}

func validateTitle(title string) error {
	if length := utf8.RuneCountInString(title); length > maximumTitle {
		return fault.Invalid("title", "at most %d characters, got %d", maximumTitle, length)
	}
	return nil
}

func validateEmoji(emoji string) error {
	if length := utf8.RuneCountInString(emoji); length > maximumEmoji {
		return fault.Invalid("emoji", "at most %d characters, got %d", maximumEmoji, length)
	}
	return nil
}

func validateLanguage(language string) error {
	for _, known := range Languages {
		if known == language {
			return nil
		}
	}
	return fault.Invalid("language", "%q is not a language code that is supported", language)
}

// apply sets what is given. An emoji takes the place of an icon and the other
// way round.
func (c Changes) apply(update *ent.SpaceUpdateOne) {
	update.SetNillableTitle(c.Title).SetNillableEditMode(c.EditMode).SetNillableDefaultLevel(c.DefaultLevel).
		SetNillableMergeRules(c.MergeRules)
	if c.Emoji != nil {
		update.SetEmoji(*c.Emoji)
		if *c.Emoji != "" {
			update.ClearIcon()
		}
	}
	switch {
	case c.Icon == nil:
	case *c.Icon == "":
		update.ClearIcon()
	default:
		update.SetIcon(*c.Icon).SetEmoji("")
	}
	switch {
	case c.Language == nil:
	case *c.Language == "":
		update.ClearLanguage()
	default:
		update.SetLanguage(*c.Language)
	}
}

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
