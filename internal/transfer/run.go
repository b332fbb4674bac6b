package transfer

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"octavo/internal/access"
	"octavo/internal/fault"
	"octavo/internal/repository"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// Limits of a request.
const (
	maximumURL       = 2048   // bytes
	maximumRef       = 255    // bytes
	maximumDirectory = 1024   // bytes
	maximumMessage   = 10_000 // characters
	maximumProblems  = 200    // kept of a run
)

// providers are the hosts of repositories that callers name.
var providers = []string{"github", "gitlab"}

// Request asks for an import from, or an export to, a git repository.
type Request struct {
	Operation Operation
	SpaceID   string
	// URL of the repository, which may hold credentials.
	URL string
	// Ref is a full name such as refs/heads/main.
	Ref string
	// Directory of the content inside the repository; empty for its top.
	Directory string
	// Message of the commit that an export makes.
	Message string
	// Standalone and Force are the Options of an import. A forced export
	// writes over what the repository changed since the space last saw it.
	Standalone, Force bool
	// Timestamp of the event that causes the request, zero if unknown. A
	// request for an earlier event than the last one is too late: it is
	// accepted and does nothing.
	Timestamp time.Time
	// Provider is github, gitlab or empty.
	Provider string
	// CommitURL is where commits are shown, before their id; it may be empty.
	CommitURL string
}

// Run is a request that waits in the queue.
type Run struct {
	Request
	// SealedURL stands for the URL of the request, which is left out.
	SealedURL []byte
	UserID    string
}

// Start hands a run to the queue, in the transaction of the context.
type Start func(ctx context.Context, run Run) error

func (r *Request) validate() error {
	address, err := url.Parse(r.URL)
	switch {
	case len(r.URL) > maximumURL:
		return fault.Invalid("url", "at most %d bytes, got %d", maximumURL, len(r.URL))
	case err != nil, address.Scheme != "http" && address.Scheme != "https", address.Host == "":
		return fault.Invalid("url", "must be an address of a repository that starts with https:// or http://")
	case len(r.Ref) > maximumRef:
		return fault.Invalid("ref", "at most %d bytes, got %d", maximumRef, len(r.Ref))
	case !strings.HasPrefix(r.Ref, "refs/"):
		return fault.Invalid("ref", "%q is not a full name such as refs/heads/main", r.Ref)
	case r.Operation == OperationExport && !strings.HasPrefix(r.Ref, "refs/heads/"):
		return fault.Invalid("ref", "%q is not the full name of a branch", r.Ref)
	case len(r.Directory) > maximumDirectory:
		return fault.Invalid("repoProjectDirectory", "at most %d bytes, got %d", maximumDirectory, len(r.Directory))
	case r.Provider != "" && !slices.Contains(providers, r.Provider):
		return fault.Invalid("gitInfo.provider", "%q is not one of %s", r.Provider, strings.Join(providers, ", "))
	}
	return r.validateMessage()
}

func (r *Request) validateMessage() error {
	if r.Operation != OperationExport {
		return nil
	}
	length := utf8.RuneCountInString(r.Message)
	if strings.TrimSpace(r.Message) == "" || length > maximumMessage {
		return fault.Invalid("commitMessage", "between 1 and %d characters, got %d", maximumMessage, length)
	}
	return nil
}

// withoutCredentials is what may be shown of an address.
func withoutCredentials(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	parsed.User = nil
	return parsed.String()
}

// RepositoryName is the path of the repository at its host, such as acme/docs.
func (s *State) RepositoryName() string {
	parsed, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.Trim(path.Clean(parsed.Path), "/"), ".git")
}

// Request starts an import or export in the background and returns the space,
// which needs the role create. How it goes is in the State of the space.
func (s *Service) Request(ctx context.Context, request Request) (*space.Space, error) {
	if _, err := s.spaces.Require(ctx, request.SpaceID, access.ScopeWrite, access.Create); err != nil {
		return nil, err
	}
	if err := request.validate(); err != nil {
		return nil, err
	}
	err := s.database.Write(ctx, func(ctx context.Context) error {
		obsolete := false
		err := s.updateState(ctx, request.SpaceID, func(state *State) {
			if obsolete = request.Timestamp.Before(state.Timestamp) && !request.Timestamp.IsZero(); !obsolete {
				state.begin(request)
			}
		})
		if err != nil || obsolete {
			return err
		}
		return s.start(ctx, s.seal(ctx, request))
	})
	if err != nil {
		return nil, err
	}
	return s.spaces.Get(ctx, request.SpaceID)
}

