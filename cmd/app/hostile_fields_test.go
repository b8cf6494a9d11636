package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"orrery/core/scheduler/config"
	"orrery/core/testing/mk"
	"orrery/core/testing/mk/canaries"
	"orrery/core/trace"
	"orrery/core/world"
)

// texts are the values of canaries, with other texts.
func texts(text func(path string) string) canaries.Values {
	v := canaries.Canaries()
	v.Text = text
	return v
}

// aName is a text that is a valid name.
func aName(string) string { return "a" }

// extremeTimes are at the ends of what can be written, and where nanoseconds end.
var extremeTimes = func() (all []canaries.Values) {
	for _, at := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Unix(0, math.MaxInt64),
	} {
		v := texts(aName)
		v.Time, v.Duration = at, math.MaxInt64
		all = append(all, v)
	}
	return all
}()

// extremeNumbers are those whose sums do not fit.
var extremeNumbers = func() (all []canaries.Values) {
	for _, quantity := range []string{"9223372036854775807", "9Ei", "9223372036854775.807"} {
		v := texts(aName)
		v.Int, v.Quantity = math.MaxInt64, resource.MustParse(quantity)
		all = append(all, v)
	}
	return all
}()

// writeKinds writes objects of every kind that are filled with each of some values: a recording, and what can be imported. It returns the
// names of those that are most like objects of a cluster.
func (r *hostileRuns) writeKinds(values []canaries.Values) (names []string) {
	r.Helper()
	objects := []world.Object{
		mk.Node("plain").CPU("4").Memory("8Gi").Pods("10").Obj(), mk.Node("other").CPU("4").Memory("8Gi").Pods("10").Obj(),
		mk.Pod("runs").UID("runs").CPU("1").Node("plain").Obj(), mk.Pod("waits").UID("waits").CPU("9").Obj(),
	}
	documents := []string{}
	for n, v := range values {
		for _, v.Plausible = range []bool{true, false} {
			name := fmt.Sprintf("x-%d-%t", n, v.Plausible)
			if v.Plausible {
				names = append(names, name)
			}
			for _, kind := range world.Kinds() {
				o, err := v.Object(kind)
				if err != nil {
					r.Fatal(err)
				}
				o.SetNamespace("")
				if kind.Namespaced() {
					o.SetNamespace("default")
				}
				o.SetName(name)
				o.SetUID(types.UID(name))
				o.SetDeletionTimestamp(nil)
				objects = append(objects, o)
				if text, err := yaml.Marshal(o); err == nil { // there are times that cannot be written
					documents = append(documents, fmt.Sprintf("apiVersion: %s\nkind: %s\n%s", kind.Resource().GroupVersion(), kind, text))
				}
			}
		}
	}
	r.recording("kinds.orrery", objects...)
	r.file("kinds.yaml", strings.Join(documents, "---\n"))
	return names
}

