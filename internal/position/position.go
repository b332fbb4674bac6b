// Package position makes sort keys for lists whose items people put in order:
// between any two keys there is room for another, so that moving an item
// changes that item alone.
//
// A key is a fraction in base 36, written with the digits 0-9a-z and never
// ending in 0. Keys compare as text, in the same way on every database and
// under every collation.
package position

import (
	"strings"

	"octavo/internal/identifier"
)

const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

// middle ends fresh keys, so that there is room before them.
const middle = 'i'

// After returns a key behind the last one of a list; an empty last stands for
// an empty list. Keys made one after the other grow with time, not in length.
func After(last string) string {
	_, body, _ := strings.Cut(identifier.New(identifier.Space), "_")
	fresh := body + string(middle)
	if fresh > last {
		return fresh
	}
	return Between(last, "")
}

// Between returns a key behind low and before high. An empty low is the
// beginning, an empty high the end. low must sort before high.
func Between(low, high string) string {
	var key strings.Builder
	bounded := high != ""
	for index := 0; ; index++ {
		from, to := digitAt(low, index, 0), len(digits)
		if bounded {
			to = digitAt(high, index, 0)
		}
		if to-from > 1 {
			key.WriteByte(digits[(from+to)/2])
			return key.String()
		}
		key.WriteByte(digits[from])
		if to > from {
			// What follows is behind low and, whatever it is, before high.
			bounded = false
		}
	}
}

func digitAt(key string, index, otherwise int) int {
	if index >= len(key) {
		return otherwise
	}
	return strings.IndexByte(digits, key[index])
}

// Spread returns keys in order, all behind low and before high, that are as
// short as their number allows.
func Spread(low, high string, count int) []string {
	keys := make([]string, count)
	spread(low, high, keys)
	return keys
}

func spread(low, high string, keys []string) {
	if len(keys) == 0 {
		return
	}
	middle := len(keys) / 2
	keys[middle] = Between(low, high)
	spread(low, keys[middle], keys[:middle])
	spread(keys[middle], high, keys[middle+1:])
}
