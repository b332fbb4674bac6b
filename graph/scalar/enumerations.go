package scalar

import (
	"github.com/99designs/gqlgen/graphql"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/mergerule"
	"octavo/internal/permission"
)

// gqlgen finds the pair of functions for an enumeration by its name.

// MarshalOrder writes a value as GraphQL has it.
func MarshalOrder(value enum.Order) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalOrder reads a value as GraphQL has it.
func UnmarshalOrder(value any) (enum.Order, error) { return unmarshalEnumeration[enum.Order](value) }

// MarshalSpaceVisibility writes a value as GraphQL has it.
func MarshalSpaceVisibility(value enum.SpaceVisibility) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalSpaceVisibility reads a value as GraphQL has it.
func UnmarshalSpaceVisibility(value any) (enum.SpaceVisibility, error) {
	return unmarshalEnumeration[enum.SpaceVisibility](value)
}

// MarshalEditMode writes a value as GraphQL has it.
func MarshalEditMode(value enum.EditMode) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalEditMode reads a value as GraphQL has it.
func UnmarshalEditMode(value any) (enum.EditMode, error) {
	return unmarshalEnumeration[enum.EditMode](value)
}

// MarshalRevisionType writes a value as GraphQL has it.
func MarshalRevisionType(value enum.RevisionType) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalRevisionType reads a value as GraphQL has it.
func UnmarshalRevisionType(value any) (enum.RevisionType, error) {
	return unmarshalEnumeration[enum.RevisionType](value)
}

// MarshalChangeRequestStatus writes a value as GraphQL has it.
func MarshalChangeRequestStatus(value enum.ChangeRequestStatus) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalChangeRequestStatus reads a value as GraphQL has it.
func UnmarshalChangeRequestStatus(value any) (enum.ChangeRequestStatus, error) {
	return unmarshalEnumeration[enum.ChangeRequestStatus](value)
}

// MarshalReviewStatus writes a value as GraphQL has it.
func MarshalReviewStatus(value enum.ReviewStatus) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalReviewStatus reads a value as GraphQL has it.
func UnmarshalReviewStatus(value any) (enum.ReviewStatus, error) {
	return unmarshalEnumeration[enum.ReviewStatus](value)
}

// MarshalContribution writes a value as GraphQL has it.
func MarshalContribution(value enum.Contribution) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalContribution reads a value as GraphQL has it.
func UnmarshalContribution(value any) (enum.Contribution, error) {
	return unmarshalEnumeration[enum.Contribution](value)
}

// MarshalCommentStatus writes a value as GraphQL has it.
func MarshalCommentStatus(value enum.CommentStatus) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalCommentStatus reads a value as GraphQL has it.
func UnmarshalCommentStatus(value any) (enum.CommentStatus, error) {
	return unmarshalEnumeration[enum.CommentStatus](value)
}

// MarshalOrganizationType writes a value as GraphQL has it.
func MarshalOrganizationType(value enum.OrganizationType) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalOrganizationType reads a value as GraphQL has it.
func UnmarshalOrganizationType(value any) (enum.OrganizationType, error) {
	return unmarshalEnumeration[enum.OrganizationType](value)
}

// MarshalOrganizationUseCase writes a value as GraphQL has it.
func MarshalOrganizationUseCase(value enum.OrganizationUseCase) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalOrganizationUseCase reads a value as GraphQL has it.
func UnmarshalOrganizationUseCase(value any) (enum.OrganizationUseCase, error) {
	return unmarshalEnumeration[enum.OrganizationUseCase](value)
}

// MarshalOrganizationCommunityType writes a value as GraphQL has it.
func MarshalOrganizationCommunityType(value enum.OrganizationCommunityType) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalOrganizationCommunityType reads a value as GraphQL has it.
func UnmarshalOrganizationCommunityType(value any) (enum.OrganizationCommunityType, error) {
	return unmarshalEnumeration[enum.OrganizationCommunityType](value)
}

// MarshalInviteDelivery writes a value as GraphQL has it.
func MarshalInviteDelivery(value enum.InviteDelivery) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalInviteDelivery reads a value as GraphQL has it.
func UnmarshalInviteDelivery(value any) (enum.InviteDelivery, error) {
	return unmarshalEnumeration[enum.InviteDelivery](value)
}

