package fuzz

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// decoders are functions that are called with what comes from outside, by the package that they are of. "*" is each of them.
var decoders = map[string][]string{
	"bufio":                                  {"NewReader", "NewReaderSize", "NewScanner"},
	"encoding/base64":                        {"NewDecoder"},
	"encoding/binary":                        {"BigEndian", "LittleEndian", "Read", "Uvarint", "Varint"},
	"encoding/csv":                           {"NewReader"},
	"encoding/hex":                           {"DecodeString", "Decode"},
	"encoding/json":                          {"NewDecoder", "Unmarshal"},
	"go.yaml.in/yaml/v3":                     {"NewDecoder", "Unmarshal"},
	"io":                                     {"ReadAll"},
	"k8s.io/apimachinery/pkg/api/resource":   {"ParseQuantity"},
	"k8s.io/apimachinery/pkg/labels":         {"Parse"},
	"k8s.io/client-go/tools/clientcmd":       {"BuildConfigFromFlags", "NewNonInteractiveDeferredLoadingClientConfig"},
	"k8s.io/dynamic-resource-allocation/cel": {"*"},
	"net/url":                                {"Parse"},
	"orrery/core/safe/files":                 {"Read"},
	"os":                                     {"Getenv", "LookupEnv", "Open", "ReadDir", "ReadFile"},
	"regexp":                                 {"Compile"},
	"sigs.k8s.io/yaml":                       {"Unmarshal", "UnmarshalStrict", "YAMLToJSON", "YAMLToJSONStrict"},
	"strconv":                                {"Atoi", "ParseBool", "ParseFloat", "ParseInt", "ParseUint", "Unquote"},
	"time":                                   {"Parse", "ParseDuration"},
}

// TestTargets_CoverWhatDecodes checks that each package that decodes bytes has a target, or a reason why it has none.
func TestTargets_CoverWhatDecodes(t *testing.T) {
	targets, err := Targets(root)
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for _, target := range targets {
		for _, of := range target.Of {
			covered[of] = true
		}
	}
	decodes := decodingPackages(t)
	for _, folder := range slices.Sorted(maps.Keys(decodes)) {
		reason, exempt := withoutTarget[folder]
		switch {
		case !covered[folder] && !exempt:
			t.Errorf("%s decodes bytes (%s) and has no fuzz target: add one, or add %q to the packages of a target's line %q", folder, decodes[folder], folder, directive)
		case covered[folder] && exempt:
			t.Errorf("%s has a fuzz target: remove it from withoutTarget (%s)", folder, reason)
		}
	}
	for folder := range withoutTarget {
		if decodes[folder] == "" {
			t.Errorf("%s decodes nothing: remove it from withoutTarget", folder)
		}
	}
}

// decodingPackages returns a place in each package that calls one of the decoders.
func decodingPackages(t *testing.T) map[string]string {
	places := map[string]string{}
	code := func(name string) bool { return !isTest(name) && !strings.HasPrefix(name, root+"/core/parity/") }
	err := eachFile(root, code, func(name string, file *ast.File) error {
		imported := map[string]string{}
		for _, i := range file.Imports {
			from, _ := strconv.Unquote(i.Path.Value)
			as := path.Base(from)
			if as == "v3" {
				as = path.Base(path.Dir(from))
			}
			if i.Name != nil {
				as = i.Name.Name
			}
			imported[as] = from
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			if names := decoders[imported[of.Name]]; slices.Contains(names, sel.Sel.Name) || slices.Contains(names, "*") && sel.Sel.IsExported() {
				places[path.Dir(name)] = name + ": " + of.Name + "." + sel.Sel.Name
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return places
}

// withoutTarget are the packages that decode bytes and have no target, with the reason.
var withoutTarget = map[string]string{
	"cmd/release":               "reads this repository",
	"cmd/release/build":         "reads what go list prints",
	"cmd/release/chart":         "reads this repository",
	"cmd/release/licenses":      "reads the modules that are built",
	"cmd/release/site":          "reads the names of folders that it wrote",
	"cmd/release/sbom/sbomtest": "reads the schema of CycloneDX",
	"cmd/example/favouritezone": "an example of a plugin, whose args the configuration's targets pass on",
	"cmd/example/licenses":      "an example of a plugin, which reads one number",
	"core/testing/apistub":      "is an API server for tests",
	"core/testing/fuzz/command": "reads what go test prints",
	"core/testing/planted":      "reads this repository",
	"cmd/release/dependencies":  "reads what go list prints",
	"docs/features":             "reads this repository",
	"docs/pictures":             "reads this repository",
	"tui/ptytest":               "is a terminal for tests",
}
