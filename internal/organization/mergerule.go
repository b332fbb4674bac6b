package organization

import (
	"context"

	"octavo/ent/member"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/mergerule"
)

// CheckMergeRules checks that everybody whom the rules name belongs to the
// organization, in one statement, or none when nobody is named: BAD_USER_INPUT
// names the first who does not. Somebody whose membership is disabled could
// never do what a rule asks of them.
func CheckMergeRules(ctx context.Context, opened *database.Database, organizationID string, rules *mergerule.Rules) error {
	named := rules.Users()
	if len(named) == 0 {
		return nil
	}
	members, err := opened.Client(ctx).Member.Query().
		Where(member.OrganizationID(organizationID), member.UserIDIn(named...), member.Disabled(false)).All(ctx)
	if err != nil {
		return err
	}
	belongs := make(map[string]bool, len(members))
	for _, membership := range members {
		belongs[membership.UserID] = true
	}
	for _, userID := range named {
		if !belongs[userID] {
			return fault.Invalid("mergeRules.rules.users", "%q is not an active member of the organization", userID)
		}
	}
	return nil
}
