package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"octavo/ent"
	entsite "octavo/ent/site"
	"octavo/ent/sitesharelink"
	"octavo/internal/access"
	"octavo/internal/adaptive"
	"octavo/internal/database"
	"octavo/internal/fault"
)

const (
	// servedCacheSize bounds the structures of served sites in memory, in bytes.
	servedCacheSize = 16 << 20
	// servedWeight is how much larger a structure is in memory than encoded.
	servedWeight = 3
	// lookupWeight is about what a lookup takes in memory beside its texts.
	lookupWeight = 512
)

// Lookup says how a visitor names a site: by exactly one of its members, but
// for OrganizationHostname, which goes with Basename.
type Lookup struct {
	ID                   string
	Basename             string
	OrganizationHostname string
	Hostname             string
	// Proxy is a host name and path.
	Proxy string
}

func (l Lookup) weight() int64 {
	return int64(lookupWeight + 2*(len(l.ID)+len(l.Basename)+len(l.OrganizationHostname)+len(l.Hostname)+len(l.Proxy)))
}

// kept is a structure in memory, nil where there is none, which is right while
// the database is of the version.
type kept struct {
	version   database.Version
	structure *Structure
}

// served is what serving a site needs beside its structure. Structures that
// were made of a served one have it, too.
type served struct {
	stamp string
	size  int64
	// shareKeys are hashes of the keys of the share links that may be used.
	shareKeys map[string]bool
	schema    func() (*adaptive.Schema, error)
}

// Find returns a site with its whole structure for those who serve it, whether
// it is published or not, whoever asks. Who may see what of it is for the caller
// to decide. The structure is that of now, read in seven statements at most, or
// from memory while the database has not changed; others use it at the same
// time. NOT_FOUND when there is no such site.
func (s *Service) Find(ctx context.Context, lookup Lookup) (*Structure, error) {
	found, _, err := s.findAny(ctx, []Place{{Lookup: lookup}})
	return found, err
}

// findAny is Find for the first of several places that has a site, and says
// which that is.
func (s *Service) findAny(ctx context.Context, places []Place) (found *Structure, at Place, err error) {
	ctx = access.System(ctx, "a site is served to its audience")
	find := s.find
	if !s.database.InTransaction(ctx) {
		version, err := s.database.Version(ctx)
		if err != nil {
			return nil, Place{}, err
		}
		find = func(ctx context.Context, lookup Lookup) (*Structure, error) { return s.findAt(ctx, lookup, version) }
	}
	for _, place := range places {
		found, err := find(ctx, place.Lookup)
		if err != nil || found != nil {
			return found, place, err
		}
	}
	return nil, Place{}, fault.Missing("site")
}

// findTime bounds one reading of a structure that several callers wait for.
const findTime = 30 * time.Second

// findAt is find for a version of the database that was read before: from memory,
// or once for all who ask for it.
func (s *Service) findAt(ctx context.Context, lookup Lookup, version database.Version) (*Structure, error) {
	if known, is := s.found.Get(lookup); is && known.version == version {
		return known.structure, nil
	}
	found, err, _ := s.finding.Do(fmt.Sprintf("%q %v", lookup, version), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), findTime)
		defer cancel()
		read, err := s.find(ctx, lookup)
		if err == nil {
			s.found.Add(lookup, kept{version, read}, read.Size()+lookup.weight())
		}
		return read, err
	})
	if err != nil {
		return nil, err
	}
	return found.(*Structure), nil
}

// find reads a structure; nil when there is no such site.
func (s *Service) find(ctx context.Context, lookup Lookup) (*Structure, error) {
	query := s.database.Client(ctx).Site.Query()
	switch {
	case lookup.ID != "":
		query.Where(entsite.ID(lookup.ID))
	case lookup.Hostname != "":
		query.Where(entsite.Hostname(strings.ToLower(lookup.Hostname)))
	case lookup.Proxy != "":
		query.Where(entsite.Proxy(lookup.Proxy))
	default:
		query.Where(entsite.Basename(lookup.Basename))
	}
	row, err := query.WithOrganization().Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if lookup.OrganizationHostname != "" && !equal(row.Edges.Organization.Hostname, &lookup.OrganizationHostname) {
		return nil, nil
	}
	arranged, err := s.arrange(ctx, map[string]*Site{row.ID: s.seen(access.From(ctx), row)})
	if err != nil {
		return nil, err
	}
	found := arranged[row.ID]
	return found, s.prepare(ctx, found)
}

// prepare adds to a structure what serving it needs.
func (s *Service) prepare(ctx context.Context, found *Structure) error {
	hashes, err := s.database.Client(ctx).SiteShareLink.Query().
		Where(sitesharelink.SiteID(found.Site.ID), sitesharelink.Active(true)).Select(sitesharelink.FieldHash).Strings(ctx)
	if err != nil {
		return err
	}
	encoded := found.encode()
	sum := sha256.Sum256(encoded)
	found.served = &served{
		stamp: hex.EncodeToString(sum[:16]), size: int64(len(encoded)) * servedWeight, shareKeys: make(map[string]bool, len(hashes)),
		schema: sync.OnceValues(found.Site.visitorSchema),
	}
	for _, hash := range hashes {
		found.served.shareKeys[hash] = true
	}
	return nil
}

// encode writes everything of the structure that pages of the site show, but for
// the content of spaces, which their revisions name.
func (s *Structure) encode() []byte {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	// A buffer takes everything, and rows can be encoded.
	_ = encoder.Encode(s.Site.Site)
	for _, group := range s.Groups {
		_ = encoder.Encode(group.SiteSectionGroup)
	}
	for _, section := range s.Sections {
		_ = encoder.Encode(section.SiteSection)
	}
	for _, each := range s.SiteSpaces {
		_ = encoder.Encode(each.SiteSpace)
		_ = encoder.Encode([]any{each.Space.OrganizationID, each.Space.RevisionID, each.Space.Title, each.Space.Emoji, each.Space.Language, each.Default})
	}
	return encoded.Bytes()
}

// Stamp changes whenever anything does that pages of the site show: its
// settings, its structure, or the content of its spaces. Only structures that
// were found, or made of one, have it.
func (s *Structure) Stamp() string {
	if s.served == nil {
		return ""
	}
	return s.served.stamp
}

// Size is about how many bytes of memory a structure that was found takes.
func (s *Structure) Size() int64 {
	if s == nil || s.served == nil {
		return 0
	}
	return s.served.size
}

// VisitorSchema is the schema of the site's visitors; nil for a site whose
// content is the same for all.
func (s *Structure) VisitorSchema() (*adaptive.Schema, error) {
	if s.served == nil {
		return s.Site.visitorSchema()
	}
	return s.served.schema()
}

func (s *Site) visitorSchema() (*adaptive.Schema, error) {
	if !s.AdaptiveContent || len(s.AdaptiveSchema) == 0 {
		return nil, nil
	}
	return adaptive.Parse("jsonSchema", s.AdaptiveSchema)
}
