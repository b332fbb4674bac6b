package parity

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"octavo/internal/apptest"
	"octavo/internal/fault"
)

// Whether there is something to delete is told only to those whose token may
// delete, in both APIs.
func TestDeletingNothingTakesTheScope(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		f := newFixture(server, nil)
		space, branch := "/spaces/"+f.value(t, "spaceId"), "/spaces/"+f.value(t, "spaceId")+"/change-requests/"+f.value(t, "changeRequestId")
		comment, reply := "/comments/"+f.value(t, "commentId"), "/comments/cmt_00000000000000000000000000"
		for _, test := range []struct {
			path, mutation string
			input          object
		}{
			{space + reply, "deleteComment", object{"comment": "cmt_00000000000000000000000000"}},
			{branch + comment, "deleteComment", object{"comment": "cmt_00000000000000000000000000"}},
			{space + comment + "/replies/rpl_00000000000000000000000000", "deleteCommentReply", object{"commentReply": "rpl_00000000000000000000000000"}},
			{space + reply + "/replies/rpl_00000000000000000000000000", "deleteCommentReply", object{"commentReply": "rpl_00000000000000000000000000"}},
			{space + "/change-requests/99/requested-reviewers/" + f.value(t, "creatorId"), "", nil},
			{"/spaces/spc_00000000000000000000000000", "deleteSpace", object{"space": "spc_00000000000000000000000000"}},
		} {
			t.Run(test.path, func(t *testing.T) {
				assert.Equal(t, http.StatusForbidden, server.As(apptest.ReadToken).REST(t, http.MethodDelete, test.path, nil).Status)
				assert.Equal(t, http.StatusNoContent, server.As(apptest.WriteToken).REST(t, http.MethodDelete, test.path, nil).Status)
				if test.mutation == "" {
					return
				}
				document := "mutation { " + test.mutation + "(input: " + literal(test.input) + ") { deleted } }"
				assert.Equal(t, string(fault.Forbidden), server.As(apptest.ReadToken).GraphQL(t, document, nil).Code())
				assert.Equal(t, object{"deleted": false}, server.As(apptest.WriteToken).Query(t, document, nil)[test.mutation])
			})
		}
	})
}

// literal is an input of texts as it is written in a document.
func literal(input object) string {
	written := "{"
	for name, value := range input {
		written += name + ": \"" + value.(string) + "\" "
	}
	return written + "}"
}

// An argument is named as the caller named it.
func TestErrorsNameTheArgumentOfTheirAPI(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		path := "/spaces/" + newFixture(server, nil).value(t, "spaceId") + "/comments"
		for _, test := range []struct{ query, arguments, parameter, argument, message string }{
			{"limit=1001", "first: 1001", "limit", "first", ": 1001 is not between 0 and 1000"},
			{"page=x", `after: "x"`, "page", "after", `: "x" is not a cursor`},
		} {
			for _, listed := range []string{path, "/orgs"} {
				refused := server.As(apptest.Reader).REST(t, http.MethodGet, listed+"?"+test.query, nil).Object(t, http.StatusBadRequest)["error"].(object)
				assert.Equal(t, test.parameter+test.message, refused["message"])
				assert.Equal(t, test.parameter, refused["field"])
			}
			result := server.As(apptest.Reader).GraphQL(t, "{ organizations("+test.arguments+") { totalCount } }", nil)
			assert.Equal(t, test.argument+test.message, result.Errors[0].Message)
			assert.Equal(t, test.argument, result.Errors[0].Extensions["field"])
		}
	})
}
