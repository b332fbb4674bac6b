// Package identifier makes the ids of everything that Octavo stores.
//
// An id is a three-letter prefix that names the kind of thing, an underscore,
// and a UUIDv7 in Crockford's base 32 (lower case): it is opaque to clients,
// sorts by the time it was made, and tells node(id) where to look.
package identifier

import (
	"strings"

	"github.com/google/uuid"
)

// Prefix names the kind of thing that an id belongs to.
type Prefix string

// The prefixes in use.
const (
	AccessToken       Prefix = "tok"
	AuditEntry        Prefix = "aud"
	ChangeRequest     Prefix = "crq"
	Collection        Prefix = "col"
	Comment           Prefix = "cmt"
	Contributor       Prefix = "ctr"
	CommentReply      Prefix = "rpl"
	Event             Prefix = "evt"
	File              Prefix = "fil"
	Invite            Prefix = "inv"
	Job               Prefix = "job"
	Member            Prefix = "mbr"
	Organization      Prefix = "org"
	Page              Prefix = "pag"
	Permission        Prefix = "prm"
	Reaction          Prefix = "rct"
	RequestedReviewer Prefix = "rqr"
	ReusableContent   Prefix = "rus"
	Review            Prefix = "rvw"
	Revision          Prefix = "rev"
	Site              Prefix = "sit"
	SiteRedirect      Prefix = "rdr"
	SiteSection       Prefix = "sec"
	SiteSectionGroup  Prefix = "sgr"
	SiteShareLink     Prefix = "shl"
	SiteSpace         Prefix = "ssp"
	Space             Prefix = "spc"
	Team              Prefix = "tea"
	TeamMember        Prefix = "tmb"
	User              Prefix = "usr"
)

const (
	alphabet   = "0123456789abcdefghjkmnpqrstvwxyz"
	bodyLength = 26
)

// New returns a fresh id of the given kind.
func New(prefix Prefix) string {
	return string(prefix) + "_" + encode(uuid.Must(uuid.NewV7()))
}

// Split returns the prefix of an id; ok is false when id does not have the
// form of an id that New makes.
func Split(id string) (prefix Prefix, ok bool) {
	head, body, found := strings.Cut(id, "_")
	if !found || len(head) != 3 || len(body) != bodyLength {
		return "", false
	}
	for _, character := range body {
		if !strings.ContainsRune(alphabet, character) {
			return "", false
		}
	}
	return Prefix(head), true
}

// encode writes the 128 bits of u as 26 base-32 digits, most significant first,
// so that the text sorts as the number does.
func encode(u uuid.UUID) string {
	var digits [bodyLength]byte
	var accumulator uint32
	bits := 2 // 26 digits hold 130 bits; the first two are zero.
	position := 0
	for _, octet := range u {
		accumulator = accumulator<<8 | uint32(octet)
		bits += 8
		for bits >= 5 {
			bits -= 5
			digits[position] = alphabet[accumulator>>bits&31]
			position++
		}
		accumulator &= 1<<bits - 1
	}
	return string(digits[:])
}
