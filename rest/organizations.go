package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"octavo/graph/model"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/mergerule"
	"octavo/internal/organization"
	"octavo/rest/wire"
)

func (a *API) organizations(router chi.Router) {
	router.Get("/orgs", a.handle(a.listOrganizationsForAuthenticatedUser))
	router.Route("/orgs/{organizationId}", func(router chi.Router) {
		router.Get("/", a.handle(a.getOrganizationByID))
		router.Patch("/", a.handle(a.updateOrganizationByID))
		router.Post("/join", a.handle(a.joinOrganization))
		router.Get("/agent-instructions", a.handle(a.getOrganizationAgentInstructions))
		router.Put("/agent-instructions", a.handle(a.updateOrganizationAgentInstructions))
		a.members(router)
		router.Get("/spaces", a.handle(a.listSpacesInOrganizationByID))
		router.Post("/spaces", a.handle(a.createSpace))
	})
	router.Get("/subdomains/{subdomain}", a.handle(a.getSubdomain))
}

func (a *API) listOrganizationsForAuthenticatedUser(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	page, err := a.query().Organizations(request.Context(), first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderOrganization)
}

func (a *API) getOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.organization(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderOrganization)
}

func (a *API) updateOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateOrganization
	if err := decode(request, &body); err != nil {
		return err
	}
	content, err := decodeDefaultContent(body.DefaultContent)
	if err != nil {
		return err
	}
	role, err := decodeRole(body.DefaultRole)
	if err != nil {
		return err
	}
	input := model.UpdateOrganizationInput{
		Organization: parameter(request, "organizationId"), Title: present(body.Title), Hostname: present(body.Hostname),
		DefaultRole: role, DefaultContent: content, Logo: omittable(body.Logo), Sso: present(body.SSO), Ai: present(body.AI),
		InviteLinks: present(body.InviteLinks), MergeRules: present(decodeMergeRules(body.MergeRules)),
	}
	if body.EmailDomains != nil {
		input.EmailDomains = graphql.OmittableOf(body.EmailDomains)
	}
	payload, err := a.mutation().UpdateOrganization(request.Context(), input)
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Organization, nil, a.renderOrganization)
}

func decodeDefaultContent(content nullable.Nullable[wire.NullableSitePointer]) (graphql.Omittable[*model.DefaultContentInput], error) {
	if !content.IsSpecified() {
		return graphql.Omittable[*model.DefaultContentInput]{}, nil
	}
	if content.IsNull() {
		return graphql.OmittableOf[*model.DefaultContentInput](nil), nil
	}
	pointer := content.MustGet()
	if pointer.Type != wire.NullableSitePointerTypeSite {
		return graphql.Omittable[*model.DefaultContentInput]{}, fault.Invalid("defaultContent.type", "%q is not site", pointer.Type)
	}
	return present(&model.DefaultContentInput{Site: pointer.Site}), nil
}

func (a *API) joinOrganization(writer http.ResponseWriter, request *http.Request) error {
	_, err := a.mutation().JoinOrganization(request.Context(), model.JoinOrganizationInput{Organization: parameter(request, "organizationId")})
	if err != nil {
		return err
	}
	writer.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) getOrganizationAgentInstructions(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.organization(request)
	if err != nil {
		return err
	}
	instructions, err := a.resolvers.Organization().AgentInstructions(request.Context(), found)
	return answer(writer, request, http.StatusOK, instructions, err, a.renderAgentInstructions)
}

func (a *API) updateOrganizationAgentInstructions(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateAgentInstructions
	if err := decode(request, &body); err != nil {
		return err
	}
	payload, err := a.mutation().UpdateOrganizationAgentInstructions(request.Context(), model.UpdateOrganizationAgentInstructionsInput{
		Organization: parameter(request, "organizationId"), Document: graphql.OmittableOf(body.Instructions),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.AgentInstructions, nil, a.renderAgentInstructions)
}

func (a *API) renderAgentInstructions(ctx context.Context, found *organization.AgentInstructions) (wire.AgentInstructions, error) {
	text, err := found.Document()
	if err != nil {
		return wire.AgentInstructions{}, err
	}
	urls, err := a.resolvers.AgentInstructions().Urls(ctx, found)
	if err != nil {
		return wire.AgentInstructions{}, err
	}
	return wire.AgentInstructions{
		Object: "agent-instructions", Instructions: text, UpdatedAt: found.UpdatedAt, UpdatedBy: orElse(found.UpdatedBy, ""),
		URLs: wire.LocationURLs{Location: urls.Location},
	}, nil
}

func (a *API) getSubdomain(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.query().Subdomain(request.Context(), parameter(request, "subdomain"))
	return answer(writer, request, http.StatusOK, found, err, renderSubdomain)
}

func renderSubdomain(_ context.Context, found *organization.Subdomain) (wire.Subdomain, error) {
	return wire.Subdomain{
		Object: "subdomain", Subdomain: found.Subdomain, IsActive: found.IsActive,
		Target: wire.OrganizationPointer{Type: "organization", Organization: found.OrganizationID},
	}, nil
}

func (a *API) listSpacesInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	return answerPage(writer, request, a.organization, a.resolvers.Organization().Spaces, a.renderSpace)
}

