// Package mergerule holds the conditions under which a change request may be
// merged.
package mergerule

import (
	"slices"

	"octavo/internal/condition"
	"octavo/internal/fault"
	"octavo/internal/identifier"
)

// Type tells where the rules of a space or organization come from.
type Type string

// The types.
const (
	Inherit  Type = "inherit" // the organization's rules apply
	Explicit Type = "rules"
	None     Type = "none"
)

// Kind names a rule.
type Kind string

// The rules that exist.
const (
	RequireSpecificReviewers        Kind = "require_specific_reviewers"
	RequireOneOfSpecificReviewers   Kind = "require_one_of_specific_reviewers"
	AllowBypass                     Kind = "allow_bypass"
	RequireAtLeastOneReview         Kind = "require_at_least_one_review"
	RequireAllReviewsApproved       Kind = "require_all_reviews_approved"
	RequireAgentReview              Kind = "require_agent_review"
	RequireUpToDateChangeRequest    Kind = "require_up_to_date_change_request"
	RequireChangeRequestSubject     Kind = "require_change_request_subject"
	RequireChangeRequestDescription Kind = "require_change_request_description"
	Custom                          Kind = "custom"
)

// Rule is one condition. Users are user ids and belong to the rules that name
// people; Expression belongs to Custom.
type Rule struct {
	Rule       Kind     `json:"rule"`
	Users      []string `json:"users,omitempty"`
	Expression string   `json:"expression,omitempty"`
}

// Rules are the rules of one space or organization.
type Rules struct {
	Type  Type   `json:"type"`
	Rules []Rule `json:"rules,omitempty"`
}

const (
	maximumRules = 20
	maximumUsers = 100
)

var needsUsers = map[Kind]bool{
	RequireSpecificReviewers: true, RequireOneOfSpecificReviewers: true, AllowBypass: true,
}

var withoutArguments = map[Kind]bool{
	RequireAtLeastOneReview: true, RequireAllReviewsApproved: true, RequireAgentReview: true,
	RequireUpToDateChangeRequest: true, RequireChangeRequestSubject: true, RequireChangeRequestDescription: true,
}

// Validate checks the form of the rules: known types and kinds, at most 20
// rules, at most 100 users a rule, who are named by ids, expressions that can be evaluated.
func (r Rules) Validate() error {
	if r.Type != Inherit && r.Type != Explicit && r.Type != None {
		return fault.Invalid("mergeRules.type", "%q is not one of inherit, rules, none", r.Type)
	}
	if r.Type != Explicit && len(r.Rules) > 0 {
		return fault.Invalid("mergeRules.rules", "rules go with the type rules only")
	}
	if len(r.Rules) > maximumRules {
		return fault.Invalid("mergeRules.rules", "at most %d rules, got %d", maximumRules, len(r.Rules))
	}
	for _, rule := range r.Rules {
		if err := rule.validate(); err != nil {
			return err
		}
	}
	return nil
}

func (r Rule) validate() error {
	switch {
	case needsUsers[r.Rule]:
		if len(r.Users) == 0 || len(r.Users) > maximumUsers {
			return fault.Invalid("mergeRules.rules.users", "%s takes 1 to %d users, got %d", r.Rule, maximumUsers, len(r.Users))
		}
		for _, userID := range r.Users {
			if prefix, ok := identifier.Split(userID); !ok || prefix != identifier.User {
				return fault.Invalid("mergeRules.rules.users", "%q is not the id of a user", userID)
			}
		}
	case r.Rule == Custom:
		_, err := condition.Parse("mergeRules.rules.expression", r.Expression)
		return err
	case !withoutArguments[r.Rule]:
		return fault.Invalid("mergeRules.rules.rule", "%q is not a merge rule", r.Rule)
	}
	return nil
}

// Users are the ids of the people whom the rules name, each once and in their
// order.
func (r *Rules) Users() []string {
	if r == nil {
		return nil
	}
	var named []string
	for _, rule := range r.Rules {
		for _, userID := range rule.Users {
			if !slices.Contains(named, userID) {
				named = append(named, userID)
			}
		}
	}
	return named
}

// Among returns the rules for a place where only some users are: others are
// taken out. A rule that asked for the review of people of whom none is left
// becomes RequireAtLeastOneReview; AllowBypass without anybody goes.
func (r Rules) Among(users []string) Rules {
	kept := Rules{Type: r.Type}
	for _, rule := range r.Rules {
		if needsUsers[rule.Rule] {
			rule.Users = slices.DeleteFunc(slices.Clone(rule.Users), func(id string) bool { return !slices.Contains(users, id) })
			if len(rule.Users) == 0 {
				if rule.Rule == AllowBypass {
					continue
				}
				rule = Rule{Rule: RequireAtLeastOneReview}
			}
		}
		if !slices.ContainsFunc(kept.Rules, func(other Rule) bool { return other.Rule == rule.Rule && withoutArguments[rule.Rule] }) {
			kept.Rules = append(kept.Rules, rule)
		}
	}
	return kept
}

// Values lists the types.
func (Type) Values() []string { return []string{"inherit", "rules", "none"} }

// Values lists the rules.
func (Kind) Values() []string {
	return []string{
		"require_specific_reviewers", "require_one_of_specific_reviewers", "allow_bypass",
		"require_at_least_one_review", "require_all_reviews_approved", "require_agent_review",
		"require_up_to_date_change_request", "require_change_request_subject",
		"require_change_request_description", "custom",
	}
}
