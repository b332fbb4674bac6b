package changerequest

import (
	"context"

	"octavo/internal/mergerule"
	"octavo/internal/space"
)

// UnmetRule is a merge rule that is not met.
type UnmetRule struct {
	Rule    mergerule.Kind
	Message string
}

func (s *Service) UnmetRules(ctx context.Context, home *space.Space, locked *ChangeRequest) ([]*UnmetRule, error) {
	return nil, nil
}
