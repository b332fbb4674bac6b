package benchmark

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"octavo/ent"
	"octavo/internal/content"
	"octavo/internal/document"

	"octavo/internal/access"
	"octavo/internal/identifier"
	"octavo/rest/wire"
)

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

// The places of what differs from one comment to the next in the arguments of
// its statements.
const (
	commentCreated, commentID            = 0, 7
	eventCreated, eventSubject, eventKey = 0, 2, 5
)

func createCommentByHand(f *fixture, same statements) http.Handler {
	spaces, insert, count := same.with("viewer_role FROM spaces"), same.with("INSERT INTO comments"), same.with("UPDATE spaces SET open_comments")
	event, people := same.with("INSERT INTO events"), same.with("FROM users")
	lock, notify := same.perhaps("FOR NO KEY UPDATE"), same.perhaps("pg_notify")
	return same.byHand(func(ctx context.Context, _ caller) (any, error) {
		text, reply, now := "Well said.", true, time.Now().UTC().Truncate(time.Microsecond)
		made := &wire.Comment{
			Object: "comment", ID: identifier.New(identifier.Comment), PostedAt: now, Body: wire.Text{Markdown: &text}, Status: "open",
			Reactions: []wire.Reaction{}, Repliers: []wire.Replier{},
			Permissions: wire.CommentPermissions{View: true, Edit: true, Delete: true, Reply: &reply},
		}
		err := f.inTransaction(ctx, func(transaction *sql.Tx) error {
			if lock != nil {
				if err := lock.query(ctx, transaction, lock.arguments, nothing); err != nil {
					return err
				}
			}
			space, err := f.commented(ctx, transaction, spaces)
			if err != nil {
				return err
			}
			made.Target = wire.CommentTarget{Space: space.ID, Revision: space.Revision}
			if err := insert.execute(ctx, transaction, map[int]any{commentCreated: now, commentID: made.ID}); err != nil {
				return err
			}
			if err := count.execute(ctx, transaction, nil); err != nil {
				return err
			}
			if err := event.execute(ctx, transaction, map[int]any{eventCreated: now, eventSubject: made.ID, eventKey: identifier.New(identifier.Event)}); err != nil {
				return err
			}
			if notify == nil {
				return nil
			}
			return notify.execute(ctx, transaction, nil)
		})
		if err != nil {
			return nil, err
		}
		made.URLs.Location = f.server.URL + "/v1/spaces/" + made.Target.Space + "/comments/" + made.ID
		return made, people.asked(ctx, func(row *sql.Rows) error {
			user, err := f.scanUser(row)
			made.PostedBy = *user
			return err
		})
	})
}

// commented is the space of a comment, in which the caller must have a role.
func (f *fixture) commented(ctx context.Context, transaction *sql.Tx, spaces *statement) (space *wire.Space, err error) {
	err = spaces.query(ctx, transaction, spaces.arguments, func(row *sql.Rows) (err error) {
		space, err = f.scanSpace(row)
		return err
	})
	if err == nil && (space == nil || !space.Permissions.Comment) {
		err = errors.New("the caller may not comment here")
	}
	return space, err
}

// changed is what the merge of a change request changes: a page, and the pages
// below it, whose title above changes.
type changed struct {
	page  *content.Page
	below []*content.Page
	tree  *content.Tree
	root  string
}

// mergeByHand merges a change request whose space has not moved on. Trees are
// read as the application reads them, from the same memory; everything else is
// done by hand: rules, the rows of the merge, the search index and the events.
func mergeByHand(f *fixture, same statements) http.Handler {
	spaces, requests := same.with("viewer_role FROM spaces"), same.with("FROM change_requests JOIN")
	organization, insert := same.with("FROM organizations WHERE"), same.with("INSERT INTO revisions")
	head, finished := same.with("UPDATE spaces SET updated_at"), same.with("UPDATE change_requests SET")
	counters, events := same.with("UPDATE spaces SET draft"), same.all("INSERT INTO events")
	locks, notifies := same.all("FOR NO KEY UPDATE"), same.all("pg_notify")
	roots := f.prepare(`SELECT id, root FROM revisions WHERE id IN (?, ?) AND organization_id = ?`)
	index := newIndexByHand(f, same)
	before := insert.arguments[1] // the change request whose statements were taken down
	return same.byHand(func(ctx context.Context, _ caller) (any, error) {
		made, now := identifier.New(identifier.Revision), time.Now().UTC().Truncate(time.Microsecond)
		here := map[any]any{before: f.proposed}
		err := f.inTransaction(ctx, func(transaction *sql.Tx) error {
			for _, lock := range locks {
				if err := lock.query(ctx, transaction, replaced(lock.arguments, here), nothing); err != nil {
					return err
				}
			}
			space, err := f.commented(ctx, transaction, spaces)
			if err != nil || !space.Permissions.Merge {
				return errors.Join(err, errors.New("the caller may not merge here"))
			}
			ours, err := f.proposedRevision(ctx, transaction, requests, here, space.Revision)
			if err != nil {
				return err
			}
			err = organization.query(ctx, transaction, organization.arguments, func(row *sql.Rows) error {
				_, err := organizationRow(row)
				return err
			})
			if err != nil {
				return err
			}
			found, err := f.changed(ctx, transaction, roots, space, ours)
			if err != nil {
				return err
			}
			parents, err := json.Marshal([]string{space.Revision, ours})
			if err != nil {
				return err
			}
			err = insert.execute(ctx, transaction, map[int]any{0: now, 1: f.proposed, 3: parents, 4: found.root, 9: made})
			if err != nil {
				return err
			}
			if err := head.execute(ctx, transaction, map[int]any{0: now, 1: made, 3: space.Revision}); err != nil {
				return err
			}
			if err := index.update(ctx, transaction, space.ID, found); err != nil {
				return err
			}
			for _, event := range events {
				event.arguments[eventKey] = identifier.New(identifier.Event)
				if _, err := transaction.StmtContext(ctx, event.Stmt).ExecContext(ctx, replaced(event.arguments, here)...); err != nil {
					return err
				}
			}
			for _, notify := range notifies {
				if err := notify.execute(ctx, transaction, nil); err != nil {
					return err
				}
			}
			if err := counters.execute(ctx, transaction, nil); err != nil {
				return err
			}
			return finished.execute(ctx, transaction, map[int]any{0: now, 2: made, 4: now, 5: f.proposed})
		})
		return wire.MergeResult{Result: "merge", Revision: made}, err
	})
}

