package site

import "crypto/rand"

// newKey is a random key: 26 letters and digits, more than 128 bits.
func newKey() string { return rand.Text() }
