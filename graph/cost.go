package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"octavo/internal/fault"
	"octavo/internal/pagination"
)

// Limits bound what one GraphQL operation may ask for.
type Limits struct {
	// Cost is the most that an operation may cost: one for each object that it
	// may return, counting every list at the size that is asked for.
	Cost int
	// Depth is how deep selections may be nested.
	Depth int
	// Fields is how many fields, aliases included, an operation may select,
	// fragments counted where they are used.
	Fields int
	// Tokens is how many tokens a document may have.
	Tokens int
}

// DefaultLimits suit the queries of a user interface and of exports in pages.
var DefaultLimits = Limits{Cost: 100_000, Depth: 20, Fields: 2_000, Tokens: 10_000}

const costExtension = "cost"

// costLimit refuses operations beyond the limits before they run, and tells
// every client what its operation costs.
type costLimit struct{ limits Limits }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = costLimit{}

// ExtensionName names the extension for gqlgen.
func (costLimit) ExtensionName() string { return costExtension }

// Validate checks nothing.
func (costLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext weighs the operation.
func (c costLimit) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	definition := operation.Doc.Operations.ForName(operation.OperationName)
	scales := scales{limits: c.limits, variables: operation.Variables, fragments: map[string]weight{}}
	total := scales.selection(definition.SelectionSet)
	operation.Stats.SetExtension(costExtension, total.cost)
	for _, bound := range []struct {
		what         string
		value, limit int
	}{{"cost", total.cost, c.limits.Cost}, {"depth", total.depth, c.limits.Depth}, {"number of fields", total.fields, c.limits.Fields}} {
		if bound.value > bound.limit {
			return exceeded("the operation's %s of %d exceeds the limit of %d", bound.what, bound.value, bound.limit)
		}
	}
	return nil
}

func exceeded(format string, arguments ...any) *gqlerror.Error {
	refused := gqlerror.Errorf(format, arguments...)
	refused.Extensions = map[string]any{"code": string(fault.LimitExceeded)}
	return refused
}

// InterceptResponse adds the cost to the response.
func (c costLimit) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	if response == nil || !graphql.HasOperationContext(ctx) {
		return response
	}
	if requested, known := graphql.GetOperationContext(ctx).Stats.GetExtension(costExtension).(int); known {
		if response.Extensions == nil {
			response.Extensions = map[string]any{}
		}
		response.Extensions[costExtension] = map[string]int{"requested": requested, "limit": c.limits.Cost}
	}
	return response
}

// weight of a selection.
type weight struct{ cost, depth, fields int }

// scales weigh the selections of one operation. A fragment is weighed once,
// however often it is used, so that weighing is linear in the document.
type scales struct {
	limits    Limits
	variables map[string]any
	fragments map[string]weight
}

func (s scales) selection(selections ast.SelectionSet) weight {
	var total weight
	for _, selection := range selections {
		var part weight
		switch selected := selection.(type) {
		case *ast.Field:
			part = s.field(selected)
		case *ast.InlineFragment:
			part = s.selection(selected.SelectionSet)
		case *ast.FragmentSpread:
			part = s.fragment(selected)
		}
		total.cost = saturated(total.cost + part.cost)
		total.fields = saturated(total.fields + part.fields)
		total.depth = max(total.depth, part.depth)
	}
	return total
}

func (s scales) fragment(spread *ast.FragmentSpread) weight {
	known, weighed := s.fragments[spread.Name]
	if !weighed {
		known = s.selection(spread.Definition.SelectionSet)
		s.fragments[spread.Name] = known
	}
	return known
}

func (s scales) field(field *ast.Field) weight {
	if len(field.SelectionSet) == 0 {
		return weight{fields: 1, depth: 1}
	}
	below := s.selection(field.SelectionSet)
	return weight{
		cost:   saturated(1 + below.cost*s.multiplier(field)),
		depth:  below.depth + 1,
		fields: saturated(below.fields + 1),
	}
}

// multiplier is how many items a connection may return.
func (s scales) multiplier(field *ast.Field) int {
	if field.Definition == nil || field.Definition.Arguments.ForName("first") == nil {
		return 1
	}
	arguments := field.ArgumentMap(s.variables)
	for _, name := range []string{"first", "last"} {
		if size, given := number(arguments[name]); given {
			return max(1, min(size, pagination.MaximumSize))
		}
	}
	return pagination.DefaultSize
}

func number(value any) (int, bool) {
	switch number := value.(type) {
	case int64:
		return int(number), true
	case int:
		return number, true
	case float64:
		return int(number), true
	case interface{ Int64() (int64, error) }:
		parsed, err := number.Int64()
		return int(parsed), err == nil
	}
	return 0, false
}

// saturated keeps sums far from overflowing: each addend is at most the
// ceiling, times the maximum page size.
func saturated(value int) int { return min(value, 1<<40) }
