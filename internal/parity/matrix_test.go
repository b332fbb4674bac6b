package parity

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"octavo/graph/generated"
	"octavo/internal/apptest"
	"octavo/internal/fault"
	"octavo/rest/contract"
)

func TestEveryOperationIsInTheTable(t *testing.T) {
	t.Parallel()
	listed := map[string]int{}
	for _, row := range rows {
		listed[row.operation]++
	}
	for _, operation := range contract.Operations() {
		assert.Equal(t, 1, listed[operation.ID], operation.ID)
		delete(listed, operation.ID)
	}
	assert.Empty(t, listed, "operations that the contract does not have")
}

func TestContractNamesTheFieldOfEachOperation(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	for _, operation := range contract.Operations() {
		row, known := rowOf(operation.ID)
		require.True(t, known, operation.ID)
		assert.Equal(t, row.path(), operation.GraphQL, operation.ID)
		document, _ := row.document()
		parsed, errs := gqlparser.LoadQueryWithRules(schema, document, rules.NewDefaultRules())
		require.Empty(t, errs, "%s: %s", operation.ID, document)
		assert.True(t, selects(parsed.Operations[0].SelectionSet, strings.Split(operation.GraphQL, ".")[1:]),
			"%s: %s is not in %s", operation.ID, operation.GraphQL, document)
	}
}

// selects tells whether a path of fields is in a selection.
func selects(selection ast.SelectionSet, path []string) bool {
	if len(path) == 0 {
		return true
	}
	for _, each := range selection {
		if field, is := each.(*ast.Field); is && field.Name == path[0] && selects(field.SelectionSet, path[1:]) {
			return true
		}
	}
	return false
}

// answer is what an API said to an attempt.
type answer struct {
	code fault.Code
	// status of REST.
	status int
	// payload in the form of the wire.
	payload any
}

func (r row) overREST(t testing.TB, f *fixture, caller apptest.Caller) answer {
	t.Helper()
	operation := operationOf(t, r.operation)
	path := f.path(t, operation.Path)
	if r.query != "" {
		path += "?" + f.path(t, r.query)
	}
	var body any
	if r.body != nil {
		body = f.fill(t, r.body)
	}
	response := f.client(t, caller).REST(t, operation.Method, path, body, r.header...)
	given := answer{status: response.Status}
	if response.Status < http.StatusBadRequest {
		require.Contains(t, operation.Success, response.Status)
		if len(response.Body) > 0 {
			require.NoError(t, json.Unmarshal(response.Body, &given.payload))
		}
		return given
	}
	var refusal struct{ Error struct{ Code int } }
	require.NoError(t, json.Unmarshal(response.Body, &refusal))
	assert.Equal(t, response.Status, refusal.Error.Code)
	return given
}

func (r row) overGraphQL(t testing.TB, f *fixture, caller apptest.Caller) answer {
	t.Helper()
	document, names := r.document()
	variables := object{}
	for _, name := range names {
		variables[name] = f.value(t, name)
	}
	if r.writes() {
		variables["input"] = f.fill(t, r.input)
	}
	result := f.client(t, caller).GraphQL(t, document, variables)
	if len(result.Errors) > 0 {
		require.NotEmpty(t, result.Code(), "%v", result.Errors)
		return answer{code: fault.Code(result.Code())}
	}
	return answer{payload: r.wire(result.Data)}
}

// wire is the answer of GraphQL in the form of the wire.
func (r row) wire(data any) any {
	path := splitFields(r.field)
	for _, field := range path {
		data = data.(object)[names(field)[0]]
	}
	data = reshape(data)
	if r.at != "" {
		data = data.(object)[r.at]
	}
	if r.as != nil {
		data = r.as(data.(object))
	}
	return data
}

// agree checks that both APIs say the same, and what the table says.
func (r row) agree(t *testing.T, caller apptest.Caller, rest, graphql answer) {
	t.Helper()
	expected := r.code(caller)
	if operationOf(t, r.operation).Method == http.MethodDelete {
		r.agreeOnDeletion(t, expected, rest, graphql)
		return
	}
	assert.Equal(t, expected, graphql.code, "GraphQL")
	if expected != ok {
		assert.Equal(t, expected.Status(), rest.status, "REST")
		return
	}
	assert.Less(t, rest.status, http.StatusBadRequest, "REST")
	if graphql.code != ok || rest.status >= http.StatusBadRequest {
		return
	}
	if rest.payload == nil && rest.status != http.StatusOK {
		return // the contract has no body for this status
	}
	assert.Empty(t, differences("", rest.payload, graphql.payload))
}

// agreeOnDeletion: to delete what is not there is not an error in REST, nor
// where GraphQL answers whether there was anything.
func (r row) agreeOnDeletion(t *testing.T, expected fault.Code, rest, graphql answer) {
	t.Helper()
	switch expected {
	case ok:
		assert.Equal(t, http.StatusResetContent, rest.status)
		assert.Equal(t, answer{payload: object{"deleted": true}}, graphql)
	case fault.NotFound:
		assert.Equal(t, http.StatusNoContent, rest.status)
		if graphql.code == ok {
			assert.Equal(t, object{"deleted": false}, graphql.payload)
			return
		}
		assert.Equal(t, fault.NotFound, graphql.code)
	default:
		assert.Equal(t, expected.Status(), rest.status, "REST")
		assert.Equal(t, expected, graphql.code, "GraphQL")
	}
}

