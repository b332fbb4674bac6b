package benchmark

import (
	"context"
	"database/sql"
	"net/http"
	"strings"
	"time"

	"octavo/internal/identifier"
	"octavo/rest/wire"
)

func commentsByHand(f *fixture) http.Handler {
	list := f.prepare(`SELECT c.id, c.markdown, c.created_at, c.reply_count, c.resolved_at, u.id, u.display_name, u.email FROM comments c
		JOIN users u ON u.id = c.author_id WHERE c.space_id = ? AND c.change_request_id IS NULL ORDER BY c.id DESC LIMIT 101`)
	reactions := f.prepare(`SELECT r.subject_id, r.emoji, r.created_at, u.id, u.display_name FROM reactions r JOIN users u ON u.id = r.user_id
		WHERE r.subject_id IN (SELECT id FROM comments WHERE space_id = ? AND change_request_id IS NULL ORDER BY id DESC LIMIT 100) ORDER BY r.subject_id, r.emoji, r.id`)
	repliers := f.prepare(`SELECT p.comment_id, COUNT(*), u.id, u.display_name FROM comment_replies p JOIN users u ON u.id = p.author_id
		WHERE p.comment_id IN (SELECT id FROM comments WHERE space_id = ? AND change_request_id IS NULL ORDER BY id DESC LIMIT 100)
		GROUP BY p.comment_id, u.id, u.display_name`)
	counting := f.prepare(`SELECT COUNT(*) FROM comments WHERE space_id = ? AND change_request_id IS NULL`)
	space := f.prepare(`SELECT id FROM spaces WHERE id = ? AND organization_id = ? AND deleted_at IS NULL`)
	return f.byHand(func(ctx context.Context, who caller) (any, error) {
		var home string
		if err := space.QueryRowContext(ctx, f.spaces[1], who.organizationID).Scan(&home); err != nil {
			return nil, err
		}
		answer := wire.List[*wire.Comment]{Items: []*wire.Comment{}}
		byID := map[string]*wire.Comment{}
		err := each(ctx, list, []any{home}, func(rows *sql.Rows) error {
			var one wire.Comment
			var markdown string
			var resolved sql.NullTime
			err := rows.Scan(&one.ID, &markdown, &one.PostedAt, &one.Replies, &resolved, &one.PostedBy.ID, &one.PostedBy.DisplayName, &one.PostedBy.Email)
			one.Object, one.Body = "comment", wire.Text{Markdown: &markdown}
			one.Reactions = []wire.Reaction{}
			answer.Items, byID[one.ID] = append(answer.Items, &one), &one
			return err
		})
		if err != nil {
			return nil, err
		}
		err = each(ctx, reactions, []any{home}, func(rows *sql.Rows) error {
			var subject, emoji string
			var when time.Time
			var user wire.User
			err := rows.Scan(&subject, &emoji, &when, &user.ID, &user.DisplayName)
			byID[subject].Reactions = append(byID[subject].Reactions, wire.Reaction{Emoji: emoji, Count: 1, Users: []wire.Reactor{{User: user, ReactedAt: when}}})
			return err
		})
		if err != nil {
			return nil, err
		}
		err = each(ctx, repliers, []any{home}, func(rows *sql.Rows) error {
			var subject string
			var one wire.Replier
			err := rows.Scan(&subject, &one.Count, &one.User.ID, &one.User.DisplayName)
			byID[subject].Repliers = append(byID[subject].Repliers, one)
			return err
		})
		if err != nil {
			return nil, err
		}
		return answer, counting.QueryRowContext(ctx, home).Scan(&answer.Count)
	})
}

