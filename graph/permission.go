package graph

import (
	"context"

	"octavo/graph/model"
	"octavo/internal/loader"
	"octavo/internal/pagination"
	"octavo/internal/permission"
)

// granted is the page of a list that asks for what a resource grants.
func granted(ctx context.Context, list permission.List, err error) (*model.GrantedConnection, error) {
	if err != nil {
		return nil, err
	}
	page, err := loader.From(ctx).Granted.Load(ctx, list)
	if err != nil {
		return nil, err
	}
	people := make([]string, len(page.Items))
	for index, item := range page.Items {
		people[index] = item.PrincipalID
	}
	loader.From(ctx).MetPeople(people...)
	return model.NewGrantedConnection(page), nil
}

// principal is the user or team that is meant.
func principal(input *model.PrincipalInput) permission.Principal {
	return permission.Principal{UserID: valueOf(input.User), TeamID: valueOf(input.Team)}
}

// effective is a page of roles; the people are read together.
func effective(ctx context.Context, page pagination.Page[*permission.Effective]) *model.EffectivePermissionConnection {
	people := make([]string, len(page.Items))
	for index, item := range page.Items {
		people[index] = item.UserID
	}
	loader.From(ctx).MetPeople(people...)
	return model.NewEffectivePermissionConnection(page)
}
