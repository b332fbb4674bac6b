//go:build race

package document

// hostileSize is smaller under the race detector, which is many times slower.
const hostileSize = 1 << 16
