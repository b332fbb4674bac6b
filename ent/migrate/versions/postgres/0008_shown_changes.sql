-- Counts the transactions that change what sites show, so that a server learns in one short statement whether what it
-- has in memory still holds. The triggers fire at the commit: the row that all of them change is the last that a
-- transaction locks, and never one that it waits for while others wait for it.
CREATE TABLE "shown_changes" ("id" smallint PRIMARY KEY CHECK ("id" = 1), "number" bigint NOT NULL);
INSERT INTO "shown_changes" ("id", "number") VALUES (1, 1);
CREATE FUNCTION "count_shown_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Once for each transaction: the setting ends with it.
  IF current_setting('octavo.shown_change_counted', true) IS DISTINCT FROM 'yes' THEN
    UPDATE "shown_changes" SET "number" = "number" + 1;
    PERFORM set_config('octavo.shown_change_counted', 'yes', true);
  END IF;
  RETURN NULL;
END;
$$;
CREATE CONSTRAINT TRIGGER "organizations_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "organizations"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "spaces_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "spaces"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "sites_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "sites"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "site_section_groups_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "site_section_groups"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "site_sections_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "site_sections"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "site_spaces_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "site_spaces"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
CREATE CONSTRAINT TRIGGER "site_share_links_are_shown" AFTER INSERT OR UPDATE OR DELETE ON "site_share_links"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_shown_change"();
