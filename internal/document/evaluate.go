package document

import (
	"maps"

	"octavo/internal/condition"
)

// EvaluateMode tells which expressions Evaluate replaces.
type EvaluateMode int

const (
	// EvaluateAll replaces every expression.
	EvaluateAll EvaluateMode = iota
	// EvaluateDeterministic replaces those that depend on the variables of
	// the space and the page alone, not on the visitor.
	EvaluateDeterministic
	// EvaluateStrictly replaces every expression and leaves out what cannot be
	// evaluated: for readers who must not see what is not known to be theirs.
	EvaluateStrictly
)

// Evaluate returns the document with its expressions replaced by their values
// and its conditional blocks by what they hold, or by nothing. Variables that
// are not defined are null; an expression that cannot be evaluated stays as it
// is. The document itself does not change.
func Evaluate(document *Document, variables map[string]any, mode EvaluateMode) *Document {
	evaluator := &evaluator{variables: variables, mode: mode, expressions: map[string]*condition.Expression{}}
	return &Document{Data: document.Data, Nodes: evaluator.nodes(document.Nodes)}
}

type evaluator struct {
	variables map[string]any
	mode      EvaluateMode
	// expressions holds what was parsed; nil for what cannot be evaluated.
	expressions map[string]*condition.Expression
}

func (e *evaluator) nodes(nodes []*Node) []*Node {
	if nodes == nil {
		return nil
	}
	evaluated := make([]*Node, 0, len(nodes))
	changed := false
	for _, node := range nodes {
		switch node.Type {
		case "expression":
			value, ok := e.value(node.text("expression"))
			if !ok && e.mode != EvaluateStrictly {
				evaluated = append(evaluated, node)
				continue
			}
			changed = true
			if text := condition.Format(value); text != "" {
				evaluated = append(evaluated, newText(Leaf{Text: text}))
			}
		case "if":
			value, ok := e.value(node.text("expression"))
			if !ok && e.mode != EvaluateStrictly {
				evaluated = append(evaluated, e.node(node))
				continue
			}
			if condition.Truth(value) {
				evaluated = append(evaluated, e.nodes(node.Nodes)...)
			}
		default:
			evaluated = append(evaluated, e.node(node))
		}
	}
	if changed {
		return joinCopies(evaluated)
	}
	return evaluated
}

// joinCopies joins texts without changing the leaves of the document.
func joinCopies(nodes []*Node) []*Node {
	copies := make([]*Node, len(nodes))
	for index, node := range nodes {
		copied := *node
		copies[index] = &copied
	}
	return joinTexts(copies)
}

func (e *evaluator) node(node *Node) *Node {
	if len(node.Nodes) == 0 && len(node.Fragments) == 0 {
		return node
	}
	copied := *node
	copied.Data = maps.Clone(node.Data)
	copied.Nodes = e.nodes(node.Nodes)
	if node.Fragments != nil {
		copied.Fragments = e.nodes(node.Fragments)
	}
	return &copied
}

func (e *evaluator) value(expression string) (any, bool) {
	parsed, known := e.expressions[expression]
	if !known {
		candidate, err := condition.Parse("expression", expression)
		if err == nil && (e.mode != EvaluateDeterministic || candidate.IsDeterministic()) {
			parsed = candidate
		}
		e.expressions[expression] = parsed
	}
	if parsed == nil {
		return nil, false
	}
	value, err := parsed.Value(e.variables)
	return value, err == nil
}
