PRAGMA foreign_keys = off;
ALTER TABLE `invites` ADD COLUMN `delivery` text NULL;
PRAGMA foreign_keys = on;
