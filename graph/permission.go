package graph

import (
	"context"

	"octavo/graph/model"
	"octavo/internal/loader"
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
	return model.NewGrantedConnection(page), nil
}

// principal is the user or team that is meant.
func principal(input *model.PrincipalInput) permission.Principal {
	return permission.Principal{UserID: valueOf(input.User), TeamID: valueOf(input.Team)}
}
