package changerequest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"octavo/ent"
	"octavo/ent/requestedreviewer"
	entreview "octavo/ent/review"
	"octavo/internal/access"
	"octavo/internal/condition"
	"octavo/internal/enum"
	"octavo/internal/mergerule"
	"octavo/internal/space"
)

// UnmetRule is a merge rule that keeps a change request from being merged.
type UnmetRule struct {
	Rule mergerule.Kind
	// Message says what is missing.
	Message string
}

// UnmetRules returns the merge rules of the space that the change request does
// not meet, in their order; a space that inherits has those of its
// organization. A caller whom an allow_bypass rule names is held by none.
//
// The latest verdict of each reviewer counts. An approval counts while the
// content is what was approved; a request for changes stands until its reviewer
// gives another verdict, whatever happens to the content. Whoever made the
// change request does not review it.
//
//   - require_specific_reviewers: each of the people approves.
//   - require_one_of_specific_reviewers: one of them does.
//   - require_at_least_one_review: somebody reviewed the current content.
//   - require_all_reviews_approved: everybody who reviewed or was asked to
//     approves. Without either it is met.
//   - require_agent_review: never met, for no agent reviews on this server.
//   - require_up_to_date_change_request: it is not outdated.
//   - require_change_request_subject, require_change_request_description: there
//     is more than white space.
//   - custom: the expression holds for subject, description (plain text),
//     status, outdated, author, reviews, approvals, changesRequested and
//     pendingReviews (numbers), approvers and requestedReviewers (lists of user
//     ids). One that cannot be evaluated is not met.
func (s *Service) UnmetRules(ctx context.Context, home *space.Space, changeRequest *ChangeRequest) ([]*UnmetRule, error) {
	rules, err := s.rulesOf(ctx, home)
	if err != nil || len(rules) == 0 || bypasses(rules, access.From(ctx).UserID) {
		return nil, err
	}
	standing, err := s.standing(ctx, changeRequest)
	if err != nil {
		return nil, err
	}
	var unmet []*UnmetRule
	for _, rule := range rules {
		if message := standing.missing(rule); message != "" {
			unmet = append(unmet, &UnmetRule{Rule: rule.Rule, Message: message})
		}
	}
	return unmet, nil
}

func (s *Service) rulesOf(ctx context.Context, home *space.Space) ([]mergerule.Rule, error) {
	if home.MergeRules.Type != mergerule.Inherit {
		return home.MergeRules.Rules, nil
	}
	owner, err := s.database.Client(ctx).Organization.Get(ctx, home.OrganizationID)
	if err != nil {
		return nil, err
	}
	return owner.MergeRules.Rules, nil
}

func bypasses(rules []mergerule.Rule, userID string) bool {
	return slices.ContainsFunc(rules, func(rule mergerule.Rule) bool {
		return rule.Rule == mergerule.AllowBypass && slices.Contains(rule.Users, userID)
	})
}

// standing is what rules look at.
type standing struct {
	*ChangeRequest
	description string
	// reviewed counts those whose latest verdict is on the current content.
	reviewed int
	// approvers, opponents and stale are reviewers by their latest verdict:
	// an approval that counts, a request for changes, an approval of content
	// that has changed since.
	approvers, opponents, stale []string
	// pending are those who were asked and have not answered.
	pending []string
}

func (s *Service) standing(ctx context.Context, changeRequest *ChangeRequest) (*standing, error) {
	description, err := changeRequest.descriptionText()
	if err != nil {
		return nil, fmt.Errorf("description of change request %s: %w", changeRequest.ID, err)
	}
	client := s.database.Client(ctx)
	reviews, err := client.Review.Query().Where(entreview.ChangeRequestID(changeRequest.ID)).Order(entreview.ByID()).All(ctx)
	if err != nil {
		return nil, err
	}
	asked, err := client.RequestedReviewer.Query().Where(requestedreviewer.ChangeRequestID(changeRequest.ID)).
		Order(requestedreviewer.ByID()).All(ctx)
	if err != nil {
		return nil, err
	}
	current := &standing{ChangeRequest: changeRequest, description: description}
	current.weigh(reviews)
	for _, request := range asked {
		current.pending = append(current.pending, request.UserID)
	}
	return current, nil
}

