package comment

import (
	"context"
	stdsql "database/sql"
	"slices"
	"time"

	"octavo/ent"
	"octavo/ent/reaction"
	"octavo/internal/access"
	"octavo/internal/fault"
)

const (
	// maximumEmoji is how many characters an emoji may have.
	maximumEmoji = 50
	// maximumReactions is how many reactions one call may add or remove.
	maximumReactions = 20
	// maximumDistinct is how many emojis a comment or reply may have.
	maximumDistinct = 50
)

// Reactions are emojis that the caller puts on something or takes back. What is
// both removed and added stays.
type Reactions struct{ Added, Removed []string }

func (r Reactions) validate() error {
	for field, emojis := range map[string][]string{"addedReactions": r.Added, "removedReactions": r.Removed} {
		if len(emojis) > maximumReactions {
			return fault.Invalid(field, "at most %d reactions, got %d", maximumReactions, len(emojis))
		}
		for _, emoji := range emojis {
			if emoji == "" {
				return fault.Invalid(field, "an emoji is empty")
			}
			if err := validateText(field, emoji, maximumEmoji); err != nil {
				return err
			}
		}
	}
	return nil
}

// react adds and removes reactions of the caller to a comment or reply, whose
// thread is locked. What is there already, or gone already, is left as it is.
func (s *Service) react(ctx context.Context, thread *Comment, subjectID string, reactions Reactions) error {
	userID := access.From(ctx).UserID
	if err := s.takeBack(ctx, subjectID, userID, reactions); err != nil || len(reactions.Added) == 0 {
		return err
	}
	present, err := s.database.Client(ctx).Reaction.Query().Where(reaction.SubjectID(subjectID)).All(ctx)
	if err != nil {
		return err
	}
	added, err := missingReactions(present, userID, reactions.Added)
	if err != nil {
		return err
	}
	creates := make([]*ent.ReactionCreate, len(added))
	for index, emoji := range added {
		creates[index] = s.database.Client(ctx).Reaction.Create().
			SetOrganizationID(thread.OrganizationID).SetSubjectID(subjectID).SetUserID(userID).SetEmoji(emoji)
	}
	return s.database.Client(ctx).Reaction.CreateBulk(creates...).Exec(ctx)
}

func (s *Service) takeBack(ctx context.Context, subjectID, userID string, reactions Reactions) error {
	removed := slices.DeleteFunc(slices.Clone(reactions.Removed), func(emoji string) bool {
		return slices.Contains(reactions.Added, emoji)
	})
	if len(removed) == 0 {
		return nil
	}
	return s.removeReactions(ctx, reaction.And(
		reaction.SubjectID(subjectID), reaction.UserID(userID), reaction.EmojiIn(removed...)))
}

// missingReactions returns the emojis that the person has not put on it yet,
// each once, unless there would be too many different ones.
func missingReactions(present []*ent.Reaction, userID string, wanted []string) ([]string, error) {
	own, distinct := map[string]bool{}, map[string]bool{}
	for _, row := range present {
		distinct[row.Emoji] = true
		if row.UserID == userID {
			own[row.Emoji] = true
		}
	}
	var missing []string
	for _, emoji := range wanted {
		if own[emoji] {
			continue
		}
		own[emoji], distinct[emoji] = true, true
		missing = append(missing, emoji)
	}
	if len(missing) > 0 && len(distinct) > maximumDistinct {
		return nil, fault.New(fault.LimitExceeded, "addedReactions: at most %d different emojis", maximumDistinct)
	}
	return missing, nil
}

// Reaction is an emoji with the people who chose it.
type Reaction struct {
	Emoji string
	// Users are in the order in which they chose it.
	Users []*Reactor
}

// Count of the people.
func (r *Reaction) Count() int { return len(r.Users) }

// Reactor is somebody who reacted.
type Reactor struct {
	UserID    string
	ReactedAt time.Time
}

// ReactionsTo returns the reactions to comments and replies, by their ids, in
// one statement, for loaders whose callers may read what they ask for. Emojis
// are in the order in which they were first chosen.
func (s *Service) ReactionsTo(ctx context.Context, subjectIDs []string) (map[string][]*Reaction, error) {
	rows, err := reactionsTo.Query(ctx, s.database, struct{}{}, subjectIDs...)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]*Reaction, len(subjectIDs))
	for _, id := range subjectIDs {
		found[id] = []*Reaction{}
	}
	err = rows.Each(func(row *stdsql.Rows) error {
		var one ent.Reaction
		if err := row.Scan(one.Targets()...); err != nil {
			return err
		}
		found[one.SubjectID] = withReaction(found[one.SubjectID], &one)
		return nil
	})
	return found, err
}

func withReaction(reactions []*Reaction, row *ent.Reaction) []*Reaction {
	index := slices.IndexFunc(reactions, func(known *Reaction) bool { return known.Emoji == row.Emoji })
	if index < 0 {
		index = len(reactions)
		reactions = append(reactions, &Reaction{Emoji: row.Emoji})
	}
	reactions[index].Users = append(reactions[index].Users, &Reactor{UserID: row.UserID, ReactedAt: row.CreatedAt})
	return reactions
}
