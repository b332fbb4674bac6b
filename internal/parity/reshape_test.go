package parity

import (
	"strings"
)

type object = map[string]any

// reshape gives what GraphQL answers the form that it has on the wire, by type
// and from the inside out: the few places where it is more than the names of
// fields.
func reshape(value any) any {
	switch value := value.(type) {
	case []any:
		for index := range value {
			value[index] = reshape(value[index])
		}
	case object:
		for name := range value {
			value[name] = reshape(value[name])
		}
		name, _ := value["__typename"].(string)
		delete(value, "__typename")
		if form := forms[name]; form != nil {
			return form(value)
		}
	}
	return value
}

var forms = map[string]func(object) any{
	"Site":                     wireSite,
	"Page":                     wirePage,
	"Space":                    wireSpace,
	"ContentLocation":          wireLocation,
	"CommentBody":              wireText,
	"RevisionChange":           wireChange,
	"RevisionChangeConnection": wireChanges,
	"Conflict":                 wireConflict,
	"PageOutcome":              wireOutcome,
	"TeamMember":               wireTeamMember,
	"Invite":                   wireInvite,
	"Member":                   wireMember,
}

// wireSite: adaptive content is enabled inside of an object.
func wireSite(site object) any {
	site["adaptiveContent"] = object{"enabled": site["adaptiveContent"]}
	return site
}

// wirePage: the seed of a computed page stands beside its source.
func wirePage(page object) any {
	if computed, is := page["computed"].(object); is {
		page["computedSeed"] = computed["seed"]
		delete(computed, "seed")
	}
	return page
}

// wireSpace: the wire requires the emoji, and has an empty one for none.
func wireSpace(space object) any {
	if space["emoji"] == nil {
		space["emoji"] = ""
	}
	return space
}

// wireMember: on the wire the id is that of the user.
func wireMember(member object) any {
	if person, is := member["user"].(object); is {
		member["id"] = person["id"]
	}
	return member
}

// wireLocation: the change request or else the revision, and the heading, stand
// in objects that say what they are.
func wireLocation(location object) any {
	if location["changeRequest"] != nil {
		location["versionContext"] = object{"type": "changeRequest", "changeRequest": location["changeRequest"]}
	} else if location["revision"] != nil {
		location["versionContext"] = object{"type": "revision", "revision": location["revision"]}
	}
	delete(location, "revision")
	delete(location, "changeRequest")
	if location["anchor"] != nil {
		location["internalLocation"] = object{"type": "anchor", "anchor": location["anchor"]}
	}
	delete(location, "anchor")
	return location
}

// wireText: the text in the form in which it was written.
func wireText(text object) any {
	if text["isDocument"] == true {
		return object{"document": text["document"]}
	}
	return object{"markdown": text["markdown"]}
}

func wireChange(change object) any {
	attributes := object{}
	for _, each := range change["attributes"].([]any) {
		attribute := each.(object)
		attributes[attribute["name"].(string)] = object{"before": attribute["before"], "after": attribute["after"]}
	}
	change["attributes"] = attributes
	if change["type"] == "VARIABLES_EDITED" {
		change["variables"] = attributes
		delete(change, "attributes")
	}
	if change["type"] == "PAGE_MOVED" {
		change["parent"] = object{"before": change["movedFrom"], "after": change["movedTo"]}
	}
	delete(change, "movedFrom")
	delete(change, "movedTo")
	return change
}

// wireChanges: how many more there are, in place of how many there are.
func wireChanges(connection object) any {
	nodes := connection["nodes"].([]any)
	return object{"changes": nodes, "more": connection["totalCount"].(float64) - float64(len(nodes))}
}

// wireConflict: Markdown is told from values.
func wireConflict(conflict object) any {
	for _, side := range []string{"base", "ours", "theirs"} {
		switch value := conflict[side].(type) {
		case nil:
		case string:
			if conflict["kind"] == "BODY_BLOCK" {
				conflict[side] = object{"markdown": value}
				continue
			}
			conflict[side] = object{"value": value}
		default:
			conflict[side] = object{"value": value}
		}
	}
	return conflict
}

// wireTeamMember: what somebody is in the organization and in the team stand
// side by side; whoever sees a membership may see it.
func wireTeamMember(membership object) any {
	if membership["team"] != nil {
		return object{"team": membership["team"], "member": object{"role": membership["role"]}}
	}
	return object{
		"organization": membership["member"], "team": object{"role": membership["role"]}, "permissions": object{"view": true},
	}
}

// wireOutcome: the kind stands in the name of the object, and a page that is
// gone is an id alone.
func wireOutcome(outcome object) any {
	wire := object{
		"object": strings.ToLower(outcome["kind"].(string)) + "_page", "ref": outcome["ref"],
		"page": object{"object": "page", "id": outcome["pageId"]},
	}
	if outcome["page"] == nil {
		wire["page"] = outcome["pageId"]
	}
	return wire
}

// outcomesBelow gives the pages of an edit their addresses, below that of the
// space or change request, which is in the answer at the given field.
func outcomesBelow(parent string) func(payload object) any {
	return func(payload object) any {
		location := payload[parent].(object)["urls"].(object)["location"].(string)
		for _, each := range payload["pages"].([]any) {
			if found, is := each.(object)["page"].(object); is {
				found["urls"] = object{"location": location + "/content/page/" + found["id"].(string)}
			}
		}
		payload["changes"] = payload["pages"]
		delete(payload, "pages")
		return payload
	}
}

// conflictsOf is the list of conflicts of a change request.
func conflictsOf(changeRequest object) any {
	preview := changeRequest["mergePreview"].(object)
	return object{"revision": changeRequest["revision"], "spaceRevision": preview["mainRevision"], "items": preview["conflicts"]}
}

// changesOf are the changes of a revision with what it merged.
func changesOf(revision object) any {
	changes := revision["changes"].(object)
	changes["mergedFrom"] = revision["mergedFrom"]
	return changes
}