// recording writes a recording of a cluster in which the objects come one after another.
func (r *hostileRuns) recording(name string, objects ...world.Object) {
	r.Helper()
	file, err := os.Create(name)
	if err != nil {
		r.Fatal(err)
	}
	defer file.Close()
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	w, err := trace.NewWriter(file, trace.Header{Start: start})
	for i, o := range objects {
		if err == nil {
			err = w.Write(trace.Record{At: start.Add(time.Duration(i) * time.Second), Body: trace.Input{Event: world.Changed{Op: world.Added, Object: o}}})
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		r.Fatal(err)
	}
}

// everyKind fills objects of every kind with each of some values, and asks all commands about the recording of them.
func (r *hostileRuns) everyKind(values ...canaries.Values) {
	r.Helper()
	names := r.writeKinds(values)
	formats := []string{"text", "json"}
	for _, line := range []string{
		"trace info kinds.orrery", "trace verify kinds.orrery", "replay kinds.orrery", "compare --config default kinds.orrery", "explain --trace kinds.orrery",
		"trace import kinds.yaml --out new",
	} {
		for _, format := range formats {
			r.run(append(strings.Fields(line), "-o", format)...)
		}
	}
	for n, pod := range append(names, "waits") {
		r.run("explain", pod, "--trace", "kinds.orrery", "-o", formats[n%2], "--node", names[0])
	}
	for _, change := range []string{"drain " + names[0], "add 3 nodes like " + names[0], "requests default/" + names[0] + " cpu=1"} {
		r.run("whatif", change, "--trace", "kinds.orrery", "-o", "json")
	}
	r.run("demo", "kinds.orrery")
	r.run("trace", "cut", "kinds.orrery", "--out", "new")
	r.run("trace", "hash", "kinds.orrery", "--salt-file", "salt", "--out", "new")
}

// everyConfigurationField checks configurations in which one field has a value, for each field.
func (r *hostileRuns) everyConfigurationField(values ...string) {
	r.Helper()
	usual, err := config.Default(config.DefaultFeatures()).YAML()
	if err != nil {
		r.Fatal(err)
	}
	whole := map[string]any{}
	if err := yaml.Unmarshal(usual, &whole); err != nil {
		r.Fatal(err)
	}
	var extender configv1.Extender
	texts(aName).Fill(&extender, "extenders[]")
	whole["extenders"] = []any{tree(r, extender)}
	r.everyLeaf(whole, values, func(turn int) {
		lines := [][]string{{"config", "check", "fields.yaml"}, {"config", "check", "fields.yaml", "-o", "json"}, {"compare", "--config", "fields.yaml", r.files.usualTrace}}
		r.run(lines[turn%len(lines)]...)
	})
}

// everyKubeconfigField connects by kubeconfigs in which one field has a value, for each field.
func (r *hostileRuns) everyKubeconfigField(values ...string) {
	r.Helper()
	var c clientcmdapi.Config
	texts(aName).Fill(&c, "kubeconfig")
	whole := tree(r, c)
	whole["apiVersion"], whole["kind"], whole["current-context"] = "v1", "Config", "a"
	for _, names := range []string{"clusters", "users", "contexts"} {
		whole[names].([]any)[0].(map[string]any)["name"] = "a"
	}
	cluster := whole["clusters"].([]any)[0].(map[string]any)["cluster"].(map[string]any)
	cluster["server"] = "http://127.0.0.1:1"
	for _, file := range []string{"certificate-authority", "certificate-authority-data", "proxy-url"} {
		delete(cluster, file)
	}
	whole["users"].([]any)[0].(map[string]any)["user"] = map[string]any{"token": "a"}
	r.everyLeaf(whole, values, func(turn int) {
		lines := [][]string{{"explain", "waits"}, {"record", "--for", "1s", "--out", "new"}, {"attach"}}
		r.run(append(lines[turn%len(lines)], "--kubeconfig", "fields.yaml")...)
	})
	for field := range tree(r, c)["users"].([]any)[0].(map[string]any)["user"].(map[string]any) {
		user := map[string]any{}
		whole["users"].([]any)[0].(map[string]any)["user"] = user
		for _, value := range values {
			user[field] = value
			r.writeYAML(whole)
			r.run("explain", "waits", "--kubeconfig", "fields.yaml")
		}
	}
	for field := range map[string]bool{"certificate-authority": true, "certificate-authority-data": true, "proxy-url": true} {
		for _, value := range values {
			cluster[field] = value
			r.writeYAML(whole)
			r.run("explain", "waits", "--kubeconfig", "fields.yaml")
		}
		delete(cluster, field)
	}
}

// everyLeaf puts each value in the place of each leaf of a document, which it writes to fields.yaml, and calls try, with another turn for the
// same value of each leaf.
func (r *hostileRuns) everyLeaf(whole map[string]any, values []string, try func(turn int)) {
	r.Helper()
	turn := 0
	eachLeaf("", whole, func(path string, leaf any, set func(any)) {
		if r.fields != nil && !r.fields.MatchString(path) {
			return
		}
		for _, value := range values {
			switch leaf.(type) {
			case string, nil:
				set(value)
			default: // a number or a boolean, as it would be written
				set(json.Number(value))
				if _, err := json.Marshal(json.Number(value)); err != nil {
					set(value)
				}
			}
			r.writeYAML(whole)
			try(turn)
			turn++
		}
		set(leaf)
		turn++
	})
	if turn == 0 {
		r.Errorf("no field is named like %s", r.fields)
	}
}

func (r *hostileRuns) writeYAML(whole map[string]any) {
	r.Helper()
	text, err := json.Marshal(whole) // which is YAML
	if err != nil {
		r.Fatal(err)
	}
	r.file("fields.yaml", string(text))
}

// eachLeaf visits the leaves of a document, in the order of their paths.
func eachLeaf(path string, of any, visit func(path string, leaf any, set func(any))) {
	switch of := of.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(of)) {
			eachValue(path+"."+key, of[key], func(v any) { of[key] = v }, visit)
		}
	case []any:
		for i, value := range of {
			eachValue(path+"[]", value, func(v any) { of[i] = v }, visit)
		}
	}
}

func eachValue(path string, value any, set func(any), visit func(path string, leaf any, set func(any))) {
	if k := reflect.ValueOf(value).Kind(); k == reflect.Map || k == reflect.Slice {
		eachLeaf(path, value, visit)
		return
	}
	visit(path, value, set)
}

// tree is a value as a document.
func tree(r *hostileRuns, of any) (document map[string]any) {
	r.Helper()
	text, err := json.Marshal(of)
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		r.Fatal(err)
	}
	return document
}
