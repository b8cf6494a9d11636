package cache

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
)

// pod is pod p on a node.
func pod(node string) *v1.Pod { return mk.Pod("p").CPU("500m").Node(node).Obj() }

// assumePod assumes a pod on the node that it names.
func assumePod(c *Cache, pod *v1.Pod) error {
	_, err := c.AssumePod(pod, pod.Spec.NodeName)
	return err
}

// Shows CACHE-03, CACHE-09, CACHE-26, CACHE-27, CACHE-29, CACHE-31, CACHE-33, CACHE-34, CACHE-37, CACHE-38, CACHE-40,
// CACHE-42, CACHE-43, CACHE-44, CACHE-45 and B-14.
func TestPodState_Transitions(t *testing.T) {
	const p = "pod/default/p(default/p)"
	assume := func(node string) func(*Cache) error { return func(c *Cache) error { return assumePod(c, pod(node)) } }
	add := func(node string) func(*Cache) error { return func(c *Cache) error { return c.AddPod(pod(node)) } }
	forget := func(node string) func(*Cache) error { return func(c *Cache) error { return c.ForgetPod(pod(node)) } }
	update := func(node string) func(*Cache) error {
		return func(c *Cache) error { return c.UpdatePod(pod(node), pod(node)) }
	}
	remove := func(node string) func(*Cache) error { return func(c *Cache) error { return c.RemovePod(pod(node)) } }
	finish := func(c *Cache) error { return c.FinishBinding(pod("n1")) }
	get := func(c *Cache) error { _, err := c.GetPod(pod("n1")); return err }
	do := func(steps ...func(*Cache) error) []func(*Cache) error { return steps }

	tests := []struct {
		name  string
		steps []func(*Cache) error // all but the last succeed
		err   string               // of the last
		after string               // "" gone, else "assumed on X", "finished on X" or "bound on X"
	}{
		{"an unknown pod is assumed", do(assume("n1")), "", "assumed on n1"},
		{"a pod is assumed once", do(assume("n1"), assume("n1")), "pod " + p + " is in the cache, so can't be assumed", "assumed on n1"},
		{"a bound pod cannot be assumed", do(add("n1"), assume("n1")), "pod " + p + " is in the cache, so can't be assumed", "bound on n1"},
		{"a finished binding stays assumed without end", do(assume("n1"), finish), "", "finished on n1"},
		{"finishing the binding of an unknown pod is nothing", do(finish), "", ""},
		{"finishing the binding of a bound pod is nothing", do(add("n1"), finish), "", "bound on n1"},
		{"an assumed pod is forgotten", do(assume("n1"), forget("n1")), "", ""},
		{"an unknown pod is forgotten already", do(forget("n1")), "", ""},
		{"a bound pod cannot be forgotten", do(add("n1"), forget("n1")), "pod " + p + " is not assumed, so it cannot be removed or forgotten", "bound on n1"},
		{"forgetting names the two nodes the wrong way round", do(assume("n1"), forget("n2")), "pod " + p + " was assumed on n2 but assigned to n1", "assumed on n1"},
		{"a pod is assumed again after it was forgotten", do(assume("n1"), forget("n1"), assume("n2")), "", "assumed on n2"},
		{"an unknown pod is added", do(add("n1")), "", "bound on n1"},
		{"the cluster confirms an assumed pod", do(assume("n1"), add("n1")), "", "bound on n1"},
		{"the cluster bound an assumed pod elsewhere", do(assume("n1"), add("n2")), "", "bound on n2"},
		{"a bound pod cannot be added", do(add("n1"), add("n1")), "pod " + p + " was already in added state", "bound on n1"},
		{"a bound pod is updated", do(add("n1"), update("n1")), "", "bound on n1"},
		{"an unknown pod cannot be updated", do(update("n1")), "pod " + p + " is not added to scheduler cache, so cannot be updated", ""},
		{"an assumed pod is confirmed before it is updated", do(assume("n1"), update("n1")), "assumed pod " + p + " should not be updated", "assumed on n1"},
		{"a bound pod is removed", do(add("n1"), remove("n1")), "", ""},
		{"an assumed pod is removed as well", do(assume("n1"), remove("n1")), "", ""},
		{"a pod is removed though its node name is not known", do(add("n1"), remove("")), "", ""},
		{"an unknown pod cannot be removed", do(remove("n1")), "pod " + p + " is not found in scheduler cache, so cannot be removed from it", ""},
		{"an unknown pod cannot be had", do(get), "pod " + p + " does not exist in scheduler cache", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New()
			c.AddNode(mk.Node("n1").Obj())
			c.AddNode(mk.Node("n2").Obj())
			var err error
			for i, step := range tt.steps {
				if err = step(c); err != nil && i < len(tt.steps)-1 {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			same(t, "error", tt.err, errorText(err))
			same(t, "state", tt.after, podState(t, c))
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// podState returns the state and node of pod p, and checks that it counts on that node only.
func podState(t *testing.T, c *Cache) string {
	t.Helper()
	found := ""
	if cached, err := c.GetPod(pod("")); err == nil {
		found = cached.Spec.NodeName
	}
	for info := range c.RecentlyChanged() {
		want := int64(0)
		if info.node.Name == found {
			want = 500
		}
		same(t, "cpu requested on "+info.node.Name, want, info.GetRequested().GetMilliCPU())
	}
	assumed, _ := c.IsAssumedPod(pod(""))
	switch {
	case found == "":
		return ""
	case !assumed:
		return "bound on " + found
	}
	list := c.Assumed()
	same(t, "assumed pods", []AssumedPod{{"pod/default/p", "default", "p", found, list[0].BindingFinished}}, list)
	if list[0].BindingFinished {
		return "finished on " + found
	}
	return "assumed on " + found
}

// Shows CACHE-67.
func TestPodState_WithoutUID(t *testing.T) {
	withoutUID := mk.Pod("p").UID("").Obj()
	withUID := pod("n1")
	for name, do := range map[string]func(*Cache, *v1.Pod) error{
		"AssumePod":                          func(c *Cache, pod *v1.Pod) error { _, err := c.AssumePod(pod, "n1"); return err },
		"FinishBinding":                      (*Cache).FinishBinding,
		"ForgetPod":                          (*Cache).ForgetPod,
		"AddPod":                             (*Cache).AddPod,
		"UpdatePod from a pod without a UID": func(c *Cache, p *v1.Pod) error { return c.UpdatePod(p, withUID) },
		"UpdatePod to a pod without a UID":   func(c *Cache, p *v1.Pod) error { return c.UpdatePod(withUID, p) },
		"RemovePod":                          (*Cache).RemovePod,
		"GetPod":                             func(c *Cache, p *v1.Pod) error { _, err := c.GetPod(p); return err },
		"IsAssumedPod":                       func(c *Cache, p *v1.Pod) error { _, err := c.IsAssumedPod(p); return err },
		"NodeInfo.RemovePod":                 func(_ *Cache, p *v1.Pod) error { return NewNodeInfo(withUID).RemovePod(log, p) },
	} {
		for _, pod := range []*v1.Pod{withoutUID, nil} {
			c := New()
			if err := c.AddPod(withUID); err != nil {
				t.Fatal(err)
			}
			same(t, name, "cannot get cache key for pod with empty UID", errorText(do(c, pod)))
			same(t, name+": pods after", 1, c.PodCount())
		}
	}
}

// Shows CACHE-41 and CACHE-43.
func TestPodState_CorruptionErrorChangesNothing(t *testing.T) {
	tests := []struct {
		name string
		do   func(*Cache) error
		want CorruptionError
		text string
	}{
		{
			"updated on another node", func(c *Cache) error { return c.UpdatePod(pod("n1"), pod("n2")) },
			CorruptionError{"update", "default/p", "n1", "n2"},
			"update pod default/p: it is on node n1 in the cache but on n2 in the event; the cache is corrupted, rebuild it from a fresh list of pods and nodes",
		},
		{
			"removed from another node", func(c *Cache) error { return c.RemovePod(pod("n2")) },
			CorruptionError{"remove", "default/p", "n1", "n2"},
			"remove pod default/p: it is on node n1 in the cache but on n2 in the event; the cache is corrupted, rebuild it from a fresh list of pods and nodes",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New()
			c.AddNode(mk.Node("n1").Obj())
			if err := c.AddPod(pod("n1")); err != nil {
				t.Fatal(err)
			}
			before := c.Generation()
			err := tt.do(c)
			var corruption *CorruptionError
			if !errors.As(err, &corruption) {
				t.Fatalf("error is %v, not a *CorruptionError", err)
			}
			same(t, "what it says", tt.want, *corruption)
			same(t, "text", tt.text, err.Error())
			same(t, "generation", before, c.Generation())
			same(t, "state", "bound on n1", podState(t, c))
		})
	}
}

// Shows CACHE-46 and B-14.
func TestIsAssumedPod_Unknown(t *testing.T) {
	if assumed, err := New().IsAssumedPod(pod("n1")); assumed || err != nil {
		t.Errorf("an unknown pod is assumed: %v, %v", assumed, err)
	}
}

func TestUpdatePod_OtherUID(t *testing.T) {
	c := New()
	if err := c.AddPod(pod("n1")); err != nil {
		t.Fatal(err)
	}
	other := mk.Pod("p").UID("other").Node("n1").Obj()
	same(t, "error", "update pod pod/default/p(default/p): pod other(default/p) is another pod, remove the one and add the other",
		errorText(c.UpdatePod(pod("n1"), other)))
	same(t, "pods", 1, c.PodCount())
}

// Shows CACHE-06.
func TestPodState_SameNameOtherUID(t *testing.T) {
	c := New()
	for _, uid := range []string{"first", "second"} {
		if err := c.AddPod(mk.Pod("p").UID(uid).Node("n1").Obj()); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "pods", 2, c.PodCount())
}

// Shows CACHE-39.
func TestUpdatePod_CountsNewRequests(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n1").Obj())
	if err := c.AddPod(pod("n1")); err != nil {
		t.Fatal(err)
	}
	before := c.Generation()
	resized := mk.Pod("p").CPU("2").Node("n1").Obj()
	if err := c.UpdatePod(pod("n1"), resized); err != nil {
		t.Fatal(err)
	}
	same(t, "changes", int64(2), c.Generation()-before)
	same(t, "cpu", int64(2000), c.newest.info.GetRequested().GetMilliCPU())
}

// Shows CACHE-66.
func TestForgetPod_MissingOnNode(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n1").Obj())
	if err := c.AddPod(pod("n1")); err != nil {
		t.Fatal(err)
	}
	c.newest.info.pods = podList{} // what no sequence of events can do
	same(t, "error", "no corresponding pod p in pods of node n1", errorText(c.RemovePod(pod("n1"))))
	same(t, "pods", 1, c.PodCount())
	if c.Check() == nil {
		t.Error("Check does not see that the pod is on no node")
	}
}

// Shows CACHE-36.
func TestAddPod_AssumedCopyMissingOnNode(t *testing.T) {
	c := New()
	c.AddNode(mk.Node("n1").Obj())
	if err := assumePod(c, pod("n1")); err != nil {
		t.Fatal(err)
	}
	c.newest.info.pods = podList{} // what no sequence of events can do
	same(t, "error", "no corresponding pod p in pods of node n1", errorText(c.AddPod(pod("n1"))))
	if assumed, err := c.IsAssumedPod(pod("n1")); assumed || err != nil {
		t.Errorf("the pod is still assumed: %v, %v", assumed, err)
	}
	same(t, "pods on the node", 1, len(c.newest.info.GetPods()))
}

func TestErrors_NamesArePrintable(t *testing.T) {
	evil := mk.Pod("p").UID("\x1b[2J").Node("\x1b]0;owned\a").Obj()
	evil.Name = strings.Repeat("x", 10_000)
	c := New()
	if err := assumePod(c, evil); err != nil {
		t.Fatal(err)
	}
	elsewhere := evil.DeepCopy()
	elsewhere.Spec.NodeName = "\u202e\x9b"
	for _, err := range []error{
		assumePod(c, evil), c.ForgetPod(elsewhere), c.RemovePod(elsewhere),
		c.RemoveNode(mk.Node("\x1b[31m").Obj()), NewNodeInfo().RemovePod(log, evil),
	} {
		text := errorText(err)
		if text == "" || len(text) > 4096 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("bad error text %q", text)
		}
	}
}

// Objects are shared: an assumed pod is a copy.
func TestAssumePod_LeavesThePodAsItIs(t *testing.T) {
	c := New()
	pending := pod("")
	assumed, err := c.AssumePod(pending, "n1")
	if err != nil {
		t.Fatal(err)
	}
	held, err := c.GetPod(pending)
	if err != nil || held != assumed || assumed.Spec.NodeName != "n1" || pending.Spec.NodeName != "" {
		t.Errorf("the cache holds %p on %q and returned %p, %v; the pending pod is on %q",
			held, held.Spec.NodeName, assumed, err, pending.Spec.NodeName)
	}
}
