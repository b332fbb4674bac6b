ALTER TABLE "invites" ADD COLUMN "delivery" character varying NULL;
