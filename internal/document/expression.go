package document

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

const (
	maximumExpressionNodes  = 500
	maximumExpressionMemory = 100_000
)

// CheckExpression says whether an expression can be evaluated. The error, a
// *fault.Error, names the place of the fault, in characters from 1.
func CheckExpression(expression string) error {
	if len(expression) > maximumExpression {
		return fault.Invalid("expression", "may have %d characters", maximumExpression)
	}
	if strings.TrimSpace(expression) == "" {
		return fault.Invalid("expression", "is empty")
	}
	_, err := compile(expression)
	if err == nil {
		return nil
	}
	var at *file.Error
	if errors.As(err, &at) {
		return fault.Invalid("expression", "character %d: %s", at.Column+1, at.Message).With("position", at.Column+1)
	}
	return fault.Invalid("expression", "%v", err)
}

// compile reads an expression of the dialect, which is JavaScript's.
func compile(expression string) (*vm.Program, error) {
	if len(expression) > maximumExpression {
		return nil, fmt.Errorf("longer than %d characters", maximumExpression)
	}
	rewritten, err := rewriteExpression(expression)
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
		expr.Env(map[string]any{}), expr.AllowUndefinedVariables(), expr.MaxNodes(maximumExpressionNodes),
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
	return len(arguments) == 1 && truthy(arguments[0]), nil
}

// truthy is JavaScript's: everything but false, 0, "", null and NaN.
func truthy(value any) bool {
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

// operators are the spellings that differ from JavaScript's.
var operators = []struct{ from, to string }{{"===", "=="}, {"!==", "!="}}

// rewriteExpression spells JavaScript's operators in the library's way, outside
// of texts.
func rewriteExpression(expression string) (string, error) {
	var output strings.Builder
	for index := 0; index < len(expression); {
		if quote := expression[index]; quote == '"' || quote == '\'' {
			end := closingQuote([]byte(expression), index, `\`)
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

// run evaluates an expression; undefined variables are null.
func run(program *vm.Program, variables map[string]any) (value any, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			value, err = nil, fmt.Errorf("evaluate: %v", problem)
		}
	}()
	machine := vm.VM{MemoryBudget: maximumExpressionMemory}
	return machine.Run(program, variables)
}

// EvaluateCondition says whether a condition holds for the variables. A
// condition that cannot be evaluated does not hold, and the error says why.
func EvaluateCondition(condition string, variables map[string]any) (bool, error) {
	program, err := compile(condition)
	if err != nil {
		return false, err
	}
	value, err := run(program, variables)
	return err == nil && truthy(value), err
}

// isDeterministic says whether an expression depends on the content alone:
// on the variables of the space and the page.
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

// formatValue writes a value as text shows it.
func formatValue(value any) string {
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
