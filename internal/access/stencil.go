package access

import "encoding/binary"

// Shape tells callers apart as far as the text of statements on their behalf
// does: by whether the fence is open to them, and by their role in each of
// their organizations, in the order of Organizations.
func (v *Viewer) Shape() string {
	var shape []byte
	if v.IsSystem() {
		shape = append(shape, "system"...)
	}
	for _, id := range v.Organizations() {
		shape = binary.AppendVarint(shape, int64(v.Memberships[id]))
	}
	return string(shape)
}

// Names are what Stencil replaces: the caller's id and those of their
// organizations.
func (v *Viewer) Names() []string { return append([]string{v.UserID}, v.Organizations()...) }

// Stencil returns a caller of the same shape with other names, which must sort
// as the caller's do.
func (v *Viewer) Stencil(names []string) *Viewer {
	alike := &Viewer{UserID: names[0], Memberships: make(map[string]Role, len(v.Memberships)), system: v.system}
	for index, id := range v.Organizations() {
		alike.Memberships[names[index+1]] = v.Memberships[id]
	}
	return alike
}
