package changerequest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/changerequest"
	"octavo/internal/mergerule"
)

func (f fixture) review(t *testing.T, caller apptest.Caller, id, status string) apptest.Response {
	t.Helper()
	return f.As(caller).REST(t, http.MethodPost, f.path(id, "reviews"), map[string]any{"status": status})
}

func (f fixture) request(t *testing.T, caller apptest.Caller, id string, users ...string) apptest.Response {
	t.Helper()
	return f.As(caller).REST(t, http.MethodPost, f.path(id, "requested-reviewers"), map[string]any{"users": users})
}

func TestReviewIsGivenOnTheCurrentContent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.open(t, apptest.Editor, "x")
		f.request(t, apptest.Editor, id, f.As(apptest.Reviewer).UserID, f.As(apptest.Admin).UserID).Object(t, http.StatusOK)
		response := f.As(apptest.Reviewer).REST(t, http.MethodPost, f.path("1", "reviews"),
			map[string]any{"status": "changes-requested", "comment": map[string]any{"markdown": "Not *yet*."}})
		given := response.Object(t, http.StatusCreated)
		path := f.path(id, "reviews", given["id"].(string))
		assert.Equal(t, f.URL+"/v1"+path, response.Header.Get("Location"))
		assert.Equal(t, f.As(apptest.Editor).UserID, given["requestedBy"].(map[string]any)["id"])
		comment := given["comment"].(map[string]any)
		assert.Equal(t, map[string]any{"markdown": "Not *yet*."}, comment["body"])
		assert.Equal(t, given["id"], comment["target"].(map[string]any)["review"])
		shown := f.As(apptest.Reader).REST(t, http.MethodGet, path+"?format=document", nil).Object(t, http.StatusOK)
		assert.Contains(t, shown["comment"].(map[string]any)["body"], "document")
		assert.Equal(t, []any{"changes-requested", false}, []any{given["status"], given["outdated"]})

		requested := f.As(apptest.Reader).REST(t, http.MethodGet, f.path(id, "requested-reviewers"), nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 1, requested["count"])
		assert.Equal(t, f.As(apptest.Admin).UserID, requested["items"].([]any)[0].(map[string]any)["user"].(map[string]any)["id"])
		found := f.As(apptest.Reader).REST(t, http.MethodGet, f.path(id), nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 1, found["comments"])
		contributors := f.As(apptest.Reader).REST(t, http.MethodGet, f.path(id, "contributors"), nil).Object(t, http.StatusOK)
		assert.Equal(t, "comment", contributors["items"].([]any)[0].(map[string]any)["actionType"])

		insertPage(t, f, id)
		assert.Equal(t, true, f.As(apptest.Reader).REST(t, http.MethodGet, path, nil).Object(t, http.StatusOK)["outdated"])
		again := f.review(t, apptest.Reviewer, id, "approved").Object(t, http.StatusCreated)
		assert.NotContains(t, again, "requestedBy")
		for query, expected := range map[string][]any{
			"": {again["id"], given["id"]}, "?outdated=true": {given["id"]}, "?outdated=false": {again["id"]}, "?limit=1": {again["id"]},
		} {
			list := f.As(apptest.Reader).REST(t, http.MethodGet, f.path(id, "reviews")+query, nil).Object(t, http.StatusOK)
			var ids []any
			for _, item := range list["items"].([]any) {
				ids = append(ids, item.(map[string]any)["id"])
			}
			assert.Equal(t, expected, ids, query)
		}
		assert.Equal(t, http.StatusBadRequest, f.As(apptest.Reader).REST(t, http.MethodGet, f.path(id, "reviews")+"?outdated=maybe", nil).Status)
		other := f.open(t, apptest.Editor, "other")
		assert.Equal(t, http.StatusNotFound, f.As(apptest.Reader).REST(t, http.MethodGet, f.path(other, "reviews", given["id"].(string)), nil).Status)
	})
}