func (a *API) createSpace(writer http.ResponseWriter, request *http.Request) error {
	var body wire.CreateSpace
	if err := decode(request, &body); err != nil {
		return err
	}
	input := model.CreateSpaceInput{
		Organization: parameter(request, "organizationId"), Title: present(body.Title),
		Emoji: present(body.Emoji), Parent: present(body.Parent),
		Language: present((*string)(body.Language)), EditMode: present((*enum.EditMode)(body.EditMode)),
	}
	if body.Template != nil {
		input.Template = present(&body.Template.ID)
	}
	payload, err := a.mutation().CreateSpace(request.Context(), input)
	if err != nil {
		return err
	}
	return a.answerCreatedSpace(writer, request, payload.Space)
}

// organization is the one that the path names.
func (a *API) organization(request *http.Request) (*organization.Organization, error) {
	return a.query().Organization(request.Context(), parameter(request, "organizationId"))
}

func (a *API) renderOrganization(ctx context.Context, found *organization.Organization) (wire.Organization, error) {
	urls, err := a.resolvers.Organization().Urls(ctx, found)
	if err != nil {
		return wire.Organization{}, err
	}
	rendered := wire.Organization{
		Object: "organization", ID: found.ID, Title: found.Title, CreatedAt: found.CreatedAt,
		EmailDomains: append([]string{}, found.EmailDomains...), Hostname: found.Hostname,
		Type: wire.OrganizationType(found.Type), UseCase: (*wire.OrganizationUseCase)(found.UseCase),
		CommunityType: (*wire.OrganizationCommunityType)(found.CommunityType),
		Plan:          wire.OrganizationPlan(found.Plan), DefaultRole: renderRole(found.DefaultRole),
		SSO: &found.SSO, AI: &found.Ai, InviteLinks: found.InviteLinks, MergeRules: renderMergeRules(found.MergeRules),
		URLs:        wire.OrganizationURLs{Location: urls.Location, App: urls.App, Logo: urls.Logo},
		Trial:       wire.Trial{Status: "notapplicable"},
		Permissions: renderOrganizationPermissions(found.Permissions(ctx)),
	}
	if len(found.DefaultContent) > 0 {
		rendered.DefaultContent = new(wire.SitePointer)
		if err := json.Unmarshal(found.DefaultContent, rendered.DefaultContent); err != nil {
			return wire.Organization{}, err
		}
	}
	return rendered, nil
}

func renderOrganizationPermissions(may organization.Permissions) wire.OrganizationPermissions {
	return wire.OrganizationPermissions{
		View: may.View, Admin: may.Admin, OwnTeam: may.OwnTeam, CreateContent: may.CreateContent,
		CreateOpenAPISpec: may.CreateOpenAPISpec, IngestConversations: may.IngestConversations,
		ViewBilling: may.ViewBilling, ListMembers: may.ListMembers, ListTeams: may.ListTeams,
		ListIntegrations: may.ListIntegrations, ListInstallations: may.ListInstallations,
		InstallIntegration: may.InstallIntegration,
	}
}

func renderRole(role access.Role) *wire.MemberRole {
	return (*wire.MemberRole)(unlessEmpty(role.String()))
}

func renderMergeRules(rules mergerule.Rules) wire.MergeRules {
	rendered := wire.MergeRules{Type: wire.MergeRulesType(rules.Type)}
	if rules.Type == mergerule.Explicit {
		rendered.Rules = make([]wire.MergeRule, len(rules.Rules))
	}
	for index, rule := range rules.Rules {
		rendered.Rules[index] = wire.MergeRule{
			Rule: wire.MergeRuleRule(rule.Rule), Users: rule.Users, Expression: unlessEmpty(rule.Expression),
		}
	}
	return rendered
}
