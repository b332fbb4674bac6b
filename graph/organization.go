package graph

import (
	"octavo/graph/model"
	"octavo/internal/enum"
	"octavo/internal/organization"
)

func organizationChanges(input model.UpdateOrganizationInput) organization.Changes {
	changes := organization.Changes{
		Title: given(input.Title), Hostname: given(input.Hostname), DefaultRole: given(input.DefaultRole), Logo: given(input.Logo),
		SSO: given(input.Sso), AI: given(input.Ai), InviteLinks: given(input.InviteLinks), MergeRules: mergeRules(input.MergeRules),
	}
	if domains, isSet := input.EmailDomains.ValueOK(); isSet {
		changes.EmailDomains = &domains
	}
	if content := given(input.DefaultContent); content != nil {
		changes.DefaultSite = &content.Site
	}
	return changes
}

func memberListing(filter *model.MemberFilter, sort *enum.MemberSort, order *enum.Order) organization.Listing {
	listing := organization.Listing{Sort: orZero(sort), Order: descendingUnless(order)}
	if filter != nil {
		listing.Role, listing.Search = valueOf(filter.Role), valueOf(filter.Search)
	}
	return listing
}

// descendingUnless is the order that is asked for, or the latest first.
func descendingUnless(asked *enum.Order) enum.Order {
	if asked == nil {
		return enum.Descending
	}
	return *asked
}

// orZero is what an argument holds, or the zero value for none.
func orZero[T any](value *T) T {
	if value == nil {
		var none T
		return none
	}
	return *value
}
