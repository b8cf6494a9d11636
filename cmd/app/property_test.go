package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/race"
	"orrery/core/trace"
	"orrery/core/world"
)

// TestExplain_GeneratedClusters diagnoses every pending pod of many small clusters at two moments, and checks that its
// evidence is what the objects say, that its remedies place it, and that "never" holds.
func TestExplain_GeneratedClusters(t *testing.T) {
	seeds := uint64(race.Few(400, 40))
	var reasons, remedies int
	for seed := range seeds {
		objects := newGenerator(seed).cluster()
		e := generatedEngine(t, objects)
		for moment := range 2 {
			if moment == 1 {
				passMinute(t, e, newGenerator(seed).nominated())
			}
			for _, pod := range pendingPods(e) {
				c := diagnosisCheck{t: t, e: e, pod: pod, where: fmt.Sprintf("seed %d, moment %d, %s", seed, moment, pod.Name)}
				c.alone = len(pendingPods(e)) == 1
				d := c.check()
				reasons, remedies = reasons+len(d.Reasons), remedies+len(d.Remedies)
			}
		}
		if seed%40 == 0 {
			checkPrinted(t, objects)
		}
		if t.Failed() {
			return
		}
	}
	if reasons < int(seeds) || remedies < int(seeds)/4 {
		t.Errorf("only %d reasons and %d remedies were checked", reasons, remedies)
	}
}

func generatedEngine(t *testing.T, objects []world.Object) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Start: generatedStart, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: generatedStart, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := e.Step(); more; _, more = e.Step() {
	}
	return e
}