func each(ctx context.Context, statement *sql.Stmt, arguments []any, scan func(rows *sql.Rows) error) error {
	rows, err := statement.QueryContext(ctx, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// searchByHand finds the sections that hold both words with the index that the
// application has, and cuts no excerpts.
func searchByHand(f *fixture) http.Handler {
	condition := `s.id IN (SELECT rowid FROM search_words WHERE search_words MATCH ?)`
	words := `"page" AND 49*`
	if f.database == "postgres" {
		condition, words = `s.words @@ to_tsquery('simple', ?)`, `page & 49:*`
	}
	search := f.prepare(`SELECT sp.id, sp.title, p.page_id, p.title, p.path, s.anchor, s.heading, s.body FROM search_sections s
		JOIN search_pages p ON p.id = s.page JOIN spaces sp ON sp.id = p.space_id
		WHERE sp.organization_id = ? AND sp.deleted_at IS NULL AND ` + condition + ` ORDER BY p.page_id, s.position LIMIT 200`)
	return f.byHand(func(ctx context.Context, who caller) (any, error) {
		answer := wire.List[wire.SearchSpace]{Items: []wire.SearchSpace{}}
		err := each(ctx, search, []any{who.organizationID, words}, func(rows *sql.Rows) error {
			var spaceID, title string
			var page wire.SearchPage
			var section wire.SearchSection
			if err := rows.Scan(&spaceID, &title, &page.ID, &page.Title, &page.Path, &section.ID, &section.Title, &section.Body); err != nil {
				return err
			}
			page.Sections = []wire.SearchSection{section}
			if last := len(answer.Items) - 1; last < 0 || answer.Items[last].ID != spaceID {
				answer.Items = append(answer.Items, wire.SearchSpace{ID: spaceID, Title: title})
			}
			last := &answer.Items[len(answer.Items)-1]
			last.Pages = append(last.Pages, page)
			return nil
		})
		return answer, err
	})
}

// inTransaction runs statements that were prepared outside of it.
func (f *fixture) inTransaction(ctx context.Context, run func(transaction *sql.Tx) error) error {
	transaction, err := f.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := run(transaction); err != nil {
		_ = transaction.Rollback()
		return err
	}
	return transaction.Commit()
}

// forUpdate is how a row is locked where there are other writers.
func (f *fixture) forUpdate() string {
	if f.database == "postgres" {
		return " FOR UPDATE"
	}
	return ""
}

func createCommentByHand(f *fixture) http.Handler {
	lock := f.prepare(`SELECT revision_id FROM spaces WHERE id = ? AND organization_id = ? AND deleted_at IS NULL` + f.forUpdate())
	insert := f.prepare(`INSERT INTO comments (id, organization_id, space_id, revision_id, author_id, markdown, reply_count, created_at) VALUES (?, ?, ?, ?, ?, ?, 0, ?)`)
	count := f.prepare(`UPDATE spaces SET open_comments = open_comments + 1 WHERE id = ?`)
	author := f.prepare(`SELECT display_name FROM users WHERE id = ?`)
	return f.byHand(func(ctx context.Context, who caller) (any, error) {
		text := "Well said."
		made := wire.Comment{Object: "comment", ID: identifier.New(identifier.Comment), PostedAt: time.Now().UTC(), Body: wire.Text{Markdown: &text}}
		err := f.inTransaction(ctx, func(transaction *sql.Tx) error {
			var revision string
			if err := transaction.StmtContext(ctx, lock).QueryRowContext(ctx, f.spaces[2], who.organizationID).Scan(&revision); err != nil {
				return err
			}
			_, err := transaction.StmtContext(ctx, insert).ExecContext(ctx, made.ID, who.organizationID, f.spaces[2], revision, who.userID, text, made.PostedAt)
			if err != nil {
				return err
			}
			_, err = transaction.StmtContext(ctx, count).ExecContext(ctx, f.spaces[2])
			return err
		})
		if err != nil {
			return nil, err
		}
		return made, author.QueryRowContext(ctx, who.userID).Scan(&made.PostedBy.DisplayName)
	})
}

// mergeByHand merges a change request whose space has not moved on, and keeps
// the search index as it was: the application does more.
func mergeByHand(f *fixture) http.Handler {
	lock := f.prepare(`SELECT revision_id FROM spaces WHERE id = ? AND organization_id = ? AND deleted_at IS NULL` + f.forUpdate())
	request := f.prepare(`SELECT r.root, c.revision_id FROM change_requests c JOIN revisions r ON r.id = c.revision_id WHERE c.id = ?`)
	insert := f.prepare(`INSERT INTO revisions (id, organization_id, space_id, type, parents, root, author_id, merged_from_id, created_at) VALUES (?, ?, ?, 'merge', ?, ?, ?, ?, ?)`)
	head := f.prepare(`UPDATE spaces SET revision_id = ?, updated_at = ?, draft_change_request_count = draft_change_request_count - 1 WHERE id = ? AND revision_id = ?`)
	merged := f.prepare(`UPDATE change_requests SET status = 'merged', merged_revision_id = ?, merged_by_id = ?, merged_at = ?, updated_at = ? WHERE id = ?`)
	return f.byHand(func(ctx context.Context, who caller) (any, error) {
		made, now := identifier.New(identifier.Revision), time.Now().UTC()
		err := f.inTransaction(ctx, func(transaction *sql.Tx) error {
			var main, root, branch string
			if err := transaction.StmtContext(ctx, lock).QueryRowContext(ctx, f.spaces[30], who.organizationID).Scan(&main); err != nil {
				return err
			}
			if err := transaction.StmtContext(ctx, request).QueryRowContext(ctx, f.proposed).Scan(&root, &branch); err != nil {
				return err
			}
			parents := `["` + strings.Join([]string{main, branch}, `","`) + `"]`
			if _, err := transaction.StmtContext(ctx, insert).ExecContext(ctx, made, who.organizationID, f.spaces[30], parents, root, who.userID, f.proposed, now); err != nil {
				return err
			}
			if _, err := transaction.StmtContext(ctx, head).ExecContext(ctx, made, now, f.spaces[30], main); err != nil {
				return err
			}
			_, err := transaction.StmtContext(ctx, merged).ExecContext(ctx, made, who.userID, now, now, f.proposed)
			return err
		})
		return wire.MergeResult{Result: "merge", Revision: made}, err
	})
}