// replaced are arguments with some values in the place of others.
func replaced(arguments []any, values map[any]any) []any {
	made := make([]any, len(arguments))
	for index, argument := range arguments {
		made[index] = argument
		if text, isText := argument.(string); isText {
			if other, is := values[text]; is {
				made[index] = other
			}
		}
	}
	return made
}

// proposedRevision is the content of the change request, which must stem from
// the main content of now.
func (f *fixture) proposedRevision(ctx context.Context, transaction *sql.Tx, requests *statement, here map[any]any, main string) (ours string, err error) {
	err = requests.query(ctx, transaction, replaced(requests.arguments, here), func(row *sql.Rows) error {
		var one changeRequest
		var updated time.Time
		var organizationID, spaceID, creator, initial string
		var ancestor, merged, mergedBy, cluster sql.NullString
		var mergedAt sql.NullTime
		var description []byte
		var role access.Role
		var outdated bool
		err := row.Scan(&one.ID, &one.CreatedAt, &updated, &organizationID, &spaceID, &one.Number, &one.Status, &one.Subject, &description,
			&creator, &ours, &initial, &ancestor, &merged, &mergedBy, &mergedAt, &cluster, &one.OpenComments, &role, &outdated)
		if err == nil && (initial != main || outdated || one.Status == "merged") {
			return errors.New("this change request cannot be merged so simply")
		}
		return err
	})
	return ours, err
}

func (f *fixture) changed(ctx context.Context, transaction *sql.Tx, roots *sql.Stmt, space *wire.Space, ours string) (*changed, error) {
	rows, err := transaction.StmtContext(ctx, roots).QueryContext(ctx, space.Revision, ours, space.Organization)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	byID := map[string]*ent.Revision{}
	for rows.Next() {
		var one ent.Revision
		if err := rows.Scan(&one.ID, &one.Root); err != nil {
			return nil, err
		}
		byID[one.ID] = &one
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	main, err := f.server.App.Revisions.Tree(ctx, byID[space.Revision])
	if err != nil {
		return nil, err
	}
	found := &changed{root: byID[ours].Root}
	if found.tree, err = f.server.App.Revisions.TreeNear(ctx, byID[ours], byID[space.Revision]); err != nil {
		return nil, err
	}
	for _, page := range found.tree.Pages {
		if was := main.Index().Page(page.ID); was != page && (was.Body != page.Body || was.Title != page.Title) {
			found.page, found.below = page, found.tree.Index().Children(page.ID)
		}
	}
	return found, nil
}

// indexByHand keeps the search index.
type indexByHand struct {
	below, page, remove, add *statement
	body                     *sql.Stmt
}

func newIndexByHand(f *fixture, same statements) *indexByHand {
	places := same.all("INSERT INTO search_pages")
	made := &indexByHand{
		page: places[len(places)-1], remove: same.with("DELETE FROM search_sections"), add: same.with("INSERT INTO search_sections"),
		body: f.prepare(`SELECT data FROM content_objects WHERE hash = ?`),
	}
	if len(places) > 1 {
		made.below = places[0]
	}
	return made
}

func (i *indexByHand) update(ctx context.Context, transaction *sql.Tx, spaceID string, found *changed) error {
	if i.below != nil {
		var arguments []any
		for _, page := range found.below {
			arguments = append(arguments, place(spaceID, found, page, []string{found.page.Title})...)
		}
		if err := i.below.query(ctx, transaction, arguments, nothing); err != nil {
			return err
		}
	}
	var id int64
	err := i.page.query(ctx, transaction, place(spaceID, found, found.page, []string{}), func(row *sql.Rows) error {
		var pageID string
		return row.Scan(&id, &pageID)
	})
	if err != nil {
		return err
	}
	if err := i.remove.execute(ctx, transaction, map[int]any{0: id}); err != nil {
		return err
	}
	var body []byte
	if err := transaction.StmtContext(ctx, i.body).QueryRowContext(ctx, string(found.page.Body)).Scan(&body); err != nil {
		return err
	}
	sections := document.Sections(body)
	return i.add.execute(ctx, transaction, map[int]any{0: id, 4: sections[0].Text})
}

func place(spaceID string, found *changed, page *content.Page, above []string) []any {
	titles, err := json.Marshal(above)
	if err != nil {
		panic(err) // they are texts
	}
	return []any{spaceID, page.ID, page.Title, found.tree.Index().Path(page), string(titles)}
}
