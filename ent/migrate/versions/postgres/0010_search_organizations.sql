-- Each section of the full-text index gets a word for its organization beside
-- that for its space, so that a search in an organization meets its rows only.
UPDATE search_sections SET scope = scope || '§' || replace(s.organization_id, '_', '') || ' '
FROM search_pages p JOIN spaces s ON s.id = p.space_id WHERE p.id = search_sections.page;
-- A space that changes hands takes its sections along.
CREATE FUNCTION transfer_search_sections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE search_sections SET scope = ' §' || replace(NEW.id, '_', '') || ' §' || replace(NEW.organization_id, '_', '') || ' '
  WHERE page IN (SELECT id FROM search_pages WHERE space_id = NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER spaces_transfer_search AFTER UPDATE OF organization_id ON spaces
FOR EACH ROW WHEN (OLD.organization_id <> NEW.organization_id) EXECUTE FUNCTION transfer_search_sections();
