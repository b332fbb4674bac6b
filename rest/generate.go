package rest

//go:generate go tool -modfile=internal/tools/go.mod oapi-codegen -config wire/config.yaml openapi.yaml
//go:generate go run ./internal/openapijson openapi.yaml contract/openapi.json
