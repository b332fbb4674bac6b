package content

import "hash/fnv"

// Chunks are cut where the hash of an entry's id says so, never by position:
// an insertion or removal moves the boundaries next to it and no others, so
// that two trees share every chunk in which they do not differ.
const (
	chunkMinimum = 16
	chunkMaximum = 256
	// chunkDivisor is how many entries past the minimum a chunk holds on
	// average, which makes about 64 in all.
	chunkDivisor = 48
)

// cutIntoChunks returns consecutive parts of entries that together are all of
// them. identify returns the id by which an entry is placed.
func cutIntoChunks[Entry any](entries []Entry, identify func(Entry) string) [][]Entry {
	var chunks [][]Entry
	start := 0
	for position, entry := range entries {
		length := position - start + 1
		if length < chunkMinimum {
			continue
		}
		if length == chunkMaximum || endsChunk(identify(entry)) {
			chunks = append(chunks, entries[start:position+1])
			start = position + 1
		}
	}
	if start < len(entries) {
		chunks = append(chunks, entries[start:])
	}
	return chunks
}

func endsChunk(id string) bool {
	digest := fnv.New64a()
	digest.Write([]byte(id)) // a hash never returns an error
	return scatter(digest.Sum64())%chunkDivisor == 0
}

// scatter spreads the bits of value over the whole word (the finalizer of
// MurmurHash3): FNV alone leaves ids that differ in their last letter close
// together.
func scatter(value uint64) uint64 {
	value ^= value >> 33
	value *= 0xff51afd7ed558ccd
	value ^= value >> 33
	value *= 0xc4ceb9fe1a85ec53
	return value ^ value>>33
}
