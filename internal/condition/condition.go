// Package condition evaluates the expressions of conditions and of texts:
// `visitor.claims.plan === "pro"`. Their language is a part of JavaScript's:
// members, literals, comparisons, &&, ||, !, ?:, arithmetic, and the methods
// includes, startsWith and endsWith and the length of texts and lists. What is
// not defined is null, any value is a condition by its truth, and nothing else
// can be called.
package condition

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"octavo/internal/fault"
)

// MaximumLength is how long an expression may be, in bytes.
const MaximumLength = 1024

const (
	maximumNodes  = 500
	maximumMemory = 100_000
)

// Expression can be evaluated. It is safe for concurrent use.
type Expression struct {
	program *vm.Program
	// deterministic says whether it depends on the content alone.
	deterministic bool
}

// Parse reads an expression. The error, a *fault.Error about the field, names
// the place of the mistake, in characters from 1.
func Parse(field, source string) (*Expression, error) {
	if len(source) > MaximumLength {
		return nil, fault.Invalid(field, "may have %d characters, got %d", MaximumLength, len(source))
	}
	if strings.TrimSpace(source) == "" {
		return nil, fault.Invalid(field, "is empty")
	}
	program, err := compile(source)
	if err == nil {
		return &Expression{program: program, deterministic: isDeterministic(program)}, nil
	}
	var at *file.Error
	if errors.As(err, &at) {
		return nil, fault.Invalid(field, "character %d: %s", at.Column+1, at.Message).With("position", at.Column+1)
	}
	return nil, fault.Invalid(field, "%v", err)
}

// IsDeterministic says whether the expression depends on the content alone, on
// the variables of the space and the page, and not on the visitor.
func (e *Expression) IsDeterministic() bool { return e.deterministic }

// Holds says whether the value of the expression is true. An expression that
// cannot be evaluated does not hold.
func (e *Expression) Holds(variables map[string]any) bool {
	value, err := e.Value(variables)
	return err == nil && Truth(value)
}

// compile reads an expression of the dialect.
func compile(source string) (*vm.Program, error) {
	rewritten, err := rewrite(source)
	if err != nil {
		return nil, err
	}
	known, err := parser.Parse(rewritten)
	if err != nil {
		return nil, err
	}
	calls := &unknownCall{}
	ast.Walk(&known.Node, calls)
	if calls.found != nil {
		return nil, calls.found
	}
	return expr.Compile(rewritten,
		expr.Env(map[string]any{}), expr.AllowUndefinedVariables(), expr.MaxNodes(maximumNodes),
		expr.DisableAllBuiltins(), expr.Optimize(false),
		expr.Function("includes", includes), expr.Function("startsWith", affix(strings.HasPrefix)),
		expr.Function("endsWith", affix(strings.HasSuffix)), expr.Function("truthy", truthyFunction),
		expr.Function("length", textLength),
		expr.Patch(javaScript{}),
	)
}

// unknownCall finds a call of something that is not a method of a text or list.
type unknownCall struct{ found error }

func (u *unknownCall) Visit(node *ast.Node) {
	switch current := (*node).(type) {
	case *ast.BuiltinNode, *ast.VariableDeclaratorNode, *ast.PredicateNode, *ast.PointerNode:
		u.refuse(current)
	case *ast.CallNode:
		member, ok := current.Callee.(*ast.MemberNode)
		if ok {
			property, isName := member.Property.(*ast.StringNode)
			ok = isName && slices.Contains(methods, property.Value)
		}
		if !ok {
			u.refuse(current)
		}
	case *ast.BinaryNode:
		if current.Operator == ".." || current.Operator == "matches" {
			u.refuse(current)
		}
	}
}

func (u *unknownCall) refuse(node ast.Node) {
	at := node.Location()
	u.found = &file.Error{Location: at, Line: 1, Column: at.From, Message: "only includes, startsWith and endsWith can be called"}
}

// methods are the methods of texts and lists.
var methods = []string{"includes", "startsWith", "endsWith"}

func includes(arguments ...any) (any, error) {
	if len(arguments) != 2 {
		return nil, errors.New("includes takes one value")
	}
	switch whole := arguments[0].(type) {
	case string:
		part, ok := arguments[1].(string)
		return ok && strings.Contains(whole, part), nil
	case []any:
		return slices.ContainsFunc(whole, func(entry any) bool { return sameScalar(entry, arguments[1]) }), nil
	}
	return false, nil
}

func sameScalar(first, second any) bool {
	switch first.(type) {
	case string, bool, nil:
		return first == second
	}
	left, leftOK := number(first)
	right, rightOK := number(second)
	return leftOK && rightOK && left == right
}

