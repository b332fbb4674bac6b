-- The full-text index of main content. See docs/adr on search. Words are made
-- by the program: separated by single spaces, with one at both ends. They hold
-- no ASCII characters but letters and digits, so that the tokenizer "ascii"
-- takes them as they are.
CREATE TABLE `search_pages` (
  `id` integer NOT NULL PRIMARY KEY,
  `space_id` text NOT NULL,
  `page_id` text NOT NULL,
  `title` text NOT NULL,
  `path` text NOT NULL,
  `ancestors` text NOT NULL,
  CONSTRAINT `search_pages_spaces_space` FOREIGN KEY (`space_id`) REFERENCES `spaces` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `searchpage_space_id_page_id` ON `search_pages` (`space_id`, `page_id`);
CREATE TABLE `search_sections` (
  `id` integer NOT NULL PRIMARY KEY,
  `page` integer NOT NULL,
  `position` integer NOT NULL,
  `anchor` text NOT NULL,
  `heading` text NOT NULL,
  `body` text NOT NULL,
  `scope` text NOT NULL,
  `title_words` text NOT NULL,
  `heading_words` text NOT NULL,
  `body_words` text NOT NULL,
  CONSTRAINT `search_sections_search_pages_page` FOREIGN KEY (`page`) REFERENCES `search_pages` (`id`) ON DELETE CASCADE
);
CREATE UNIQUE INDEX `searchsection_page_position` ON `search_sections` (`page`, `position`);
CREATE VIRTUAL TABLE `search_words` USING fts5(
  scope, title_words, heading_words, body_words,
  content='search_sections', content_rowid='id', tokenize='ascii', detail='none', columnsize=0
);
CREATE TRIGGER `search_sections_insert` AFTER INSERT ON `search_sections` BEGIN
  INSERT INTO search_words (rowid, scope, title_words, heading_words, body_words)
  VALUES (new.id, new.scope, new.title_words, new.heading_words, new.body_words);
END;
CREATE TRIGGER `search_sections_delete` AFTER DELETE ON `search_sections` BEGIN
  INSERT INTO search_words (search_words, rowid, scope, title_words, heading_words, body_words)
  VALUES ('delete', old.id, old.scope, old.title_words, old.heading_words, old.body_words);
END;
CREATE TRIGGER `search_sections_update` AFTER UPDATE ON `search_sections` BEGIN
  INSERT INTO search_words (search_words, rowid, scope, title_words, heading_words, body_words)
  VALUES ('delete', old.id, old.scope, old.title_words, old.heading_words, old.body_words);
  INSERT INTO search_words (rowid, scope, title_words, heading_words, body_words)
  VALUES (new.id, new.scope, new.title_words, new.heading_words, new.body_words);
END;
