// Command gatetables writes core/scheduler/config/gates_1xx.go: the feature gates that kube-scheduler knows in each release that Orrery
// models, with their stage, default, lock and dependencies.
//
//	module cache ── kubesource ── table.go ──▶ gates_135.go, gates_136.go, gates_137.go
//	upstream's      the specs    of each gate the entry in force
//	own text        as syntax    in that release
//
// Each release's table is read from that release's own source, since later ones drop gates and rewrite the history of others. The source is
// parsed and not compiled, so that one program reads every release. What is not the literal that upstream has written so far is an error.
//
//	go run ./gatetables            writes the tables
//	go test ./gatetables           checks that they are current
//
// It needs the modules of each release in the module cache; go mod download fetches those that are missing.
package main
