package printable_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"sigs.k8s.io/yaml"

	"orrery/core/safe/printable"
)

// Strings as objects and configurations may hold them.
var encodedStrings = []string{
	"", "a: b", "~", "a\nb", "\x00\x1b[2J\x7f", "\u0085\u009b\u2028\u202e\ufeff\ufffe", "\U000e0041\U0001f680é", `"\`,
}

func TestYAML_KeepsEveryCharacter(t *testing.T) {
	for _, s := range encodedStrings {
		want := map[string]any{"a" + s: []any{s, 1.5, true, nil}}
		text, err := printable.YAML(want)
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		var got map[string]any
		if err := yaml.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q became %q, which is read as %q, %v", want, text, got, err)
		}
	}
}

func TestEscapeJSON_LeavesNothingUnprintable(t *testing.T) {
	for _, s := range encodedStrings {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		escaped := printable.EscapeJSON(text)
		for _, r := range string(escaped) {
			if printable.Unprintable(r) {
				t.Errorf("%q became %q", s, escaped)
			}
		}
		var got string
		if err := json.Unmarshal(escaped, &got); err != nil || got != s {
			t.Errorf("%q became %q, which is read as %q, %v", s, escaped, got, err)
		}
	}
}
