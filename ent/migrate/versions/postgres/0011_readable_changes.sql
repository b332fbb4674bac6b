-- Who may read which spaces changes with these tables, too: counts of readable spaces are kept while nothing of them does.
CREATE CONSTRAINT TRIGGER "permissions_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "permissions"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "team_members_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "team_members"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "collections_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "collections"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "collection_ancestors_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "collection_ancestors"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
