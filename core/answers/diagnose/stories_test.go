package diagnose_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/whatif"
	"orrery/core/objects/workloads"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

var update = flag.Bool("update", false, "write the answers of the stories anew")

// Every story is a cluster, with the pod "default/web" in it, and the answer to the letter.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no stories", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			story, err := txtar.ParseFile(file)
			if err != nil || len(story.Files) < 2 || len(story.Files) > 3 {
				t.Fatalf("want the files cluster.yaml and answer, with perhaps gates between them: %v", err)
			}
			gates, last := "", len(story.Files)-1
			if last == 2 {
				gates = string(story.Files[1].Data)
			}
			got := answer(t, string(story.Files[0].Data), gates)
			if *update {
				story.Files[last].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(story), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(story.Files[last].Data), got); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
		})
	}
}

// Every remedy of a story about devices places the pod in a what-if, too, where the controllers act.
func TestStories_DeviceRemediesAgreeWithWhatIf(t *testing.T) {
	files, err := filepath.Glob("testdata/devices-*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no stories", err)
	}
	tried := 0
	for _, file := range files {
		story, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		gates := ""
		if len(story.Files) == 3 {
			gates = string(story.Files[1].Data)
		}
		e, d := diagnosed(t, string(story.Files[0].Data), gates)
		for _, r := range d.Remedies {
			tried++
			a, err := whatif.Evaluate(e, []change.Change{r.Change}, whatif.Options{})
			placed := func(p whatif.PodChange) bool { return p.Pod.Name == "web" && p.Kind == whatif.Placed }
			if err != nil || !slices.ContainsFunc(a.Pods, placed) && a.Without.Pending > 0 {
				t.Errorf("%s: what if %s: %+v, %v; want the pod placed", filepath.Base(file), r.Change, a, err)
			}
		}
	}
	if tried < 20 {
		t.Errorf("%d remedies were tried", tried)
	}
}

// answer diagnoses default/web one minute after everything was there.
func answer(t *testing.T, cluster, gates string) string {
	e, d := diagnosed(t, cluster, gates)
	text := describe(d)
	together, err := diagnose.Combinations(e, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range together {
		text += fmt.Sprintf("tried: %s, placed on %s\n", c.Text, c.Node)
	}
	return text + gangAnswer(t, e)
}

func diagnosed(t *testing.T, cluster, gates string) (*engine.Engine, *diagnose.Diagnosis) {
	t.Helper()
	var objects []world.Object
	for i, part := range strings.Split(cluster, "---\n") {
		object, err := readObject(part)
		if err != nil {
			t.Fatalf("object %d: %v", i, err)
		}
		object.SetUID(types.UID(fmt.Sprintf("%s-%s", world.KindOf(object), object.GetName())))
		if world.KindOf(object).Namespaced() && object.GetNamespace() == "" {
			object.SetNamespace("default")
		}
		objects = append(objects, object)
	}
	e := engineWithGates(t, gates, objects...)
	if err := e.Apply(world.Input{At: start.Add(time.Minute), Event: world.Tick{}}); err != nil {
		t.Fatal(err)
	}
	d, err := diagnose.Pod(e, world.PodRef{Namespace: "default", Name: "web", UID: "Pod-web"})
	if err != nil {
		t.Fatal(err)
	}
	return e, d
}

// readObject reads a manifest, with what only 1.35 has: workloads, and the pods that name one.
func readObject(text string) (world.Object, error) {
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	var kind metav1.TypeMeta
	if err := json.Unmarshal(asJSON, &kind); err != nil {
		return nil, err
	}
	if kind.APIVersion == workloads.GroupVersion.String() {
		workload := &workloads.Workload{}
		return workload, json.Unmarshal(asJSON, workload)
	}
	o, _, err := scheme.Codecs.UniversalDeserializer().Decode(asJSON, nil, nil)
	if err != nil {
		return nil, err
	}
	return o.(world.Object), workloads.FromJSON(o, asJSON)
}

func describe(d *diagnose.Diagnosis) string {
	var b strings.Builder
	if d.Waiting != "" && !strings.Contains(d.Summary, d.Waiting) {
		fmt.Fprintf(&b, "Pending: %s\n", d.Waiting)
	}
	fmt.Fprintf(&b, "%s: %s\n", d.Decision.Verdict, d.Summary)
	for i := range d.Reasons {
		r := &d.Reasons[i]
		fmt.Fprintf(&b, "%d of %d: %s (%s)\n", r.Nodes, d.Decision.Nodes, r.Message, orEngine(r.Plugin))
		if r.Evidence != nil {
			for _, fact := range r.Evidence.Facts() {
				fmt.Fprintf(&b, "  %s\n", fact)
			}
		}
		if r.Hint != "" {
			fmt.Fprintf(&b, "  => %s\n", r.Hint)
		}
	}
	for _, fact := range d.PreemptionFacts {
		fmt.Fprintf(&b, "preemption: %s\n", fact)
	}
	if d.Queue != nil {
		for _, fact := range d.Queue.Facts() {
			fmt.Fprintf(&b, "queue: %s\n", fact)
		}
	}
	if d.Storage != nil {
		for _, line := range d.Storage.Lines() {
			fmt.Fprintf(&b, "chain: %s\n", line)
		}
	}
	if d.Devices != nil {
		for _, line := range d.Devices.Lines() {
			fmt.Fprintf(&b, "devices: %s\n", line)
		}
	}
	for _, r := range d.Remedies {
		fmt.Fprintf(&b, "tried: %s, placed on %s\n", r.Text, r.Node)
	}
	return b.String()
}

// orEngine names who gave a reason: a plugin or, for nodes that a PreFilter result leaves out, the engine.
func orEngine(plugin string) string {
	if plugin == "" {
		return "engine"
	}
	return plugin
}
