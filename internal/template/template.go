package template

// Template is content that comes with Octavo.
type Template struct {
	// ID is what clients name it by.
	ID          string
	Title       string
	Description string
}