// MarshalLinkStatus writes a value as GraphQL has it.
func MarshalLinkStatus(value enum.LinkStatus) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalLinkStatus reads a value as GraphQL has it.
func UnmarshalLinkStatus(value any) (enum.LinkStatus, error) {
	return unmarshalEnumeration[enum.LinkStatus](value)
}

// MarshalLinkRelation writes a value as GraphQL has it.
func MarshalLinkRelation(value enum.LinkRelation) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalLinkRelation reads a value as GraphQL has it.
func UnmarshalLinkRelation(value any) (enum.LinkRelation, error) {
	return unmarshalEnumeration[enum.LinkRelation](value)
}

// MarshalReferenceKind writes a value as GraphQL has it.
func MarshalReferenceKind(value enum.ReferenceKind) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalReferenceKind reads a value as GraphQL has it.
func UnmarshalReferenceKind(value any) (enum.ReferenceKind, error) {
	return unmarshalEnumeration[enum.ReferenceKind](value)
}

// MarshalMergeResult writes a value as GraphQL has it.
func MarshalMergeResult(value enum.MergeResult) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalMergeResult reads a value as GraphQL has it.
func UnmarshalMergeResult(value any) (enum.MergeResult, error) {
	return unmarshalEnumeration[enum.MergeResult](value)
}

// MarshalEvaluation writes a value as GraphQL has it.
func MarshalEvaluation(value enum.Evaluation) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalEvaluation reads a value as GraphQL has it.
func UnmarshalEvaluation(value any) (enum.Evaluation, error) {
	return unmarshalEnumeration[enum.Evaluation](value)
}

// MarshalPageType writes a value as GraphQL has it.
func MarshalPageType(value content.PageType) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalPageType reads a value as GraphQL has it.
func UnmarshalPageType(value any) (content.PageType, error) {
	return unmarshalEnumeration[content.PageType](value)
}

// MarshalMergeRulesType writes a value as GraphQL has it.
func MarshalMergeRulesType(value mergerule.Type) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalMergeRulesType reads a value as GraphQL has it.
func UnmarshalMergeRulesType(value any) (mergerule.Type, error) {
	return unmarshalEnumeration[mergerule.Type](value)
}

// MarshalMergeRuleKind writes a value as GraphQL has it.
func MarshalMergeRuleKind(value mergerule.Kind) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalMergeRuleKind reads a value as GraphQL has it.
func UnmarshalMergeRuleKind(value any) (mergerule.Kind, error) {
	return unmarshalEnumeration[mergerule.Kind](value)
}

// MarshalScope writes a value as GraphQL has it.
func MarshalScope(value access.Scope) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalScope reads a value as GraphQL has it.
func UnmarshalScope(value any) (access.Scope, error) {
	return unmarshalEnumeration[access.Scope](value)
}

// MarshalBrokenContext writes a value as GraphQL has it.
func MarshalBrokenContext(value enum.BrokenContext) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalBrokenContext reads a value as GraphQL has it.
func UnmarshalBrokenContext(value any) (enum.BrokenContext, error) {
	return unmarshalEnumeration[enum.BrokenContext](value)
}

// MarshalPermissionSourceKind writes a value as GraphQL has it.
func MarshalPermissionSourceKind(value permission.SourceKind) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalPermissionSourceKind reads a value as GraphQL has it.
func UnmarshalPermissionSourceKind(value any) (permission.SourceKind, error) {
	return unmarshalEnumeration[permission.SourceKind](value)
}

// MarshalMemberRole writes a value as GraphQL has it.
func MarshalMemberRole(value enum.MemberRole) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalMemberRole reads a value as GraphQL has it.
func UnmarshalMemberRole(value any) (enum.MemberRole, error) {
	return unmarshalEnumeration[enum.MemberRole](value)
}

// MarshalMemberSort writes a value as GraphQL has it.
func MarshalMemberSort(value enum.MemberSort) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalMemberSort reads a value as GraphQL has it.
func UnmarshalMemberSort(value any) (enum.MemberSort, error) {
	return unmarshalEnumeration[enum.MemberSort](value)
}
