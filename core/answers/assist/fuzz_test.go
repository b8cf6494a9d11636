package assist

import (
	"slices"
	"testing"

	"orrery/core/testing/fuzz"
)

// FuzzArguments reads the arguments of calls. What is accepted asks a command about a named source, and nothing after -- is taken for a flag.
//
//orrery:reads core/answers/assist
func FuzzArguments(f *testing.F) {
	for _, text := range []string{
		"", "null", "{}", "[]", `{"pod":"web","source":"morning","at":"+1m"}`, `{"pod":"--trace=x"}`, `{"changes":["drain n","--help"],"budget":300}`, `{"releases":["1.36"],"configurations":["pack.yaml"]}`,
		`{"owner":"deployment/web","namespace":"-n"}`, `{"pod":"a","pod":"b"}`, `{"budget":1e400}`, `{"workload":"a/b"}`,
	} {
		f.Add([]byte(text))
	}
	o := optionsOf(&asked{})
	all := tools(&o)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, tool := range all {
			var a arguments
			var err error
			fuzz.Cost(t, len(text), func() { a, err = tool.read(&o, text) })
			if err != nil {
				fuzz.Error(t, err)
				continue
			}
			words, shown := tool.command(a)
			at := slices.Index(words, "--")
			if at < 0 {
				t.Fatalf("%s asks %q, in which an argument may be a flag", tool.name, words)
			}
			if tool.recordings && words[len(words)-1] != "dir/morning" || !tool.recordings && !slices.Contains(words[:at], a.source.Words[0]) {
				t.Errorf("%s asks %q of %s", tool.name, words, a.source.Name)
			}
			_ = shellWords(o.Program, shown)
		}
	})
}
