package benchmark

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/search"
	"octavo/rest/wire"
)

// prepare makes ready what the application answers from memory.
func (f *fixture) prepare(query string) *sql.Stmt {
	statement, err := f.pool.Prepare(f.placeholders(query))
	if err != nil {
		panic(err)
	}
	return statement
}

// scanSpace reads a row of spaces with the caller's role.
func (f *fixture) scanSpace(row *sql.Rows) (*wire.Space, error) {
	var space wire.Space
	var mode, visibility, position string
	var level, number int
	var role access.Role
	var language, collection, icon sql.NullString
	var deleted sql.NullTime
	var rules, git []byte
	err := row.Scan(&space.ID, &space.CreatedAt, &space.UpdatedAt, &space.Organization, &collection, &space.Title, &space.Emoji, &icon,
		&visibility, &mode, &level, &language, &rules, &git, &position, &space.Revision, &deleted, &space.Comments,
		&space.ChangeRequests, &space.ChangeRequestsOpen, &space.ChangeRequestsDraft, &number, &role)
	if err != nil {
		return nil, err
	}
	inherit := wire.DefaultLevel("inherit")
	space.Object, space.Visibility, space.DefaultLevel = "space", wire.Visibility(visibility), &inherit
	space.EditMode = (*wire.EditMode)(&mode)
	space.URLs = wire.SpaceURLs{Location: f.server.URL + "/v1/spaces/" + space.ID, App: f.server.URL + "/app/spaces/" + space.ID}
	space.Permissions = wire.SpacePermissions{
		View: role >= access.Read, Access: role >= access.Read, Admin: role >= access.Admin, Edit: role >= access.Edit,
		Comment: role >= access.Comment, Merge: role >= access.Review, Review: role >= access.Review, TriggerGitSync: role >= access.Create,
		ViewInviteLinks: role >= access.Admin, InstallIntegration: role >= access.Admin,
	}
	return &space, json.Unmarshal(rules, &space.MergeRules)
}

func oneSpaceByHand(f *fixture, same statements) http.Handler {
	spaces, published := same.with("viewer_role FROM spaces"), same.with("FROM site_spaces")
	return same.byHand(func(ctx context.Context, _ caller) (any, error) {
		var space *wire.Space
		err := spaces.asked(ctx, func(row *sql.Rows) (err error) {
			space, err = f.scanSpace(row)
			return err
		})
		if err != nil {
			return nil, err
		}
		return space, published.asked(ctx, nothing)
	})
}

// organizationRow reads what the application reads of an organization.
func organizationRow(row *sql.Rows) (title string, err error) {
	var id, kind, plan, role string
	var created time.Time
	var hostname, useCase, community, logo, instructions, by sql.NullString
	var domains, content, rules []byte
	var others [3]any
	var at sql.NullTime
	err = row.Scan(&id, &created, &title, &hostname, &kind, &useCase, &community, &plan, &domains, &role, &content, &logo,
		&others[0], &others[1], &others[2], &rules, &instructions, &at, &by)
	return title, err
}

func fiftySpacesByHand(f *fixture, same statements) http.Handler {
	organization, spaces := same.with("FROM organizations WHERE"), same.with("viewer_role FROM spaces")
	published := same.with("FROM site_spaces")
	counting := same.perhaps("COUNT(spaces.id)") // SQLite keeps counts in memory
	return same.byHand(func(ctx context.Context, _ caller) (any, error) {
		err := organization.asked(ctx, func(row *sql.Rows) error {
			_, err := organizationRow(row)
			return err
		})
		if err != nil {
			return nil, err
		}
		list := wire.List[*wire.Space]{Items: []*wire.Space{}}
		err = spaces.asked(ctx, func(row *sql.Rows) error {
			space, err := f.scanSpace(row)
			list.Items = append(list.Items, space)
			return err
		})
		if err != nil {
			return nil, err
		}
		list.Count = len(list.Items)
		if counting != nil {
			if err := counting.asked(ctx, func(row *sql.Rows) error { return row.Scan(&list.Count) }); err != nil {
				return nil, err
			}
		}
		return list, published.asked(ctx, nothing)
	})
}

type author struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
}

