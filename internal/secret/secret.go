// Package secret keeps the random keys that all replicas of a server share:
// each is made once and stays in the database.
package secret

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"

	"octavo/ent"
	entsecret "octavo/ent/secret"
	"octavo/internal/database"
)

// Name of a key.
type Name string

// The keys.
const (
	Downloads   Name = "downloads"   // signs the addresses of files
	Credentials Name = "credentials" // seals credentials that wait for a job
	Sites       Name = "sites"       // seals the keys of sites
	Previews    Name = "previews"    // signs the addresses of previews
	SiteTokens  Name = "site-tokens" // signs site content tokens
)

const keySize = 32 // bytes

// Key returns the key with the name, making it when it is asked for the first
// time. Of several replicas that do so at once all get the same.
func Key(ctx context.Context, opened *database.Database, name Name) ([]byte, error) {
	key, err := find(ctx, opened, name)
	if err == nil || !ent.IsNotFound(err) {
		return key, err
	}
	fresh := make([]byte, keySize)
	// rand.Read never fails.
	_, _ = rand.Read(fresh)
	err = opened.Write(ctx, func(ctx context.Context) error {
		return opened.Client(ctx).Secret.Create().SetID(string(name)).SetValue(fresh).
			OnConflictColumns(entsecret.FieldID).Ignore().Exec(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("make the key %s: %w", name, err)
	}
	return find(ctx, opened, name)
}

func find(ctx context.Context, opened *database.Database, name Name) ([]byte, error) {
	found, err := opened.Client(ctx).Secret.Get(ctx, string(name))
	if err != nil {
		return nil, fmt.Errorf("read the key %s: %w", name, err)
	}
	return found.Value, nil
}

// Box seals short texts, so that they can wait in the database without being
// read in passing.
type Box struct{ cipher cipher.AEAD }

// NewBox returns the box of a key that Key made.
func NewBox(key []byte) (*Box, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("key of a box: %w", err)
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("key of a box: %w", err)
	}
	return &Box{cipher: sealer}, nil
}

// Seal hides a text.
func (b *Box) Seal(text string) []byte { return b.cipher.Seal(nil, nil, []byte(text), nil) }

// Open is the inverse of Seal. It fails for what this box did not seal.
func (b *Box) Open(sealed []byte) (string, error) {
	text, err := b.cipher.Open(nil, nil, sealed, nil)
	if err != nil {
		return "", errors.New("the text was not sealed with this key")
	}
	return string(text), nil
}
