package extender

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"pgregory.net/rapid"

	"orrery/core/objects/nodenames"
	"orrery/core/testing/fuzz"
	"orrery/core/world"
)

// FuzzScanner reads answers of extenders, beside encoding/json.
//
//orrery:reads core/world/extender
func FuzzScanner(f *testing.F) {
	for _, response := range []string{
		`{"Nodes":null,"NodeNames":["n1","n2"],"FailedNodes":null,"FailedAndUnresolvableNodes":null,"Error":""}`,
		`{"NodeNames": [], "FailedNodes": {"a": "x", "b": "y"}, "FailedAndUnresolvableNodes": {"c": "z"}} {}`,
		`{"NodeNames":["n2"],"NodeNames":null,"FailedNodes":{"a":"x"},"FailedNodes":{"a":"y"}}`,
		`{"nodenames":["n1"],"Error":"\u0041"}`, `{"Error":"<b>"}`, `{"NodeNames":["é"]}`, `{"NodeNames":["n1",]}`, `{"Nodes":nul}`, `null`, ``,
		`[{"Host":"n1","Score":10},{"Host":"n2","Score":-7}]`, `[{"Score":1.5}]`, `[{"Score":1e2}]`, `[{"Score":01}]`, `[{"Score":-}]`,
		`[{"Score":99999999999999999999}]`, `[{"Host":"n1","Host":"n2"}]`, `[]`, `[{}]`, `[{"Host":null}]`,
	} {
		f.Add(response, true)
		f.Add(response, false)
	}
	f.Fuzz(func(t *testing.T, response string, prioritize bool) {
		fuzz.Cost(t, len(response), func() { compareWithJSON(t, response, prioritize) })
	})
}

// Responses made of pieces of JSON come closer to what the scanner reads than those that a fuzzer finds in a short time.
func TestScanner_AgreesWithJSON(t *testing.T) {
	pieces := []string{
		"{", "}", "[", "]", ",", ":", " ", "null", "0", "7", "-12", "1.5", `"NodeNames"`, `"NodeNames":["n1","n2"]`, `"Nodes":null`, `"nodes":null`,
		`"FailedNodes":{"n1":"x"}`, `"FailedNodes":{"n1":"y","n2":null}`, `"FailedAndUnresolvableNodes":{"n2":"z"}`, `"FailedNodes":null`,
		`"Error":"no"`, `"Error":""`, `"Error":"\u0041"`, `{"Host":"n1","Score":5}`, `"Host":"n2"`, `"Score":3`, `"n1"`, `"`, "é",
	}
	rapid.Check(t, func(t *rapid.T) {
		inside := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, "pieces"), rapid.SampledFrom([]string{",", ""}).Draw(t, "between"))
		around := rapid.SampledFrom([][2]string{{"{", "}"}, {"[", "]"}, {"", ""}, {"[{", "}]"}}).Draw(t, "around")
		compareWithJSON(t, around[0]+inside+around[1], rapid.Bool().Draw(t, "prioritize"))
	})
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// compareWithJSON answers a response that comes byte by byte.
func compareWithJSON(t failer, response string, prioritize bool) {
	t.Helper()
	call := world.CallExtender{Verb: world.ExtenderFilter, Request: world.ExtenderRequest{NamesOnly: true, Names: nodenames.Of([]string{"n1", "n2"})}}
	if prioritize {
		call.Verb = world.ExtenderPrioritize
	}
	want, wantErr := decode(call, json.NewDecoder(strings.NewReader(response)))
	if wantErr != nil {
		want = nil
	}
	got, err := Answer(call, iotest.OneByteReader(strings.NewReader(response)), MaxResponse)
	if err != nil {
		got = nil
	}
	if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (wantErr == nil) {
		t.Errorf("response %q: errors %v and %v; encoding/json (-) and the scanner (+) differ:\n%s", response, wantErr, err, diff)
	}
}

// The usual answers are not left to encoding/json.
func TestScanner_ReadsUsualAnswers(t *testing.T) {
	names := []string{"n2"}
	for name, tt := range map[string]struct {
		verb   world.ExtenderVerb
		result any
	}{
		"names": {world.ExtenderFilter, extenderv1.ExtenderFilterResult{
			NodeNames: &names, FailedNodes: map[string]string{"n1": "no GPU"}, FailedAndUnresolvableNodes: map[string]string{"n3": "gone"},
		}},
		"priorities": {world.ExtenderPrioritize, extenderv1.HostPriorityList{{Host: "n2", Score: 7}, {Host: "n1"}}},
	} {
		text, err := json.Marshal(tt.result)
		if err != nil {
			t.Fatal(err)
		}
		call := world.CallExtender{Verb: tt.verb, Request: world.ExtenderRequest{NamesOnly: true, Names: nodenames.Of([]string{"n1", "n2"})}}
		if s := (&scanner{from: strings.NewReader(string(text))}); s.answer(&call) == nil {
			t.Errorf("%s: the scanner leaves %s to encoding/json at byte %d", name, text, s.at)
		}
	}
}

// A request is the JSON of kube-scheduler's type, whatever the names are.
func TestRequestBody_NamesAreEscaped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "names")
		if names == nil {
			names = []string{}
		}
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: rapid.String().Draw(t, "pod")}}
		want, err := json.Marshal(extenderv1.ExtenderArgs{Pod: pod, NodeNames: &names})
		if err != nil {
			t.Fatal(err)
		}
		request := world.ExtenderRequest{Pod: pod, NamesOnly: true, Names: nodenames.Of(names)}
		got, err := RequestBody(world.CallExtender{Verb: world.ExtenderFilter, Request: request})
		if err != nil || string(got) != string(want) {
			t.Fatalf("error %v; the request is\n%s, want\n%s", err, got, want)
		}
	})
}