func TestReviewsAreGivenByOthersWhoMayReview(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.open(t, apptest.Creator, "x")
		for caller, status := range map[apptest.Caller]int{
			apptest.Admin: 201, apptest.Reviewer: 201, apptest.Creator: 403, apptest.Editor: 403, apptest.Commenter: 403,
			apptest.Reader: 403, apptest.ReadToken: 403, apptest.Guest: 404, apptest.Stranger: 404, apptest.Anonymous: 401,
		} {
			assert.Equal(t, status, f.review(t, caller, id, "approved").Status, "%s", caller)
			if status != http.StatusUnauthorized && status != http.StatusNotFound && caller != apptest.ReadToken {
				data := f.As(caller).Query(t, `query($id: ID!) { space(id: $id) { changeRequest(id: "1") { permissions { review } } } }`, map[string]any{"id": f.space})
				may := data["space"].(map[string]any)["changeRequest"].(map[string]any)["permissions"].(map[string]any)["review"]
				assert.Equal(t, status == http.StatusCreated, may, "%s", caller)
			}
		}
		assert.Equal(t, http.StatusBadRequest, f.review(t, apptest.Admin, id, "fine").Status)
		both := f.As(apptest.Admin).REST(t, http.MethodPost, f.path(id, "reviews"),
			map[string]any{"status": "approved", "comment": map[string]any{"markdown": "a", "document": paragraph}})
		assert.Equal(t, http.StatusBadRequest, both.Status)
		list := f.As(apptest.Admin).REST(t, http.MethodGet, f.path(id, "reviews"), nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 2, list["count"], "a refused comment takes the review with it")
		f.setStatus(t, apptest.Creator, id, "archived").Object(t, http.StatusOK)
		assert.Equal(t, http.StatusPreconditionFailed, f.review(t, apptest.Admin, id, "approved").Status)
	})
}

func TestReviewersAreAsked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.draft(t, apptest.Editor, "x")
		reviewer, admin := f.As(apptest.Reviewer).UserID, f.As(apptest.Admin).UserID
		asked := f.As(apptest.Editor).REST(t, http.MethodPost, f.path(id, "requested-reviewers"),
			map[string]any{"users": []string{reviewer}, "subject": "Ready", "description": paragraph}).Object(t, http.StatusOK)
		require.Len(t, asked["users"], 1)
		found := f.As(apptest.Reader).REST(t, http.MethodGet, f.path(id), nil).Object(t, http.StatusOK)
		assert.Equal(t, []any{"open", "Ready"}, []any{found["status"], found["subject"]})
		assert.Equal(t, paragraph, found["description"])
		all, open, drafts := f.counters(t)
		assert.Equal(t, []any{1.0, 1.0, 0.0}, []any{all, open, drafts})
		assert.Len(t, f.request(t, apptest.Editor, id, reviewer, admin, admin).Object(t, http.StatusOK)["users"], 2)

		for name, users := range map[string][]string{
			"nobody": {}, "may only edit": {admin, f.As(apptest.Commenter).UserID}, "guest": {f.As(apptest.Guest).UserID},
			"stranger": {f.As(apptest.Stranger).UserID}, "unknown": {"usr_x"}, "null": {"\x00"}, "author": {f.As(apptest.Editor).UserID},
			"too many": make([]string, 51),
		} {
			assert.Equal(t, http.StatusBadRequest, f.request(t, apptest.Editor, id, users...).Status, name)
		}
		assert.Equal(t, http.StatusForbidden, f.request(t, apptest.Commenter, id, admin).Status)
		assert.Equal(t, http.StatusNotFound, f.request(t, apptest.Stranger, id, admin).Status)

		path := f.path(id, "requested-reviewers", reviewer)
		assert.Equal(t, http.StatusForbidden, f.As(apptest.Commenter).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, http.StatusResetContent, f.As(apptest.Editor).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, http.StatusNoContent, f.As(apptest.Editor).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, http.StatusNoContent, f.As(apptest.Editor).REST(t, http.MethodDelete, f.path(id, "requested-reviewers", "%00"), nil).Status)
		assert.Equal(t, http.StatusNoContent, f.As(apptest.Editor).REST(t, http.MethodDelete, f.path("99", "requested-reviewers", admin), nil).Status)
		f.setStatus(t, apptest.Editor, id, "archived").Object(t, http.StatusOK)
		assert.Equal(t, http.StatusPreconditionFailed, f.request(t, apptest.Editor, id, reviewer).Status)
	})
}

func TestGrantLetsAGuestBeAsked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id, guest := f.open(t, apptest.Editor, "x"), f.As(apptest.Guest).UserID
		ctx := f.Context(t, apptest.Admin)
		require.NoError(t, f.App.Database.Client(ctx).Permission.Create().SetOrganizationID(f.OrganizationID).
			SetResourceID(f.space).SetPrincipalID(guest).SetRole(access.Review).Exec(ctx))
		f.request(t, apptest.Editor, id, guest).Object(t, http.StatusOK)
		f.review(t, apptest.Guest, id, "approved").Object(t, http.StatusCreated)
	})
}

