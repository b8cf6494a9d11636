package strict_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/demo/scenario/strict"
)

type sheep struct {
	strict.Position
	Name string   `yaml:"name"`
	Wool *float64 `yaml:"wool"`
	Legs uint32   `yaml:"legs"`
	Mad  bool     `yaml:"mad"`
}

// UnmarshalText lets a sheep be written as its name.
func (s *sheep) UnmarshalText(text []byte) error {
	if strings.ContainsAny(string(text), " \n") {
		return fmt.Errorf("a sheep has one name")
	}
	s.Name = string(text)
	return nil
}

type flock []sheep

// OneOrMore lets a flock of one be written as the sheep.
func (flock) OneOrMore() {}

type farm struct {
	strict.Position
	Flock  flock               `yaml:"flock"`
	Fields map[string]int      `yaml:"fields"`
	Rest   strict.Raw          `yaml:"rest"`
	Pod    *v1.PodSpec         `yaml:"pod"`
	Port   *intstr.IntOrString `yaml:"port"`
}

func TestDecode_ShortForms(t *testing.T) {
	for name, text := range map[string]string{
		"in full":       "flock: [{name: Dolly}]",
		"a word":        "flock: [Dolly]",
		"no list":       "flock: Dolly",
		"by an alias":   "rest: 1\nflock: [&d {name: Dolly}]",
		"as JSON":       `{"flock": [{"name": "Dolly"}]}`,
		"with comments": "# sheep\nflock: # one\n  - Dolly # cloned\n",
	} {
		var f farm
		if err := strict.Decode("farm.yaml", []byte(text), &f); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(f.Flock) != 1 || f.Flock[0].Name != "Dolly" {
			t.Errorf("%s gives %+v", name, f.Flock)
		}
	}
}

func TestDecode_KubernetesTypes(t *testing.T) {
	const text = `
pod:
  containers:
    - name: main
      resources: {requests: {cpu: 250m, memory: 1Gi, example.com/gpu: 2}}
      ports: [{containerPort: 80}]
      readinessProbe: {httpGet: {port: http}, periodSeconds: 3}
  nodeSelector: {disk: ssd}
  volumes: [{name: data, emptyDir: {}}]
  terminationGracePeriodSeconds: 5
port: 8080
`
	var f farm
	if err := strict.Decode("farm.yaml", []byte(text), &f); err != nil {
		t.Fatal(err)
	}
	c := f.Pod.Containers[0]
	got := []any{
		c.Resources.Requests.Cpu().String(), c.Resources.Requests.Memory().Value(), c.Ports[0].ContainerPort,
		c.ReadinessProbe.HTTPGet.Port.StrVal, f.Pod.Volumes[0].EmptyDir != nil, *f.Pod.TerminationGracePeriodSeconds, f.Port.IntVal,
	}
	want := []any{"250m", int64(1 << 30), int32(80), "http", true, int64(5), int32(8080)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecode_Errors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a value of another type", "flock:\n  - name: D\n    wool: much", `farm.yaml:3: flock[0].wool: a number is expected here, not "much"`},
		{"below zero", "flock: [{legs: -1}]", `farm.yaml:1: flock[0].legs: a whole number, not below zero, is expected here, not "-1"`},
		{"too big", "flock: [{legs: 5000000000}]", `farm.yaml:1: flock[0].legs: a whole number, not below zero, is expected here, not "5000000000"`},
		{"neither true nor false", "flock: [{mad: yes please}]", `farm.yaml:1: flock[0].mad: true or false is expected here, not "yes please"`},
		{"what a type of its own refuses", "flock:\n  - Dolly\n  - two words", `farm.yaml:3: flock[1]: "two words": a sheep has one name`},
		{"a name with parts", "fields: {[a]: 1}", `farm.yaml:1: fields: a name is expected here, not something with parts of its own`},
		{"no map", "fields: 3", `farm.yaml:1: fields: names and values are expected here, as in {name: value}`},
		{"twice in a map", "fields: {a: 1, b: 2, a: 3}", `farm.yaml:1: fields: "a" is written twice`},
		{"a quantity that is none", "pod: {overhead: {cpu: lots}}", `farm.yaml:1: pod.overhead.cpu: "lots": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`},
		{"nothing", "", `farm.yaml: it is empty`},
		{"nothing in a list", "flock: [~]", `farm.yaml:1: flock[0]: a value is missing here`},
		{"a control character", "flock: a\nb: \x00", `farm.yaml:2: this is not YAML: control characters are not allowed`},
		{"an unknown anchor", "flock: *none", `farm.yaml: this is not YAML: unknown anchor 'none' referenced`},
		{"an alias in what is handed on", "flock: &f [D]\nrest: {a: *f}", `farm.yaml:2: rest: anchors and aliases cannot be used in this part: write it out`},
		{"text beyond measure", "flock: " + strings.Repeat("x y", 100), `farm.yaml:1: flock: "` + strings.Repeat("x y", 20) + `"…: a sheep has one name`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f farm
			err := strict.Decode("farm.yaml", []byte(tt.text), &f)
			if err == nil || err.Error() != tt.want {
				t.Errorf("the answer is\n  %v\nwant\n  %s", err, tt.want)
			}
		})
	}
}

