// Command generate prints the statements that take a database with all
// migrations to the tables that package ent/schema describes. It runs on a
// fresh database of the dialect whose address is its argument:
//
//	go run ./ent/migrate/generate "$(mktemp -d)/new.db"
//	go run ./ent/migrate/generate postgres://localhost/empty
//
// What it prints is read, corrected where data must be kept, and saved as the
// next file below ent/migrate/versions.
package main

import (
	"context"
	"fmt"
	"os"

	_ "octavo/ent/runtime"
	"octavo/internal/database"
)

func main() {
	if err := generate(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(ctx context.Context) error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: generate DATABASE_URL")
	}
	opened, err := database.Open(ctx, os.Args[1], database.Options{})
	if err != nil {
		return err
	}
	defer opened.Close()
	if _, err := opened.Migrate(ctx); err != nil {
		return err
	}
	return opened.WritePending(ctx, os.Stdout)
}
