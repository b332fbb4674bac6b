// Package download hands out the addresses of files and serves what is behind
// them.
package download

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strconv"
	"time"

	"octavo/internal/address"
	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/revision"
)

// validity is for how long an address is valid at least; at most it is twice as
// long. All addresses of a file that are made within one span of this length
// are equal, so that answers which hold them can be cached and compared.
const validity = 7 * 24 * time.Hour

// The parameters of a signed address.
const (
	hashParameter      = "hash"
	typeParameter      = "type"
	expiresParameter   = "expires" // seconds since 1970
	signatureParameter = "signature"
)

// Signer makes addresses that let whoever has them read one file, until they
// expire.
type Signer struct {
	addresses address.Book
	key       []byte
	now       func() time.Time
}

// NewSigner returns the signer of a key. now is the clock.
func NewSigner(addresses address.Book, key []byte, now func() time.Time) *Signer {
	return &Signer{addresses: addresses, key: key, now: now}
}

// URL returns the address of a file that the caller may read.
func (s *Signer) URL(file *revision.File) string {
	expires := s.now().Truncate(validity).Add(2 * validity)
	query := url.Values{
		hashParameter: {string(file.Content)}, typeParameter: {file.ContentType},
		expiresParameter: {strconv.FormatInt(expires.Unix(), 10)},
	}
	path := filePath(file.Revision.SpaceID, file.ID, file.Name)
	query.Set(signatureParameter, s.sign(path, query))
	return s.addresses.Base() + path + "?" + query.Encode()
}

// filePath is where a file is served.
func filePath(spaceID, fileID, name string) string {
	return Prefix + "/" + url.PathEscape(spaceID) + "/" + url.PathEscape(fileID) + "/" + url.PathEscape(name)
}

// sign covers the path and all parameters but the signature itself.
func (s *Signer) sign(path string, query url.Values) string {
	signed := url.Values{}
	for name, values := range query {
		if name != signatureParameter {
			signed[name] = values
		}
	}
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(path + "?" + signed.Encode()))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// grant is what a valid address lets its holder read.
type grant struct {
	hash        content.Hash
	contentType string
	expires     time.Time
}

// open reads a signed address. FORBIDDEN when its signature does not match or
// it has expired.
func (s *Signer) open(path string, query url.Values) (grant, error) {
	if !hmac.Equal([]byte(s.sign(path, query)), []byte(query.Get(signatureParameter))) {
		return grant{}, fault.Denied("the signature of the address is not valid")
	}
	seconds, err := strconv.ParseInt(query.Get(expiresParameter), 10, 64)
	if err != nil {
		return grant{}, fault.Denied("the address does not say when it expires")
	}
	expires := time.Unix(seconds, 0)
	if !s.now().Before(expires) {
		return grant{}, fault.Denied("the address has expired: ask for the file again")
	}
	return grant{hash: content.Hash(query.Get(hashParameter)), contentType: query.Get(typeParameter), expires: expires}, nil
}
