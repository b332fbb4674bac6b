package benchmark

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"octavo/internal/content"
	"octavo/rest/wire"
)

// The handlers below are what one would write for one operation alone, with
// net/http, database/sql and encoding/json: the token and memberships in one
// prepared statement, then the rows in as few as there are in the application.

type caller struct {
	userID, organizationID string
	role                   int
}

func (f *fixture) prepare(query string) *sql.Stmt {
	statement, err := f.pool.Prepare(f.placeholders(query))
	if err != nil {
		panic(err)
	}
	return statement
}

func (f *fixture) byHand(serve func(ctx context.Context, caller caller) (any, error)) http.Handler {
	tokens := f.prepare(`SELECT t.user_id, m.organization_id, m.role, t.expires_at FROM access_tokens t
		LEFT JOIN members m ON m.user_id = t.user_id AND NOT m.disabled WHERE t.hash = ? AND t.revoked_at IS NULL`)
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		_, token, _ := strings.Cut(request.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(token))
		var who caller
		var expires sql.NullTime
		err := tokens.QueryRowContext(request.Context(), hex.EncodeToString(sum[:])).Scan(&who.userID, &who.organizationID, &who.role, &expires)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusUnauthorized)
			return
		}
		answer, err := serve(request.Context(), who)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		body, err := json.Marshal(answer)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		writer.Header().Set("Content-Type", "application/json")
		_, _ = writer.Write(body)
	})
}

const spaceColumns = `SELECT id, title, emoji, visibility, edit_mode, default_level, language, merge_rules, revision_id, created_at,
	updated_at, open_comments, change_request_count, open_change_request_count, draft_change_request_count,
	COALESCE((SELECT MAX(p.role) FROM permissions p WHERE p.resource_id = spaces.id AND (p.principal_id = ? OR p.principal_id IN
	(SELECT m.team_id FROM team_members m WHERE m.user_id = ?))), ?) FROM spaces `

func scanSpace(rows interface{ Scan(...any) error }, organizationID string) (wire.Space, int, error) {
	var space wire.Space
	var mode, visibility string
	var level, role int
	var language sql.NullString
	var rules []byte
	err := rows.Scan(&space.ID, &space.Title, &space.Emoji, &visibility, &mode, &level, &language, &rules, &space.Revision, &space.CreatedAt,
		&space.UpdatedAt, &space.Comments, &space.ChangeRequests, &space.ChangeRequestsOpen, &space.ChangeRequestsDraft, &role)
	if err != nil {
		return space, 0, err
	}
	space.Object, space.Organization, space.Visibility = "space", organizationID, wire.Visibility(visibility)
	space.EditMode = (*wire.EditMode)(&mode)
	space.MergeRules.Type = "inherit"
	space.URLs = wire.SpaceURLs{Location: "http://127.0.0.1/v1/spaces/" + space.ID, App: "http://127.0.0.1/app/spaces/" + space.ID}
	space.Permissions = wire.SpacePermissions{View: role > 0, Access: role > 0, Edit: role > 2, Comment: role > 1, Merge: role > 3, Review: role > 3}
	return space, role, json.Unmarshal(rules, &space.MergeRules)
}

func oneSpaceByHand(f *fixture) http.Handler {
	statement := f.prepare(spaceColumns + `WHERE id = ? AND organization_id = ?`)
	return f.byHand(func(ctx context.Context, who caller) (any, error) {
		space, _, err := scanSpace(statement.QueryRowContext(ctx, who.userID, who.userID, who.role, f.spaces[0], who.organizationID), who.organizationID)
		return space, err
	})
}