// passMinute lets the terminating pods go, and a minute pass. Another pod comes, which is not tried.
func passMinute(t *testing.T, e *engine.Engine, other *v1.Pod) {
	t.Helper()
	at := generatedStart.Add(time.Minute)
	for _, o := range slices.Collect(e.Store().Objects(world.Pod)) {
		if o.GetDeletionTimestamp() == nil {
			continue
		}
		if err := e.Apply(world.Input{At: at, Event: world.Changed{Op: world.Deleted, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Apply(world.Input{At: at, Event: world.Changed{Op: world.Added, Object: other}}); err != nil {
		t.Fatal(err)
	}
}

func pendingPods(e *engine.Engine) []*v1.Pod {
	var pods []*v1.Pod
	for o := range e.Store().Objects(world.Pod) {
		if pod := o.(*v1.Pod); isPending(e, pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// diagnosisCheck checks the diagnosis of one pod at one moment.
type diagnosisCheck struct {
	t     *testing.T
	e     *engine.Engine
	pod   *v1.Pod
	where string
	alone bool // no other pod is pending
}

func (c *diagnosisCheck) errorf(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("%s: "+format, append([]any{c.where}, args...)...)
}

func (c *diagnosisCheck) check() *diagnose.Diagnosis {
	c.t.Helper()
	d, err := diagnose.Pod(c.e, world.PodRefOf(c.pod))
	if err != nil {
		c.t.Fatal(c.where, err)
	}
	c.checkFacts(d)
	c.checkRemedies(d)
	return d
}

// checkFacts checks the evidence, and that it says "never" only where that is so.
func (c *diagnosisCheck) checkFacts(d *diagnose.Diagnosis) {
	c.t.Helper()
	checkEvidence(c.t, c.e, d)
	c.checkWords(d)
	for i := range d.Reasons {
		found, _ := d.Reasons[i].Evidence.(diagnose.Found)
		for _, e := range found {
			if e.Amounts != nil && e.Amounts.Never {
				c.checkNever(e.Sentence)
				return
			}
		}
	}
}

var negativeAmount = regexp.MustCompile(`(^|[ (])-\d`)

// checkWords finds negative amounts in what is printed. Priorities may be negative.
func (c *diagnosisCheck) checkWords(d *diagnose.Diagnosis) {
	c.t.Helper()
	words := []string{d.Summary, d.Waiting}
	for i := range d.Reasons {
		r := &d.Reasons[i]
		words = append(words, r.Hint)
		if r.Evidence != nil {
			words = append(words, r.Evidence.Facts()...)
		}
	}
	for _, text := range words {
		if negativeAmount.MatchString(strings.ReplaceAll(text, "(priority -", "(priority ")) {
			c.errorf("a negative amount: %q", text)
		}
	}
}

// checkRemedies evaluates each remedy from its printed words. Beside other pending pods a remedy need not place the pod, and
// is printed so.
func (c *diagnosisCheck) checkRemedies(d *diagnose.Diagnosis) {
	c.t.Helper()
	fixes, err := fix.Of(c.e, d)
	if err != nil {
		c.t.Fatal(c.where, err)
	}
	each := make([][]change.Change, len(fixes))
	for i := range fixes {
		each[i] = fixes[i].Changes
		if each[i], err = change.ParseAll(strings.Fields(change.Words(each[i]))); err != nil {
			c.errorf("the remedy is not read as printed: %v", err)
			return
		}
	}
	results, errs := whatif.EvaluateEach(c.e, each, whatif.Options{})
	for i, result := range results {
		if errs[i] != nil {
			c.errorf("%v", errs[i])
		} else if (c.alone || fixes[i].Node != "") && !placesPod(result, world.PodRefOf(c.pod)) {
			c.errorf("%q does not place it: %s", change.Words(each[i]), result.Verdict())
		}
	}
}

func placesPod(result *whatif.Result, pod world.PodRef) bool {
	for _, p := range result.Pods {
		if p.Pod == pod {
			return p.With.Node != ""
		}
	}
	for _, p := range result.StillPending {
		if p.Pod == pod {
			return false
		}
	}
	return true // in both runs, so that nothing changes
}

// checkNever gives the cluster ten times its nodes, all empty.
func (c *diagnosisCheck) checkNever(s string) {
	c.t.Helper()
	var events []world.Event
	for o := range c.e.Store().Objects(world.Node) {
		for i := range 9 {
			more := change.NodeLike(o.(*v1.Node), fmt.Sprintf("%s-x%d", o.GetName(), i))
			more.UID += "x"
			events = append(events, world.Changed{Op: world.Added, Object: more})
		}
	}
	if node, err := c.e.Try(c.pod.Namespace, c.pod.Name, events...); node != "" || err != nil {
		c.errorf("%q, and yet it is placed on %q of ten times the nodes (%v)", s, node, err)
	}
}

// checkPrinted explains the pods of a cluster by the command line, and runs the commands that it prints.
func checkPrinted(t *testing.T, objects []world.Object) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "generated.orrery")
	writeTrace(t, file, objects)
	for _, o := range objects {
		pod, is := o.(*v1.Pod)
		if !is || pod.Spec.NodeName != "" {
			continue
		}
		checkCommands(t, pod.Name, "--trace", file)
	}
}

// checkCommands explains a pod, and runs every command that this prints.
func checkCommands(t *testing.T, args ...string) {
	t.Helper()
	var explained struct {
		Pod      podRef
		Remedies []answer.Remedy
	}
	runJSON(t, &explained, append([]string{"explain"}, args...)...)
	for _, r := range explained.Remedies {
		words := strings.Fields(r.Command) // there is nothing to quote
		var answered whatIfDocument
		runJSON(t, &answered, words[1:]...)
		node := ""
		for _, p := range answered.Pods {
			if p.Pod == explained.Pod {
				node = p.With.Node
			}
		}
		if answered.Summary != r.Effect || r.Places != (node != "") || r.Places && node != r.Node {
			t.Errorf("%s says %q with the pod on %q, beside %q and %q", r.Command, answered.Summary, node, r.Effect, r.Node)
		}
	}
}

func writeTrace(t *testing.T, name string, objects []world.Object) {
	t.Helper()
	var buffer bytes.Buffer
	w, err := trace.NewWriter(&buffer, trace.Header{Start: generatedStart})
	for _, o := range objects {
		if err == nil {
			err = w.Write(trace.Record{At: generatedStart, Body: trace.Input{Event: world.Changed{Op: world.Added, Object: o}}})
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(name, buffer.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// runJSON runs a command in this process. Its exit code may be 1: the answer is no.
func runJSON(t *testing.T, doc any, args ...string) {
	t.Helper()
	var out, problems bytes.Buffer
	if code := execute("orrery", append(args, "-o", "json"), &out, &problems, nil); code > 1 {
		t.Fatalf("orrery %s: exit code %d: %s", strings.Join(args, " "), code, problems.String())
	}
	if err := json.Unmarshal(out.Bytes(), doc); err != nil {
		t.Fatalf("orrery %s: %v in %s", strings.Join(args, " "), err, out.String())
	}
}
