package rest

//go:generate go tool -modfile=internal/tools/go.mod oapi-codegen -config wire/config.yaml openapi.yaml