func TestPosition_Fields(t *testing.T) {
	const text = `
flock:
  - Dolly
  - name: Molly

    wool: 3
rest:
  deep:
    - {a: 1}
    -
      a: 2`
	var f farm
	if err := strict.Decode("farm.yaml", []byte(text), &f); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"farm.yaml:6: flock[1].wool: too little":        f.Flock[1].Fail("wool", "too %s", "little"),
		"farm.yaml:4: flock[1].legs: too few":           f.Flock[1].Fail("legs", "too few"),
		"farm.yaml:3: flock[0].name: too old":           f.Flock[0].Fail("name", "too old"),
		"farm.yaml:6: flock[1].wool: seen from the top": f.Fail("flock[1].wool", "seen from the top"),
		"farm.yaml:11: rest.deep[1].a: too even":        f.Rest.Fail("deep[1].a", "too even"),
		"farm.yaml:9: rest.deep[0].b: not there":        f.Rest.Fail("deep[0].b", "not there"),
		"farm.yaml:9: rest.deep[7].b: nor there":        f.Rest.Fail("deep[7].b", "nor there"),
	} {
		if err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if !f.Has("rest") || f.Has("pod") || f.Flock[1].Has("legs") {
		t.Error("it does not know what was written")
	}
}

// room takes more memory than text.
type room struct {
	strict.Position
	Walls [8 << 10]byte `yaml:"-"`
	Rooms []room        `yaml:"rooms"`
}

// A few lines can stand for a document that fills the memory, and two characters for a struct that is large.
func TestDecode_BoundsMemory(t *testing.T) {
	aliases := "fields: &a0 {a: 1}\n"
	for i := 1; i < 12; i++ {
		aliases += fmt.Sprintf("b%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	lists := func(n int) string { return "flock: " + strings.Repeat("[", n) + strings.Repeat("]", n) }
	type nest struct {
		In []*nest `yaml:"in"`
	}
	for name, tt := range map[string]struct {
		text string
		into any
		want string
	}{
		"aliases of aliases":          {aliases, &farm{}, "unknown field"},
		"an alias of itself":          {"in: &a [{in: *a}, {in: *a}]", &nest{}, "the document is too big"},
		"aliases that double":         {"in: &a\n- in: &b\n  - in: &c\n    - {}\n" + doubling(20), &nest{}, "the document is too big"},
		"elements that are large":     {"rooms: [" + strings.Repeat("{}, ", 3000) + "]", &room{}, "what it says up to here takes more than 32 MiB of memory"},
		"lists in lists":              {lists(5000), &farm{}, "fields are expected"},
		"lists beyond what is parsed": {lists(500_000), &farm{}, "not YAML"},
		"a text beyond measure":       {"flock: " + strings.Repeat("x", 2<<20), &farm{}, "at most 1048576 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := strict.Decode("bomb.yaml", []byte(tt.text), tt.into)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the answer is %.300v", err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 300<<20 {
				t.Errorf("%d MiB were allocated on the way", used>>20)
			}
		})
	}
}

// doubling is a list in which each item has the one before it twice.
func doubling(n int) string {
	text := "- &x0 {}\n"
	for i := 1; i < n; i++ {
		text += fmt.Sprintf("- &x%d {in: [*x%d, *x%d]}\n", i, i-1, i-1)
	}
	return text
}
