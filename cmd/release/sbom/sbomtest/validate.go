// Package sbomtest checks documents in tests by the schema that CycloneDX publishes, which the module that writes them carries.
package sbomtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate fails unless a document is a CycloneDX document.
func Validate(t *testing.T, document []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatalf("the document is no JSON: %v", err)
	}
	if err := schema(t).Validate(value); err != nil {
		t.Errorf("the document breaks CycloneDX' schema: %v", err)
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatalf("finding CycloneDX' schemas: %v", err)
	}
	const published = "http://cyclonedx.org/schema/"
	compiler := jsonschema.NewCompiler()
	for file, name := range map[string]string{
		"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schemax.json": "jsf-0.82.schema.json",
	} {
		f, err := os.Open(filepath.Join(strings.TrimSpace(string(out)), "schema", file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		value, err := jsonschema.UnmarshalJSON(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource(published+name, value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := compiler.Compile(published + "bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