func TestMergeRulesAreEvaluated(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		reviewer, admin := f.As(apptest.Reviewer).UserID, f.As(apptest.Admin).UserID
		type step = func(t *testing.T, f fixture, id string)
		type steps = []step
		approve := func(caller apptest.Caller) step {
			return func(t *testing.T, f fixture, id string) {
				f.review(t, caller, id, "approved").Object(t, http.StatusCreated)
			}
		}
		object := func(t *testing.T, f fixture, id string) {
			f.review(t, apptest.Reviewer, id, "changes-requested").Object(t, http.StatusCreated)
		}
		edit := func(t *testing.T, f fixture, id string) { insertPage(t, f, id) }
		ask := func(t *testing.T, f fixture, id string) {
			f.request(t, apptest.Editor, id, admin).Object(t, http.StatusOK)
		}
		patch := func(body map[string]any) step {
			return func(t *testing.T, f fixture, id string) {
				f.As(apptest.Editor).REST(t, http.MethodPatch, f.path(id), body).Object(t, http.StatusOK)
			}
		}
		simple := func(kind mergerule.Kind) mergerule.Rule { return mergerule.Rule{Rule: kind} }
		people := func(kind mergerule.Kind, users ...string) mergerule.Rule {
			return mergerule.Rule{Rule: kind, Users: users}
		}
		custom := func(expression string) mergerule.Rule {
			return mergerule.Rule{Rule: mergerule.Custom, Expression: expression}
		}
		for name, row := range map[string]struct {
			rule  mergerule.Rule
			steps steps
			met   bool
		}{
			"specific, one missing":      {people(mergerule.RequireSpecificReviewers, reviewer, admin), steps{approve(apptest.Admin)}, false},
			"specific, all":              {people(mergerule.RequireSpecificReviewers, reviewer, admin), steps{approve(apptest.Admin), approve(apptest.Reviewer)}, true},
			"specific, edited since":     {people(mergerule.RequireSpecificReviewers, reviewer), steps{approve(apptest.Reviewer), edit}, false},
			"specific, withdrawn":        {people(mergerule.RequireSpecificReviewers, reviewer), steps{approve(apptest.Reviewer), object}, false},
			"one of, none":               {people(mergerule.RequireOneOfSpecificReviewers, reviewer), steps{approve(apptest.Admin)}, false},
			"one of, one":                {people(mergerule.RequireOneOfSpecificReviewers, reviewer, admin), steps{approve(apptest.Admin)}, true},
			"at least one, none":         {simple(mergerule.RequireAtLeastOneReview), nil, false},
			"at least one, objection":    {simple(mergerule.RequireAtLeastOneReview), steps{object}, true},
			"at least one, edited since": {simple(mergerule.RequireAtLeastOneReview), steps{object, edit}, false},
			"all approve, none asked":    {simple(mergerule.RequireAllReviewsApproved), nil, true},
			"all approve, asked":         {simple(mergerule.RequireAllReviewsApproved), steps{approve(apptest.Reviewer), ask}, false},
			"all approve, all do":        {simple(mergerule.RequireAllReviewsApproved), steps{ask, approve(apptest.Admin)}, true},
			"all approve, objection":     {simple(mergerule.RequireAllReviewsApproved), steps{object, approve(apptest.Admin)}, false},
			"all approve, old objection": {simple(mergerule.RequireAllReviewsApproved), steps{object, edit}, false},
			"all approve, changed mind":  {simple(mergerule.RequireAllReviewsApproved), steps{object, edit, approve(apptest.Reviewer)}, true},
			"all approve, edited since":  {simple(mergerule.RequireAllReviewsApproved), steps{approve(apptest.Reviewer), edit}, false},
			"agent":                      {simple(mergerule.RequireAgentReview), steps{approve(apptest.Admin)}, false},
			"up to date":                 {simple(mergerule.RequireUpToDateChangeRequest), nil, true},
			"subject":                    {simple(mergerule.RequireChangeRequestSubject), nil, true},
			"no subject":                 {simple(mergerule.RequireChangeRequestSubject), steps{patch(map[string]any{"subject": "  "})}, false},
			"no description":             {simple(mergerule.RequireChangeRequestDescription), nil, false},
			"description":                {simple(mergerule.RequireChangeRequestDescription), steps{patch(map[string]any{"description": paragraph})}, true},
			"custom, approvals":          {custom(`approvals >= 1 && approvers.includes("` + reviewer + `")`), steps{approve(apptest.Reviewer)}, true},
			"custom, not enough":         {custom("approvals >= 2"), steps{approve(apptest.Reviewer)}, false},
			"custom, texts":              {custom(`subject.startsWith("x") && description.includes("Why") && status == "open" && !outdated`), steps{patch(map[string]any{"description": paragraph})}, true},
			"bypass alone":               {people(mergerule.AllowBypass, reviewer), nil, true},
		} {
			t.Run(name, func(t *testing.T) {
				f := f
				f.space = f.makeSpace(t, "Rules")
				id := f.open(t, apptest.Editor, "x")
				for _, step := range row.steps {
					step(t, f, id)
				}
				f.setRules(t, mergerule.Rules{Type: mergerule.Explicit, Rules: []mergerule.Rule{row.rule}})
				unmet := f.unmet(t, apptest.Admin, id)
				if row.met {
					assert.Empty(t, unmet)
					return
				}
				require.Len(t, unmet, 1)
				assert.Equal(t, row.rule.Rule, unmet[0].Rule)
				assert.NotEmpty(t, unmet[0].Message)
			})
		}
	})
}

