package graph

//go:generate go run -C .. ./graph/internal/generate
