package graph

import (
	"octavo/graph/model"
	"octavo/internal/audit"
)

func auditFilter(filter *model.AuditFilter) audit.Filter {
	if filter == nil {
		return audit.Filter{}
	}
	return audit.Filter{
		ActorID: valueOf(filter.Actor), SubjectID: valueOf(filter.Subject), Action: audit.Action(valueOf(filter.Action)),
		Since: filter.After.Value(), Until: filter.Before.Value(),
	}
}