// weigh takes the latest verdict of each reviewer, out of reviews from the
// oldest to the newest.
func (s *standing) weigh(reviews []*ent.Review) {
	latest := make(map[string]bool, len(reviews))
	for _, review := range slices.Backward(reviews) {
		if latest[review.ReviewerID] {
			continue
		}
		latest[review.ReviewerID] = true
		current := review.RevisionID == s.RevisionID
		if current {
			s.reviewed++
		}
		switch {
		case review.Status == enum.ReviewChangesRequested:
			s.opponents = append(s.opponents, review.ReviewerID)
		case current:
			s.approvers = append(s.approvers, review.ReviewerID)
		default:
			s.stale = append(s.stale, review.ReviewerID)
		}
	}
}

// missing says what a rule misses; nothing when it is met.
func (s *standing) missing(rule mergerule.Rule) string {
	switch rule.Rule {
	case mergerule.RequireSpecificReviewers:
		return s.missingApprovals(rule.Users)
	case mergerule.RequireOneOfSpecificReviewers:
		return unless(slices.ContainsFunc(rule.Users, s.approvedBy), "one of these people has to approve: "+strings.Join(rule.Users, ", "))
	case mergerule.RequireAtLeastOneReview:
		return unless(s.reviewed > 0, "somebody has to review the current content")
	case mergerule.RequireAllReviewsApproved:
		return s.missingFromAll()
	case mergerule.RequireAgentReview:
		return "an agent has to review it, and none does on this server"
	case mergerule.RequireUpToDateChangeRequest:
		return unless(!s.Outdated, "it has to be updated from the main content")
	case mergerule.RequireChangeRequestSubject:
		return unless(strings.TrimSpace(s.Subject) != "", "it needs a subject")
	case mergerule.RequireChangeRequestDescription:
		return unless(strings.TrimSpace(s.description) != "", "it needs a description")
	case mergerule.Custom:
		return s.missingFor(rule.Expression)
	}
	return ""
}

func unless(met bool, message string) string {
	if met {
		return ""
	}
	return message
}

func (s *standing) approvedBy(userID string) bool { return slices.Contains(s.approvers, userID) }

func (s *standing) missingApprovals(userIDs []string) string {
	var missing []string
	for _, userID := range userIDs {
		if !s.approvedBy(userID) {
			missing = append(missing, userID)
		}
	}
	return unless(len(missing) == 0, "these people have to approve: "+strings.Join(missing, ", "))
}

func (s *standing) missingFromAll() string {
	open := slices.Concat(s.opponents, s.stale, s.pending)
	slices.Sort(open)
	return unless(len(open) == 0, "these reviewers do not approve of the current content yet: "+strings.Join(slices.Compact(open), ", "))
}

func (s *standing) missingFor(expression string) string {
	parsed, err := condition.Parse("expression", expression)
	if err != nil {
		return fmt.Sprintf("the condition %s cannot be evaluated: %s", expression, err)
	}
	holds := parsed.Holds(map[string]any{
		"subject": s.Subject, "description": s.description, "status": string(s.Status), "outdated": s.Outdated,
		"author": s.CreatorID, "reviews": s.reviewed, "approvals": len(s.approvers), "changesRequested": len(s.opponents),
		"pendingReviews": len(s.pending), "approvers": list(s.approvers), "requestedReviewers": list(s.pending),
	})
	return unless(holds, "the condition does not hold: "+expression)
}

// list is a list as expressions know it.
func list(texts []string) []any {
	values := make([]any, len(texts))
	for index, text := range texts {
		values[index] = text
	}
	return values
}
