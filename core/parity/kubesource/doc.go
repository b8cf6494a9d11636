// Package kubesource reads facts from the source of a release of Kubernetes, which is parsed and not compiled, so that one program reads every
// release: its feature gates, the default plugins of its scheduler, its metrics, its API's fields, and how its files differ.
//
//	module cache ──┬── source.go, table.go   gates, with the entry in force in the release
//	               ├── scheduler.go          default plugins, metrics
//	               ├── fields.go             fields of API objects, from its OpenAPI document
//	               └── files.go              lines that two releases do not share
//
// What is not written as upstream has written it so far is an error.
package kubesource
