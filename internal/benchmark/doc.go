// Package benchmark measures both APIs against a hand-written handler that does
// the same job with the very same statements, in the same run, and gives the
// same answers:
//
//	go test ./internal/benchmark -run '^$' -bench Operations -benchtime 200x
//
// Every handler is called in process, so that neither a network nor a client
// is measured. cpu-ns/op is the processor time of this process, user and
// system, for one request; that of PostgreSQL is not in it.
package benchmark
