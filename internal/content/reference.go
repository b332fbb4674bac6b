package content

import "encoding/hex"

// hashLength is how many characters a Hash has.
const hashLength = 64

// References returns the hashes in the data of a root or chunk: everything
// between quotes that has the form of a hash. That may be too much, for a
// title can have that form, and is never too little.
func References(data []byte) []Hash {
	var found []Hash
	for start := 0; start+hashLength+1 < len(data); start++ {
		if data[start] != '"' || data[start+hashLength+1] != '"' {
			continue
		}
		text := data[start+1 : start+1+hashLength]
		if _, err := hex.DecodeString(string(text)); err == nil {
			found = append(found, Hash(text))
		}
	}
	return found
}