func fiftySpacesByHand(f *fixture) http.Handler {
	statement := f.prepare(spaceColumns + `WHERE organization_id = ? AND deleted_at IS NULL ORDER BY id LIMIT 51`)
	counting := f.prepare(`SELECT COUNT(*) FROM spaces WHERE organization_id = ? AND deleted_at IS NULL AND
		COALESCE((SELECT MAX(p.role) FROM permissions p WHERE p.resource_id = spaces.id AND (p.principal_id = ? OR p.principal_id IN
		(SELECT m.team_id FROM team_members m WHERE m.user_id = ?))), ?) >= 1`)
	return f.byHand(func(ctx context.Context, who caller) (any, error) {
		rows, err := statement.QueryContext(ctx, who.userID, who.userID, who.role, who.organizationID)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		list := wire.List[wire.Space]{Items: []wire.Space{}}
		for rows.Next() {
			space, role, err := scanSpace(rows, who.organizationID)
			if err != nil {
				return nil, err
			}
			if role > 0 {
				list.Items = append(list.Items, space)
			}
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return list, counting.QueryRowContext(ctx, who.organizationID, who.userID, who.userID, who.role).Scan(&list.Count)
	})
}

func changeRequestsByHand(f *fixture) http.Handler {
	organizations := f.prepare(`SELECT title FROM organizations WHERE id = ?`)
	list := f.prepare(`SELECT id, title FROM spaces WHERE organization_id = ? AND deleted_at IS NULL ORDER BY id LIMIT 20`)
	requests := f.prepare(`SELECT r.space_id, r.id, r.number, r.subject, r.status, r.created_at, r.open_comments, u.id, u.display_name FROM
		(SELECT c.*, ROW_NUMBER() OVER (PARTITION BY c.space_id ORDER BY c.id DESC) AS place FROM change_requests c
		WHERE c.status = 'open' AND c.space_id IN (SELECT id FROM spaces WHERE organization_id = ? AND deleted_at IS NULL ORDER BY id LIMIT 20)) r
		JOIN users u ON u.id = r.creator_id WHERE r.place <= 10 ORDER BY r.space_id, r.id DESC`)
	type author struct{ ID, DisplayName string }
	type request struct {
		ID           string
		Number       int
		Subject      string
		Status       string
		CreatedAt    time.Time
		OpenComments int
		CreatedBy    author
	}
	type entry struct {
		ID, Title      string
		ChangeRequests []request
	}
	return f.byHand(func(ctx context.Context, who caller) (any, error) {
		var title string
		if err := organizations.QueryRowContext(ctx, who.organizationID).Scan(&title); err != nil {
			return nil, err
		}
		var entries []*entry
		byID := map[string]*entry{}
		rows, err := list.QueryContext(ctx, who.organizationID)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var found entry
			if err := rows.Scan(&found.ID, &found.Title); err != nil {
				return nil, err
			}
			entries, byID[found.ID] = append(entries, &found), &found
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
		found, err := requests.QueryContext(ctx, who.organizationID)
		if err != nil {
			return nil, err
		}
		defer found.Close()
		for found.Next() {
			var spaceID string
			var one request
			if err := found.Scan(&spaceID, &one.ID, &one.Number, &one.Subject, &one.Status, &one.CreatedAt, &one.OpenComments, &one.CreatedBy.ID, &one.CreatedBy.DisplayName); err != nil {
				return nil, err
			}
			byID[spaceID].ChangeRequests = append(byID[spaceID].ChangeRequests, one)
		}
		return map[string]any{"title": title, "spaces": entries}, found.Err()
	})
}

func treeByHand(f *fixture) http.Handler {
	space := f.prepare(`SELECT r.root, COALESCE((SELECT MAX(p.role) FROM permissions p WHERE p.resource_id = s.id AND (p.principal_id = ? OR
		p.principal_id IN (SELECT m.team_id FROM team_members m WHERE m.user_id = ?))), ?) FROM spaces s JOIN revisions r ON r.id = s.revision_id WHERE s.id = ?`)
	object := f.prepare(`SELECT data FROM content_objects WHERE hash = ?`)
	return f.byHand(func(ctx context.Context, who caller) (any, error) {
		var hash string
		var role int
		if err := space.QueryRowContext(ctx, who.userID, who.userID, who.role, f.spaces[0]).Scan(&hash, &role); err != nil {
			return nil, err
		}
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
		tree, err := root.Tree(chunks)
		if err != nil {
			return nil, err
		}
		return wire.PageTree{Pages: nest(tree, "")}, nil
	})
}

func nest(tree *content.Tree, parent string) []wire.Page {
	children := tree.Index().Children(parent)
	nested := make([]wire.Page, len(children))
	for index, child := range children {
		path := tree.Index().Path(child)
		kind := wire.PageKind("sheet")
		layout := content.DefaultLayout()
		nested[index] = wire.Page{
			ID: child.ID, Title: child.Title, Type: wire.PageType(child.Type), Kind: &kind, Slug: &child.Slug, Path: &path,
			CreatedAt: &child.CreatedAt, UpdatedAt: &child.UpdatedAt, Pages: nest(tree, child.ID),
			Layout: &wire.PageLayout{Width: "default", Cover: layout.Cover, CoverSize: "hero", Title: true, Description: true, TableOfContents: true, Outline: true, Pagination: true, Metadata: true},
		}
	}
	return nested
}
