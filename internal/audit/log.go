package audit

import (
	"context"
	"encoding/json"
	"time"

	"octavo/ent"
	"octavo/ent/auditentry"
	"octavo/ent/predicate"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/enum"
	"octavo/internal/pagination"
)

// exportBatch is how many entries an export holds in memory.
const exportBatch = 500

// Service reads audit logs.
type Service struct{ database *database.Database }

// NewService returns the service of a database.
func NewService(opened *database.Database) *Service { return &Service{database: opened} }

// Filter limits a log; empty fields do not.
type Filter struct {
	ActorID, SubjectID string
	Action             Action
	// Since and Until are the times of the first entry and of the one behind the
	// last.
	Since, Until *time.Time
}

func (f Filter) conditions(organizationID string) []predicate.AuditEntry {
	conditions := []predicate.AuditEntry{auditentry.OrganizationID(organizationID)}
	if f.ActorID != "" {
		conditions = append(conditions, auditentry.ActorID(f.ActorID))
	}
	if f.SubjectID != "" {
		conditions = append(conditions, auditentry.SubjectID(f.SubjectID))
	}
	if f.Action != "" {
		conditions = append(conditions, auditentry.Action(string(f.Action)))
	}
	if f.Since != nil {
		conditions = append(conditions, auditentry.CreatedAtGTE(f.Since.UTC()))
	}
	if f.Until != nil {
		conditions = append(conditions, auditentry.CreatedAtLT(f.Until.UTC()))
	}
	return conditions
}

// List returns entries of an organization's log, newest first. It needs the
// role admin in the organization and the scope admin.
func (s *Service) List(ctx context.Context, organizationID string, filter Filter, arguments pagination.Arguments) (pagination.Page[*ent.AuditEntry], error) {
	var none pagination.Page[*ent.AuditEntry]
	if err := access.Require(ctx, organizationID, access.ScopeAdmin, access.Admin); err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "auditLog", Order: enum.Descending})
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).AuditEntry.Query().Where(filter.conditions(organizationID)...)
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	return pagination.NewPage(window, rows, func(row *ent.AuditEntry) (string, string) { return "", row.ID }, query.Count), nil
}

// ByID returns entries by their ids, for loaders, of the logs that the caller
// may list.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]*ent.AuditEntry, error) {
	rows, err := s.database.Client(ctx).AuditEntry.Query().Where(auditentry.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*ent.AuditEntry, len(rows))
	for _, row := range rows {
		if access.Require(ctx, row.OrganizationID, access.ScopeAdmin, access.Admin) == nil {
			found[row.ID] = row
		}
	}
	return found, nil
}

// Line is an entry as it is exported.
type Line struct {
	ID             string          `json:"id"`
	CreatedAt      time.Time       `json:"createdAt"`
	OrganizationID string          `json:"organization"`
	ActorID        *string         `json:"actor"`
	TokenID        *string         `json:"token"`
	Action         string          `json:"action"`
	SubjectID      string          `json:"subject"`
	Before         json.RawMessage `json:"before"`
	After          json.RawMessage `json:"after"`
	Address        string          `json:"address,omitempty"`
	UserAgent      string          `json:"userAgent,omitempty"`
	RequestID      string          `json:"requestId,omitempty"`
}

// Export gives the entries of an organization's log to write, oldest first, in
// memory that does not grow with the log. It is the operator's command, and
// knows organizations that are gone too. It ends with the first error of write.
func (s *Service) Export(ctx context.Context, organizationID string, filter Filter, write func(Line) error) error {
	after := ""
	for {
		rows, err := s.database.Client(ctx).AuditEntry.Query().
			Where(filter.conditions(organizationID)...).Where(auditentry.IDGT(after)).
			Order(auditentry.ByID()).Limit(exportBatch).All(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := write(line(row)); err != nil {
				return err
			}
		}
		if len(rows) < exportBatch {
			return nil
		}
		after = rows[len(rows)-1].ID
	}
}

func line(row *ent.AuditEntry) Line {
	return Line{
		ID: row.ID, CreatedAt: row.CreatedAt.UTC(), OrganizationID: row.OrganizationID, ActorID: row.ActorID, TokenID: row.TokenID,
		Action: row.Action, SubjectID: row.SubjectID, Before: orNull(row.Before), After: orNull(row.After),
		Address: row.Address, UserAgent: row.UserAgent, RequestID: row.RequestID,
	}
}

// orNull is JSON, which is never empty.
func orNull(value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return json.RawMessage("null")
	}
	return value
}
