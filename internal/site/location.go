package site

// Location is where a path leads on a site.
type Location struct {
	// SiteSpace is nil on a site that shows nothing.
	SiteSpace *SiteSpace
	// Segments is how many segments of the path name the section and the site
	// space; those behind are the path of a page.
	Segments int
	// Final tells that no longer path with the same beginning leads to another
	// site space.
	Final bool
}

// Locate finds the site space that a path, in segments, leads to: the first
// segment may name a section and the next one a variant of it; what names none
// leads to the default.
func (s *Structure) Locate(path []string) Location {
	var found Location
	section := s.sectionAt(path)
	// Whether something else may follow that names a site space.
	open := len(s.Sections) > 1
	if section != nil {
		found.Segments, open, path = 1, false, path[1:]
	} else {
		section = s.defaultSection()
	}
	variants := s.Variants(section)
	for _, each := range variants {
		if len(path) > 0 && each.Path == path[0] && !each.Default {
			return Location{SiteSpace: each, Segments: found.Segments + 1, Final: true}
		}
		if each.Default {
			found.SiteSpace = each
		}
	}
	found.Final = len(path) > 0 || !open && len(variants) < 2
	return found
}

// sectionAt is the section that the first segment names, or nil.
func (s *Structure) sectionAt(path []string) *Section {
	for _, section := range s.Sections {
		if len(path) > 0 && section.Path == path[0] && !section.Default {
			return section
		}
	}
	return nil
}

func (s *Structure) defaultSection() *Section {
	for _, section := range s.Sections {
		if section.Default {
			return section
		}
	}
	return nil
}

// Variants are the site spaces of a section, or those of a site without
// sections.
func (s *Structure) Variants(of *Section) []*SiteSpace {
	if of != nil {
		return of.SiteSpaces
	}
	var variants []*SiteSpace
	for _, siteSpace := range s.SiteSpaces {
		if siteSpace.Section == nil {
			variants = append(variants, siteSpace)
		}
	}
	return variants
}
