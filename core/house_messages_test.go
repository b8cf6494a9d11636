package core_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// TestHouse_ReadsNoMessages checks that answers and what shows them go by codes and types: a message is for people, and another release
// of Kubernetes words it otherwise.
func TestHouse_ReadsNoMessages(t *testing.T) {
	looks := []string{"Contains", "HasPrefix", "HasSuffix", "Cut", "CutPrefix", "CutSuffix", "Index", "TrimPrefix", "TrimSuffix", "EqualFold"}
	eachFile(t, func(pkg, path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || !under("core/answers", pkg) && !under("views", pkg) && !under("cmd/app", pkg) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(looks, sel.Sel.Name) {
				return true
			}
			if from, ok := sel.X.(*ast.Ident); !ok || from.Name != "strings" {
				return true
			}
			for _, arg := range call.Args {
				if !mentions(arg, "Message", "Reason", "Reasons", "Says", "Summary", "Facts", "message", "reason", "clause", "fact", "said") {
					continue
				}
				t.Errorf("%s: strings.%s looks into a sentence: let the code that wrote it say what happened in a field", fileSet.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
	})
}