type changeRequest struct {
	ID           string    `json:"id"`
	Number       int       `json:"number"`
	Subject      string    `json:"subject"`
	Status       string    `json:"status"`
	CreatedAt    time.Time `json:"createdAt"`
	OpenComments int       `json:"openComments"`
	CreatedBy    *author   `json:"createdBy"`
}

type nodes[T any] struct {
	Nodes []T `json:"nodes"`
}

type spaceWithChangeRequests struct {
	ID             string                `json:"id"`
	Title          string                `json:"title"`
	ChangeRequests nodes[*changeRequest] `json:"changeRequests"`
}

func changeRequestsByHand(f *fixture, same statements) http.Handler {
	organizations, list := same.with("FROM organizations WHERE"), same.with("viewer_role FROM spaces")
	requests, people := same.with("FROM change_requests JOIN"), same.with("FROM users")
	const size, listed = 10, 20
	return same.byHand(func(ctx context.Context, _ caller) (any, error) {
		var organization struct {
			Title  string                          `json:"title"`
			Spaces nodes[*spaceWithChangeRequests] `json:"spaces"`
		}
		err := organizations.asked(ctx, func(row *sql.Rows) (err error) {
			organization.Title, err = organizationRow(row)
			return err
		})
		if err != nil {
			return nil, err
		}
		byID := map[string]*spaceWithChangeRequests{}
		err = list.asked(ctx, func(row *sql.Rows) error {
			space, err := f.scanSpace(row)
			if err != nil || len(byID) == listed {
				return err
			}
			one := &spaceWithChangeRequests{ID: space.ID, Title: space.Title}
			organization.Spaces.Nodes, byID[space.ID] = append(organization.Spaces.Nodes, one), one
			return nil
		})
		if err != nil {
			return nil, err
		}
		authors := map[string]*author{}
		err = requests.asked(ctx, func(row *sql.Rows) error {
			one, space, err := scanChangeRequest(row)
			if err != nil {
				return err
			}
			if authors[one.CreatedBy.ID] == nil {
				authors[one.CreatedBy.ID] = one.CreatedBy
			}
			one.CreatedBy = authors[one.CreatedBy.ID]
			if home := byID[space]; len(home.ChangeRequests.Nodes) < size {
				home.ChangeRequests.Nodes = append(home.ChangeRequests.Nodes, one)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		err = people.asked(ctx, func(row *sql.Rows) error {
			user, err := f.scanUser(row)
			authors[user.ID].DisplayName = user.DisplayName
			return err
		})
		return map[string]any{"data": map[string]any{"organization": organization}}, err
	})
}

func scanChangeRequest(row *sql.Rows) (one *changeRequest, spaceID string, err error) {
	one = &changeRequest{CreatedBy: new(author)}
	var updated time.Time
	var organizationID, revision, initial string
	var ancestor, merged, mergedBy, cluster sql.NullString
	var mergedAt sql.NullTime
	var description []byte
	var role access.Role
	var outdated bool
	err = row.Scan(&one.ID, &one.CreatedAt, &updated, &organizationID, &spaceID, &one.Number, &one.Status, &one.Subject, &description,
		&one.CreatedBy.ID, &revision, &initial, &ancestor, &merged, &mergedBy, &mergedAt, &cluster, &one.OpenComments, &role, &outdated)
	one.Status, one.CreatedAt = strings.ToUpper(one.Status), one.CreatedAt.UTC()
	return one, spaceID, err
}

func (f *fixture) scanUser(row *sql.Rows) (*wire.User, error) {
	var user wire.User
	var created, updated time.Time
	var email string
	var verified bool
	var photo sql.NullString
	err := row.Scan(&user.ID, &created, &updated, &user.DisplayName, &email, &verified, &photo)
	user.Object, user.Email = "user", &email
	user.URLs.Location = f.server.URL + "/v1/users/" + user.ID
	return &user, err
}

// treeByHand reads the tree of a space each time: there is no cache by hand.
func treeByHand(f *fixture, same statements) http.Handler {
	spaces := same.with("viewer_role FROM spaces")
	root := f.prepare(`SELECT root FROM revisions WHERE id = ?`)
	object := f.prepare(`SELECT data FROM content_objects WHERE hash = ?`)
	return same.byHand(func(ctx context.Context, _ caller) (any, error) {
		var space *wire.Space
		err := spaces.asked(ctx, func(row *sql.Rows) (err error) {
			space, err = f.scanSpace(row)
			return err
		})
		if err != nil {
			return nil, err
		}
		var hash string
		if err := root.QueryRowContext(ctx, space.Revision).Scan(&hash); err != nil {
			return nil, err
		}
		tree, err := readTree(ctx, object, hash)
		if err != nil {
			return nil, err
		}
		return wire.PageTree{Pages: f.nest(space.ID, tree, "")}, nil
	})
}

func readTree(ctx context.Context, object *sql.Stmt, hash string) (*content.Tree, error) {
	var data []byte
	if err := object.QueryRowContext(ctx, hash).Scan(&data); err != nil {
		return nil, err
	}
	root, err := content.DecodeRoot(data)
	if err != nil {
		return nil, err
	}
	chunks := map[content.Hash][]byte{}
	for _, hash := range root.Chunks() {
		var chunk []byte
		if err := object.QueryRowContext(ctx, string(hash)).Scan(&chunk); err != nil {
			return nil, err
		}
		chunks[hash] = chunk
	}
	return root.Tree(chunks)
}

func (f *fixture) nest(space string, tree *content.Tree, parent string) []wire.Page {
	children := tree.Index().Children(parent)
	nested := make([]wire.Page, len(children))
	for index, child := range children {
		path := tree.Index().Path(child)
		kind := wire.PageKind("sheet")
		layout := content.DefaultLayout()
		nested[index] = wire.Page{
			ID: child.ID, Title: child.Title, Type: wire.PageType(child.Type), Kind: &kind, Slug: &child.Slug, Path: &path,
			Pages:  f.nest(space, tree, child.ID),
			Layout: &wire.PageLayout{Width: "default", Cover: layout.Cover, CoverSize: "hero", Title: true, Description: true, TableOfContents: true, Outline: true, Pagination: true, Metadata: true},
		}
		nested[index].URLs = &wire.AppURLs{App: f.server.URL + "/app/spaces/" + space + "/pages/" + child.ID}
	}
	return nested
}

// scanComment reads a comment, and the caller's role where it was selected too.
func (f *fixture) scanComment(row *sql.Rows, userID string, withRole bool) (*wire.Comment, string, error) {
	one := &wire.Comment{Object: "comment", Reactions: []wire.Reaction{}, Repliers: []wire.Replier{}, Status: "open"}
	var organizationID, author, markdown string
	var branch, review, page, node, record, definition, resolvedBy sql.NullString
	var edited, resolved sql.NullTime
	var document []byte
	var role access.Role
	targets := []any{
		&one.ID, &one.PostedAt, &organizationID, &one.Target.Space, &branch, &review, &one.Target.Revision, &page, &node, &record, &definition,
		&author, &markdown, &document, &edited, &resolved, &resolvedBy, &one.Replies,
	}
	if withRole {
		targets = append(targets, &role)
	}
	err := row.Scan(targets...)
	own, reply := author == userID, true
	one.Body = wire.Text{Markdown: &markdown}
	one.Permissions = wire.CommentPermissions{View: true, Edit: own, Delete: own, Reply: &reply}
	one.URLs.Location = f.server.URL + "/v1/spaces/" + one.Target.Space + "/comments/" + one.ID
	return one, author, err
}

func commentsByHand(f *fixture, same statements) http.Handler {
	spaces, list, people := same.with("viewer_role FROM spaces"), same.with("FROM comments WHERE"), same.with("FROM users")
	reactions, repliers, counting := same.with("FROM reactions"), same.with("FROM comment_replies"), same.with("COUNT(*) FROM comments")
	return same.byHand(func(ctx context.Context, who caller) (any, error) {
		err := spaces.asked(ctx, func(row *sql.Rows) error {
			_, err := f.scanSpace(row)
			return err
		})
		if err != nil {
			return nil, err
		}
		answer := wire.List[*wire.Comment]{Items: []*wire.Comment{}}
		byID, authors := map[string]*wire.Comment{}, map[string]string{}
		err = list.asked(ctx, func(row *sql.Rows) error {
			one, author, err := f.scanComment(row, who.userID, false)
			answer.Items, byID[one.ID], authors[one.ID] = append(answer.Items, one), one, author
			return err
		})
		if err != nil {
			return nil, err
		}
		users := map[string]*wire.User{}
		err = people.asked(ctx, func(row *sql.Rows) error {
			user, err := f.scanUser(row)
			users[user.ID] = user
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, one := range answer.Items {
			one.PostedBy = *users[authors[one.ID]]
		}
		err = reactions.asked(ctx, func(row *sql.Rows) error {
			var id, organizationID, subject, user, emoji string
			var when time.Time
			err := row.Scan(&id, &when, &organizationID, &subject, &user, &emoji)
			byID[subject].Reactions = append(byID[subject].Reactions, wire.Reaction{Emoji: emoji, Count: 1, Users: []wire.Reactor{{User: *users[user], ReactedAt: when}}})
			return err
		})
		if err != nil {
			return nil, err
		}
		err = repliers.asked(ctx, func(row *sql.Rows) error {
			var subject, user string
			var one wire.Replier
			err := row.Scan(&subject, &user, &one.UpdatedAt, &one.Count)
			one.User = *users[user]
			byID[subject].Repliers = append(byID[subject].Repliers, one)
			return err
		})
		if err != nil {
			return nil, err
		}
		return answer, counting.asked(ctx, func(row *sql.Rows) error {
			var space string
			return row.Scan(&space, &answer.Count)
		})
	})
}

func searchByHand(f *fixture, same statements) http.Handler {
	organization, pages := same.with("FROM organizations WHERE"), same.with("AS place FROM found")
	sections, counting := same.with("SELECT page, anchor"), same.with("COUNT(DISTINCT")
	return same.byHand(func(ctx context.Context, _ caller) (any, error) {
		err := organization.asked(ctx, func(row *sql.Rows) error {
			_, err := organizationRow(row)
			return err
		})
		if err != nil {
			return nil, err
		}
		answer := wire.List[*wire.SearchSpace]{Items: []*wire.SearchSpace{}}
		byRow := map[int64]*wire.SearchPage{}
		err = pages.asked(ctx, func(row *sql.Rows) error {
			var title, space, ancestors string
			var id int64
			page := wire.SearchPage{Sections: []wire.SearchSection{}}
			if err := row.Scan(&title, &id, &space, &page.ID, &page.Title, &page.Path, &ancestors); err != nil {
				return err
			}
			last := len(answer.Items) - 1
			if last < 0 || answer.Items[last].ID != space {
				// No more than the room made: what byRow points to stays where it is.
				answer.Items = append(answer.Items, &wire.SearchSpace{ID: space, Title: title, Pages: make([]wire.SearchPage, 0, 64)})
				last++
			}
			page.URLs.App = f.server.URL + "/app/spaces/" + space + "/pages/" + page.ID
			home := answer.Items[last]
			home.Pages = append(home.Pages, page)
			byRow[id] = &home.Pages[len(home.Pages)-1]
			return titles(ancestors, &home.Pages[len(home.Pages)-1])
		})
		if err != nil {
			return nil, err
		}
		err = sections.asked(ctx, func(row *sql.Rows) error {
			var id int64
			var anchor, heading, body string
			if err := row.Scan(&id, &anchor, &heading, &body); err != nil {
				return err
			}
			page := byRow[id]
			shown, err := search.Excerpt(body, "page 49")
			page.Sections = append(page.Sections, wire.SearchSection{ID: page.ID, Title: page.Title, Path: page.Path, Body: shown, URLs: page.URLs})
			return err
		})
		if err != nil {
			return nil, err
		}
		return answer, counting.asked(ctx, func(row *sql.Rows) error { return row.Scan(&answer.Count) })
	})
}

func titles(encoded string, page *wire.SearchPage) error {
	var above []string
	if err := json.Unmarshal([]byte(encoded), &above); err != nil {
		return err
	}
	page.Ancestors = make([]wire.SearchAncestor, len(above))
	for index, title := range above {
		page.Ancestors[index].Title = title
	}
	return nil
}
