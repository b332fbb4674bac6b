//go:build !race

package document

// hostileSize is the size of hostile pages, in bytes.
const hostileSize = 1 << 20
