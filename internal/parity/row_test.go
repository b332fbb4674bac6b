package parity

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
	"octavo/rest/contract"
)

// row says how one operation of the REST API is done in GraphQL, and who may do
// it. {name} and $name stand for values of the fixture.
type row struct {
	operation string
	// field is the path of fields below Query that answers, with arguments:
	// "space(id: $spaceId).revision"; or the field of Mutation.
	field string
	// selection of what the field answers; at is the field of it that REST
	// answers with, where it is not all.
	selection, at string
	// as gives the answer of GraphQL the form of the wire, after reshape.
	as func(answer object) any
	// graphql is the field that the contract names, where it is below field.
	graphql string
	// query and header of the REST call.
	query  string
	header []string
	// body of the REST call, and input of the mutation.
	body, input object
	// minimum is the role that the operation needs.
	minimum access.Role
	// visitors tells that those who came with the token of a site do it as well.
	visitors bool
	// needs says it in words, where a role is not enough.
	needs string
	// codes are those of callers whose answer is not what the role says; ok is
	// the code of success.
	codes map[apptest.Caller]fault.Code
	// with names values of the fixture that stand for others.
	with map[string]string
	// effect is the operation that reads what a write changed.
	effect string
	// creates is the parameter of effect that the answer names by its id.
	creates string
	// prepare makes what an attempt at a write needs beyond the fixture.
	prepare func(t *testing.T, f *fixture)
}

// ok is the code of an operation that succeeded.
const ok fault.Code = ""

func (r row) writes() bool { return !strings.Contains(r.field, "(") && r.input != nil }

// path of fields that the contract names, such as Query.space.revision.
func (r row) path() string {
	if r.graphql != "" {
		return r.graphql
	}
	if r.writes() {
		return "Mutation." + r.field
	}
	return "Query." + strings.Join(names(r.field), ".")
}

var arguments = regexp.MustCompile(`\([^)]*\)`)

// names are the fields of a path without their arguments.
func names(field string) []string { return strings.Split(arguments.ReplaceAllString(field, ""), ".") }

var variable = regexp.MustCompile(`\$(\w+)`)

// variableTypes are those that are not ids.
var variableTypes = map[string]string{"pagePath": "String!", "subdomain": "String!", "redirectSource": "String!", "publishedURL": "String!"}

// document is the operation in GraphQL, with the values of the fixture that its
// variables have.
func (r row) document() (document string, variables []string) {
	if r.writes() {
		input := strings.ToUpper(r.field[:1]) + r.field[1:] + "Input!"
		return "mutation($input: " + input + ") { " + r.field + "(input: $input)" + r.selection + "}", nil
	}
	declared := ""
	for _, match := range variable.FindAllStringSubmatch(r.field, -1) {
		name := match[1]
		variables = append(variables, name)
		kind := "ID!"
		if variableTypes[name] != "" {
			kind = variableTypes[name]
		}
		declared += "$" + name + ": " + kind + " "
	}
	if declared != "" {
		declared = "(" + declared + ")"
	}
	fields := splitFields(r.field)
	return "query" + declared + " { " + strings.Join(fields, " { ") + r.selection + strings.Repeat(" }", len(fields)), variables
}

// splitFields splits a path at the dots that are not inside of arguments.
func splitFields(field string) []string {
	depth := 0
	return strings.FieldsFunc(field, func(character rune) bool {
		switch character {
		case '(':
			depth++
		case ')':
			depth--
		}
		return character == '.' && depth == 0
	})
}

// code is what a caller is told, or ok.
func (r row) code(caller apptest.Caller) fault.Code {
	if code, exceptional := r.codes[caller]; exceptional {
		return code
	}
	switch caller {
	case apptest.Anonymous:
		return fault.Unauthenticated
	case apptest.SiteToken:
		switch {
		case r.visitors:
			return ok
		case !r.writes() && r.with["spaceId"] != "":
			return fault.NotFound // the site shows another space
		}
		return fault.Forbidden
	case apptest.Stranger, apptest.Guest:
		return fault.NotFound
	case apptest.ReadToken:
		if r.writes() {
			return fault.Forbidden
		}
		return ok
	}
	if rankOf(caller) < r.minimum {
		return fault.Forbidden
	}
	return ok
}

// role in words, for the documentation.
func (r row) role() string {
	if r.needs != "" {
		return r.needs
	}
	return r.minimum.String()
}

func rankOf(caller apptest.Caller) access.Role {
	role, err := access.ParseRole(string(caller))
	if err != nil {
		return access.None
	}
	return role
}

// rows is the table of all operations.
var rows = slices.Concat(systemRows, organizationRows, teamRows, inviteRows, collectionRows, spaceRows, permissionRows, contentRows, changeRequestRows, commentRows, siteRows, urlRows)

func rowOf(operation string) (row, bool) {
	index := slices.IndexFunc(rows, func(r row) bool { return r.operation == operation })
	if index < 0 {
		return row{}, false
	}
	return rows[index], true
}

func operationOf(t testing.TB, id string) contract.Operation {
	t.Helper()
	for _, operation := range contract.Operations() {
		if operation.ID == id {
			return operation
		}
	}
	t.Fatalf("the contract has no operation %s", id)
	return contract.Operation{}
}

// merge joins tables of codes.
func merge(tables ...map[apptest.Caller]fault.Code) map[apptest.Caller]fault.Code {
	merged := map[apptest.Caller]fault.Code{}
	for _, table := range tables {
		for caller, code := range table {
			merged[caller] = code
		}
	}
	return merged
}

// everyone tells the given code to the callers.
func everyone(code fault.Code, callers ...apptest.Caller) map[apptest.Caller]fault.Code {
	table := map[apptest.Caller]fault.Code{}
	for _, caller := range callers {
		table[caller] = code
	}
	return table
}

// callers are every kind; with -short those who differ most, for the race
// detector: what may race does not depend on the role.
func callers() []apptest.Caller {
	if testing.Short() {
		return []apptest.Caller{apptest.Admin, apptest.Commenter, apptest.Stranger}
	}
	return append(slices.Clone(apptest.Callers), apptest.SiteToken)
}
