-- Each section of the full-text index gets a word for its organization beside
-- that for its space, so that a search in an organization meets its rows only.
UPDATE search_sections SET scope = scope || (
  SELECT '§' || replace(s.organization_id, '_', '') || ' ' FROM search_pages p JOIN spaces s ON s.id = p.space_id WHERE p.id = search_sections.page
);
-- A space that changes hands takes its sections along.
CREATE TRIGGER spaces_transfer_search AFTER UPDATE OF organization_id ON spaces
WHEN old.organization_id <> new.organization_id
BEGIN
  UPDATE search_sections SET scope = ' §' || replace(new.id, '_', '') || ' §' || replace(new.organization_id, '_', '') || ' '
  WHERE page IN (SELECT id FROM search_pages WHERE space_id = new.id);
END;