func (s *State) begin(request Request) {
	if address := withoutCredentials(request.URL); address != s.URL || request.Ref != s.Ref {
		// A commit of another branch says nothing about this one.
		s.URL, s.Ref, s.Commit = address, request.Ref, ""
	}
	s.Provider, s.Operation, s.Timestamp = request.Provider, request.Operation, request.Timestamp
	s.stand(Pending, nil)
}

func (s *State) stand(progress Progress, problems []string) {
	s.Progress, s.UpdatedAt = progress, time.Now().UTC().Truncate(time.Microsecond)
	s.Problems = problems
	if rest := len(problems) - maximumProblems; rest > 0 {
		s.Problems = append(slices.Clone(problems[:maximumProblems]), fmt.Sprintf("%d more", rest))
	}
}

func (s *Service) seal(ctx context.Context, request Request) Run {
	run := Run{Request: request, SealedURL: s.box.Seal(request.URL), UserID: access.From(ctx).UserID}
	run.URL = ""
	return run
}

// Perform does what was requested and notes in the state of the space how it
// went. It returns an error when it is worth another try: the repository could
// not be reached, or something unexpected happened.
func (s *Service) Perform(ctx context.Context, run Run) error {
	ctx = access.System(access.WithViewer(ctx, &access.Viewer{UserID: run.UserID}), "git "+string(run.Operation))
	err := s.updateState(ctx, run.SpaceID, func(state *State) { state.stand(Running, nil) })
	if fault.CodeOf(err) == fault.NotFound {
		return nil // the space was deleted meanwhile
	}
	if err != nil {
		return err
	}
	problems, failure := s.perform(ctx, run)
	progress := Success
	if failure != nil {
		progress, problems = Failure, append([]string{shown(failure)}, problems...)
	}
	// The outcome is noted even when the server is shutting down.
	err = s.updateState(context.WithoutCancel(ctx), run.SpaceID, func(state *State) { state.stand(progress, problems) })
	if fault.CodeOf(err) == fault.NotFound {
		err = nil
	}
	if code := fault.CodeOf(failure); failure != nil && (code == fault.Internal || code == fault.Unavailable) {
		return errors.Join(failure, err)
	}
	return err
}

// shown is what callers may know of an error.
func shown(err error) string {
	var known *fault.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return fault.Shown(fault.CodeOf(err))
}

func (s *Service) perform(ctx context.Context, run Run) (problems []string, err error) {
	address, err := s.box.Open(run.SealedURL)
	if err != nil {
		return nil, err
	}
	if run.Operation == OperationExport {
		return nil, s.exportTo(ctx, address, run)
	}
	return s.importFrom(ctx, address, run)
}

func (s *Service) gitOptions() repository.GitOptions {
	return repository.GitOptions{Client: s.outbound.HTTP(), Limits: s.limits}
}

func (s *Service) importFrom(ctx context.Context, address string, run Run) (problems []string, err error) {
	checkout, err := repository.Clone(ctx, address, run.Ref, run.Directory, s.gitOptions())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, checkout.Close()) }()
	source := Source{FS: checkout.FS, Git: &revision.Git{
		OID: checkout.Commit, Message: checkout.Message, URL: commitURL(run.CommitURL, checkout.Commit, address), Ref: run.Ref,
	}}
	imported, err := s.Import(ctx, run.SpaceID, source, Options{Standalone: run.Standalone, Force: run.Force})
	if err != nil {
		return nil, err
	}
	if run.Standalone {
		return Describe(imported.Report), nil
	}
	return Describe(imported.Report), s.updateState(ctx, run.SpaceID, func(state *State) { state.Commit = checkout.Commit })
}

// commitURL is where a commit is shown; the repository itself, if that is not
// known.
func commitURL(prefix, commit, address string) string {
	if prefix == "" {
		return withoutCredentials(address)
	}
	return strings.TrimSuffix(prefix, "/") + "/" + commit
}

// Describe lists the problems of a report, one line each.
func Describe(report repository.Report) []string {
	lines := make([]string, len(report.Problems))
	for index, problem := range report.Problems {
		place := problem.Path
		if problem.Line > 0 {
			place = fmt.Sprintf("%s:%d", problem.Path, problem.Line)
		}
		lines[index] = fmt.Sprintf("%s: %s: %s", problem.Severity, place, problem.Message)
	}
	return lines
}
