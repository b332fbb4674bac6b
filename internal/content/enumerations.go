package content

// Values lists the kinds of conflicts.
func (ConflictKind) Values() []string {
	return []string{
		"body_block", "title", "metadata_field", "moved_both", "deleted_and_edited", "edited_and_deleted",
		"slug_clash", "path_clash", "order", "cycle", "file", "reusable_content", "variable", "repository",
	}
}

// Values lists the choices.
func (Choice) Values() []string { return []string{"ours", "theirs", "base", "both", "custom"} }

// Values lists the kinds of changes.
func (ChangeKind) Values() []string {
	return []string{
		"page_created", "page_edited", "page_deleted", "page_moved", "file_created", "file_edited", "file_deleted",
		"reusable_content_created", "reusable_content_edited", "reusable_content_deleted", "variables_edited",
	}
}
