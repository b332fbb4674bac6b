package graph

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"octavo/graph/model"
	"octavo/internal/changerequest"
	"octavo/internal/mergerule"
)

// given returns what a client said of an optional field: nil when nothing, the
// zero value for null, which removes.
func given[T any](field graphql.Omittable[*T]) *T {
	value, isSet := field.ValueOK()
	if !isSet {
		return nil
	}
	if value == nil {
		value = new(T)
	}
	return value
}

// valueOf returns the value of an optional field, or the zero value.
func valueOf[T any](field graphql.Omittable[*T]) T {
	if value := field.Value(); value != nil {
		return *value
	}
	var none T
	return none
}

// givenDocument is given for a document: the empty document removes it.
func givenDocument(field graphql.Omittable[json.RawMessage]) *json.RawMessage {
	value, isSet := field.ValueOK()
	if !isSet {
		return nil
	}
	return &value
}

func changeRequestFilter(filter *model.ChangeRequestFilter) changerequest.Filter {
	if filter == nil {
		return changerequest.Filter{}
	}
	return changerequest.Filter{
		Status: valueOf(filter.Status), CreatorID: valueOf(filter.Creator), ContributorID: valueOf(filter.Contributor),
		RequestedReviewerID: valueOf(filter.RequestedReviewer), IssuesClusterID: valueOf(filter.ConversationsIssuesCluster),
	}
}

func mergeRules(field graphql.Omittable[*model.MergeRulesInput]) *mergerule.Rules {
	input := field.Value()
	if input == nil {
		return nil
	}
	rules := mergerule.Rules{Type: input.Type}
	for _, rule := range input.Rules.Value() {
		rules.Rules = append(rules.Rules, mergerule.Rule{
			Rule: rule.Rule, Users: rule.Users.Value(), Expression: valueOf(rule.Expression),
		})
	}
	return &rules
}
