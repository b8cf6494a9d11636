package kubesource

import (
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// DefaultPlugins returns the names of the scheduler's default plugins in their order, with the weight of those that have one. Plugins that are added
// under a feature gate come last.
func DefaultPlugins(patch string) ([]string, error) {
	kubernetes, err := Module("k8s.io/kubernetes", patch)
	if err != nil {
		return nil, err
	}
	file, err := parse(kubernetes, "pkg/scheduler/apis/config/v1/default_plugins.go")
	if err != nil {
		return nil, fmt.Errorf("reading the default plugins of Kubernetes %s: %w", patch, err)
	}
	var plugins []string
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		constant, ok := field(lit, "Name").(*ast.SelectorExpr)
		if ok && identifier(constant.X) == "names" && !slices.ContainsFunc(plugins, isPlugin(constant.Sel.Name)) {
			name, weight := constant.Sel.Name, field(lit, "Weight")
			if call, ok := weight.(*ast.CallExpr); ok && len(call.Args) == 1 {
				name += " " + literal(call.Args[0])
			}
			plugins = append(plugins, name)
		}
		return true
	})
	if len(plugins) == 0 {
		return nil, fmt.Errorf("reading the default plugins of Kubernetes %s: none is written as before", patch)
	}
	return plugins, nil
}

// isPlugin finds a plugin in a list, with or without its weight.
func isPlugin(name string) func(string) bool {
	return func(other string) bool { return other == name || strings.HasPrefix(other, name+" ") }
}

// Metrics returns the metrics that kube-scheduler defines itself, sorted, each with its stability.
func Metrics(patch string) ([]string, error) {
	kubernetes, err := Module("k8s.io/kubernetes", patch)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	err = fs.WalkDir(kubernetes, "pkg/scheduler", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !isSource(name) {
			return err
		}
		file, err := parse(kubernetes, name)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && strings.HasSuffix(identifier(lit.Type), "Opts") {
				if name := stringField(lit, "Name"); name != "" {
					found[name+" "+identifier(field(lit, "StabilityLevel"))] = true
				}
			}
			return true
		})
		return nil
	})
	if err == nil && len(found) == 0 {
		err = errors.New("none is written as before")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the metrics of Kubernetes %s: %w", patch, err)
	}
	return sorted(found), nil
}

func sorted(set map[string]bool) []string {
	all := make([]string, 0, len(set))
	for name := range set {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// field returns the value of a literal's field; nil if it is not set.
func field(lit *ast.CompositeLit, name string) ast.Expr {
	for _, element := range lit.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && identifier(pair.Key) == name {
			return pair.Value
		}
	}
	return nil
}

// stringField returns a field that is a text or a constant's name.
func stringField(lit *ast.CompositeLit, name string) string {
	value := field(lit, name)
	if value == nil {
		return ""
	}
	if text := literal(value); text != "" {
		return text
	}
	return identifier(value)
}

func literal(e ast.Expr) string {
	basic, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	if text, err := strconv.Unquote(basic.Value); err == nil {
		return text
	}
	return basic.Value
}