func (f fixture) setRules(t *testing.T, rules mergerule.Rules) {
	t.Helper()
	ctx := f.Context(t, apptest.Admin)
	require.NoError(t, f.App.Database.Client(ctx).Space.UpdateOneID(f.space).SetMergeRules(rules).Exec(ctx))
}

func (f fixture) unmet(t *testing.T, caller apptest.Caller, id string) []*changerequest.UnmetRule {
	t.Helper()
	ctx := f.Context(t, caller)
	home, err := f.App.Spaces.Get(ctx, f.space)
	require.NoError(t, err)
	found, err := f.App.ChangeRequests.Get(ctx, id)
	require.NoError(t, err)
	unmet, err := f.App.ChangeRequests.UnmetRules(ctx, home, found)
	require.NoError(t, err)
	return unmet
}

func TestRulesComeFromTheSpaceOrItsOrganization(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.open(t, apptest.Editor, "")
		ctx := f.Context(t, apptest.Admin)
		strict := mergerule.Rules{Type: mergerule.Explicit, Rules: []mergerule.Rule{
			{Rule: mergerule.RequireAtLeastOneReview}, {Rule: mergerule.RequireChangeRequestSubject},
			{Rule: mergerule.AllowBypass, Users: []string{f.As(apptest.Reviewer).UserID}},
		}}
		require.NoError(t, f.App.Database.Client(ctx).Organization.UpdateOneID(f.OrganizationID).SetMergeRules(strict).Exec(ctx))
		unmet := f.unmet(t, apptest.Admin, id)
		require.Len(t, unmet, 2)
		assert.Equal(t, []mergerule.Kind{mergerule.RequireAtLeastOneReview, mergerule.RequireChangeRequestSubject}, []mergerule.Kind{unmet[0].Rule, unmet[1].Rule})
		assert.Empty(t, f.unmet(t, apptest.Reviewer, id), "bypass")
		f.setRules(t, mergerule.Rules{Type: mergerule.None})
		assert.Empty(t, f.unmet(t, apptest.Admin, id))
		f.setRules(t, strict)
		refused := f.As(apptest.Admin).GraphQL(t, `mutation($id: ID!) { mergeChangeRequest(input: {changeRequest: $id}) { result } }`, map[string]any{"id": id})
		assert.Equal(t, "NOT_ALLOWED", refused.Code())
	})
}

func TestRulesSeeAnOutdatedChangeRequest(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		first, second := f.open(t, apptest.Editor, "first"), f.open(t, apptest.Editor, "second")
		merge(t, f, first)
		f.setRules(t, mergerule.Rules{Type: mergerule.Explicit, Rules: []mergerule.Rule{{Rule: mergerule.RequireUpToDateChangeRequest}}})
		require.Len(t, f.unmet(t, apptest.Admin, second), 1)
	})
}
