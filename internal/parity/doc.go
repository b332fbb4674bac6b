// Package parity proves, by its tests, that REST and GraphQL do the same for
// every operation and every kind of caller. Its table of operations is also the
// source of docs/guide/operations.md.
package parity

//go:generate go test -run ^TestOperationsPage$ -update .