func TestBothAPIsAnswerTheSameToEveryCaller(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		f := newFixture(server, nil)
		f.everything(t, append(readNames(t), "siteToken"))
		for _, row := range rows {
			if row.writes() {
				continue
			}
			t.Run(row.operation, func(t *testing.T) {
				t.Parallel()
				seen := f.seen(t, row.with)
				for _, caller := range callers() {
					t.Run(string(caller), func(t *testing.T) {
						row.agree(t, caller, row.overREST(t, seen, caller), row.overGraphQL(t, seen, caller))
					})
				}
			})
		}
	})
}

// readNames are the values that the rows that read name.
func readNames(t testing.TB) []string {
	t.Helper()
	var found []string
	for _, row := range rows {
		if row.writes() {
			continue
		}
		_, variables := row.document()
		for _, match := range placeholder.FindAllStringSubmatch(operationOf(t, row.operation).Path, -1) {
			variables = append(variables, match[1])
		}
		for _, name := range variables {
			if other, stands := row.with[name]; stands {
				name = other
			}
			found = append(found, name)
		}
	}
	return found
}

// TestBothAPIsDoTheSameForEveryCaller tries each write over each API on equal
// fixtures. What was refused must leave its fixture as it was.
func TestBothAPIsDoTheSameForEveryCaller(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for _, row := range rows {
			if !row.writes() {
				continue
			}
			t.Run(row.operation, func(t *testing.T) {
				t.Parallel()
				untouched := newFixture(server, row.with)
				for _, caller := range callers() {
					t.Run(string(caller), func(t *testing.T) {
						if row.code(caller) == ok {
							row.performed(t, server, caller)
							return
						}
						row.refused(t, untouched, caller)
					})
				}
			})
		}
	})
}

func (r row) refused(t *testing.T, f *fixture, caller apptest.Caller) {
	t.Helper()
	r.prepared(t, f)
	f.client(t, caller)
	before := r.state(t, f)
	r.agree(t, caller, r.overREST(t, f, caller), r.overGraphQL(t, f, caller))
	assert.Equal(t, before, r.state(t, f), "what was refused was done")
}

// prepared makes what the write names.
func (r row) prepared(t *testing.T, f *fixture) {
	t.Helper()
	if r.prepare != nil {
		r.prepare(t, f)
	}
	f.path(t, operationOf(t, r.operation).Path)
	f.fill(t, r.body)
	f.fill(t, r.input)
}

// state is what a write changes, as the administrator reads it.
func (r row) state(t *testing.T, f *fixture) string {
	t.Helper()
	if r.effect == "" || r.creates != "" {
		return ""
	}
	return r.read(t, f)
}

// read does the operation that reads the effect over both APIs, which must
// agree but for times: what was begun in the background goes on.
func (r row) read(t *testing.T, f *fixture) string {
	t.Helper()
	reading, known := rowOf(r.effect)
	require.True(t, known, r.effect)
	rest, graphql := reading.overREST(t, f, apptest.Admin), reading.overGraphQL(t, f, apptest.Admin)
	require.Less(t, rest.status, http.StatusBadRequest, r.effect)
	require.Equal(t, ok, graphql.code, r.effect)
	state := normal(t, f, rest.payload)
	require.Empty(t, differences("", decoded(t, state), decoded(t, normal(t, f, graphql.payload))), r.effect)
	return state
}

func (r row) performed(t *testing.T, server *apptest.Server, caller apptest.Caller) {
	t.Helper()
	rest, restState := r.attempt(t, newFixture(server, r.with), caller, row.overREST)
	graphql, graphqlState := r.attempt(t, newFixture(server, r.with), caller, row.overGraphQL)
	r.agree(t, caller, rest, graphql)
	assert.Equal(t, restState, graphqlState, "the APIs did not do the same")
}

// attempt performs the write and returns its answer, without what differs
// between fixtures, and its effect.
func (r row) attempt(t *testing.T, f *fixture, caller apptest.Caller, over func(row, testing.TB, *fixture, apptest.Caller) answer) (given answer, after string) {
	t.Helper()
	r.prepared(t, f)
	before := r.state(t, f)
	given = over(r, t, f, caller)
	if r.creates != "" {
		require.IsType(t, object{}, given.payload)
		f.set(f.standing(r.creates), given.payload.(object)["id"].(string))
	}
	given.payload = decoded(t, normal(t, f, given.payload))
	if r.effect == "" {
		return given, ""
	}
	after = r.read(t, f)
	assert.NotEqual(t, before, after, "the write has no effect")
	return given, after
}

// standing is the name whose value stands for the given one.
func (f *fixture) standing(name string) string {
	if other, stands := f.with[name]; stands {
		return other
	}
	return name
}

func decoded(t testing.TB, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}