func number(value any) (float64, bool) {
	switch value := value.(type) {
	case int:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}

func affix(has func(string, string) bool) func(...any) (any, error) {
	return func(arguments ...any) (any, error) {
		if len(arguments) != 2 {
			return nil, errors.New("takes one text")
		}
		whole, first := arguments[0].(string)
		part, second := arguments[1].(string)
		return first && second && has(whole, part), nil
	}
}

func textLength(arguments ...any) (any, error) {
	if len(arguments) == 1 {
		switch value := arguments[0].(type) {
		case string:
			return len([]rune(value)), nil
		case []any:
			return len(value), nil
		}
	}
	return nil, nil
}

func truthyFunction(arguments ...any) (any, error) {
	return len(arguments) == 1 && Truth(arguments[0]), nil
}

// Truth of a value is JavaScript's: everything but false, 0, "", null and NaN.
func Truth(value any) bool {
	switch value := value.(type) {
	case nil:
		return false
	case bool:
		return value
	case string:
		return value != ""
	}
	if amount, ok := number(value); ok {
		return amount != 0 && !math.IsNaN(amount)
	}
	return true
}

// javaScript gives an expression JavaScript's meaning: methods of texts and
// lists are functions, a missing member is null, any value is a condition.
type javaScript struct{}

func (javaScript) Visit(node *ast.Node) {
	switch current := (*node).(type) {
	case *ast.CallNode:
		callee := current.Callee
		if chain, ok := callee.(*ast.ChainNode); ok {
			callee = chain.Node
		}
		member, ok := callee.(*ast.MemberNode)
		if !ok {
			return
		}
		property, ok := member.Property.(*ast.StringNode)
		if !ok || !slices.Contains(methods, property.Value) {
			return
		}
		ast.Patch(node, call(property.Value, append([]ast.Node{member.Node}, current.Arguments...)...))
	case *ast.MemberNode:
		if property, ok := current.Property.(*ast.StringNode); ok && property.Value == "length" {
			ast.Patch(node, call("length", current.Node))
			return
		}
		if !current.Optional {
			current.Optional = true
			ast.Patch(node, &ast.ChainNode{Node: current})
		}
	case *ast.ConditionalNode:
		current.Cond = call("truthy", current.Cond)
	case *ast.UnaryNode:
		if current.Operator == "!" || current.Operator == "not" {
			current.Node = call("truthy", current.Node)
		}
	case *ast.BinaryNode:
		if operator := current.Operator; operator == "&&" || operator == "||" {
			// a && b is b when a holds, and a || b is a: the value is kept.
			condition, left, right := call("truthy", current.Left), current.Left, current.Right
			if operator == "&&" {
				left, right = right, left
			}
			ast.Patch(node, &ast.ConditionalNode{Cond: condition, Exp1: left, Exp2: right})
		}
	}
}

func call(name string, arguments ...ast.Node) ast.Node {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments}
}

// operators are the spellings that differ from JavaScript's. They have the same
// length, so that places stay what they are.
var operators = []struct{ from, to string }{{"===", "== "}, {"!==", "!= "}}

// rewrite spells JavaScript's operators in the library's way, outside
// of texts.
func rewrite(expression string) (string, error) {
	var output strings.Builder
	for index := 0; index < len(expression); {
		if quote := expression[index]; quote == '"' || quote == '\'' {
			end := closingQuote(expression, index)
			if end < 0 {
				return "", &file.Error{Location: file.Location{From: index}, Line: 1, Column: index, Message: "the text is not closed"}
			}
			output.WriteString(expression[index : end+1])
			index = end + 1
			continue
		}
		if character := expression[index]; strings.IndexByte("`#|;{}", character) >= 0 && !strings.HasPrefix(expression[index:], "||") {
			return "", &file.Error{Location: file.Location{From: index}, Line: 1, Column: index, Message: fmt.Sprintf("%q is not allowed", character)}
		}
		if strings.HasPrefix(expression[index:], "||") {
			output.WriteString("||")
			index += 2
			continue
		}
		length := 1
		written := expression[index : index+1]
		for _, operator := range operators {
			if strings.HasPrefix(expression[index:], operator.from) {
				length, written = len(operator.from), operator.to
			}
		}
		output.WriteString(written)
		index += length
	}
	return output.String(), nil
}

// closingQuote is the index of the quote that ends the text begun at open, or
// -1 when there is none.
func closingQuote(expression string, open int) int {
	for index := open + 1; index < len(expression); index++ {
		switch expression[index] {
		case '\\':
			index++
		case expression[open]:
			return index
		}
	}
	return -1
}

// Value of the expression with the variables, which are as encoding/json makes
// them; what is not defined is null.
func (e *Expression) Value(variables map[string]any) (value any, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			value, err = nil, fmt.Errorf("evaluate: %v", problem)
		}
	}()
	machine := vm.VM{MemoryBudget: maximumMemory}
	return machine.Run(e.program, variables)
}

func isDeterministic(program *vm.Program) bool {
	finder := &rootFinder{}
	node := program.Node()
	ast.Walk(&node, finder)
	return !finder.other
}

type rootFinder struct{ other bool }

func (f *rootFinder) Visit(node *ast.Node) {
	identifier, ok := (*node).(*ast.IdentifierNode)
	if !ok {
		return
	}
	switch identifier.Value {
	case "space", "page", "includes", "startsWith", "endsWith", "truthy", "length", "undefined":
	default:
		f.other = true
	}
}

// Format writes a value as text shows it.
func Format(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case bool:
		return strconv.FormatBool(value)
	case int:
		return strconv.Itoa(value)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
