package access

import "encoding/binary"

// Shape tells callers apart as far as the text of statements on their behalf
// does: by whether the fence is open to them, and by their role in each of
// their organizations, in the order of Organizations. For visitors of a site it
// is the number of the spaces that they may read.
func (v *Viewer) Shape() string {
	var shape []byte
	if v.IsSystem() {
		shape = append(shape, "system"...)
	}
	if v.Visitor != nil {
		return string(binary.AppendVarint(append(shape, "visitor"...), int64(len(v.Visitor.Spaces))))
	}
	for _, id := range v.Organizations() {
		shape = binary.AppendVarint(shape, int64(v.Memberships[id]))
	}
	return string(shape)
}

// Names are what Stencil replaces: the caller's id and those of their
// organizations, and of the spaces of visitors.
func (v *Viewer) Names() []string {
	names := append([]string{v.UserID}, v.Organizations()...)
	if v.Visitor != nil {
		names = append(names, v.Visitor.spaceIDs()...)
	}
	return names
}

// Stencil returns a caller of the same shape with other names, which must sort
// as the caller's do.
func (v *Viewer) Stencil(names []string) *Viewer {
	alike := &Viewer{UserID: names[0], Memberships: make(map[string]Role, len(v.Memberships)), system: v.system}
	if v.Visitor != nil {
		alike.Visitor = &Visitor{OrganizationID: names[1], Spaces: make(map[string]string, len(v.Visitor.Spaces))}
		for _, name := range names[2 : 2+len(v.Visitor.Spaces)] {
			alike.Visitor.Spaces[name] = ""
		}
		return alike
	}
	for index, id := range v.Organizations() {
		alike.Memberships[names[index+1]] = v.Memberships[id]
	}
	return alike
}
