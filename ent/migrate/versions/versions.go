// Package versions holds the migrations of the database, one directory for
// each dialect, applied in the order of their names and never changed once
// released.
package versions

import "embed"

// Files holds sqlite/*.sql and postgres/*.sql.
//
//go:embed sqlite/*.sql postgres/*.sql
var Files embed.FS
