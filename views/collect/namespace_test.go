package collect_test

import (
	"strings"
	"testing"

	"orrery/views"
	"orrery/views/collect"
)

// TestOverview_OfOneNamespace: with a namespace the overview has the pods, decisions and evictions of that namespace, and counts no others.
func TestOverview_OfOneNamespace(t *testing.T) {
	e, ch := busyCluster(t)
	c := collect.New(collect.Options{History: ch})
	all := c.Model(e, collect.Query{Open: views.Overview})
	keysOf := func(m *views.Model) []string {
		var keys []string
		for _, rows := range [][]views.PodRow{m.Queue.Next, m.Queue.Soon, m.Queue.Stuck, m.Queue.Held} {
			for i := range rows {
				keys = append(keys, rows[i].Key)
			}
		}
		for i := range m.Feed {
			keys = append(keys, m.Feed[i].Key)
		}
		for i := range m.Evictions.List.Rows {
			keys = append(keys, m.Evictions.List.Rows[i].Key)
		}
		return keys
	}
	waiting, pods := 0, map[string]bool{}
	for _, namespace := range []string{"shop", "ml", "batch", "none"} {
		m := c.Model(e, collect.Query{Open: views.Overview, Namespace: namespace})
		for _, key := range keysOf(m) {
			if !strings.HasPrefix(key, namespace+"/") {
				t.Errorf("of %s the overview has %s", namespace, key)
			}
			pods[key] = true
		}
		waiting += m.Queue.Counts.Waiting()
		if queue := c.Model(e, collect.Query{Open: views.QueuePane, Namespace: namespace}).Queue; queue.Counts != m.Queue.Counts {
			t.Errorf("of %s the queue counts %+v, and the overview %+v", namespace, queue.Counts, m.Queue.Counts)
		}
	}
	if waiting != all.Queue.Counts.Waiting() || waiting == 0 {
		t.Errorf("the namespaces have %d pending pods, and all is %d", waiting, all.Queue.Counts.Waiting())
	}
	for _, key := range keysOf(all) {
		if !pods[key] {
			t.Errorf("no namespace has %s", key)
		}
	}
	if again := c.Model(e, collect.Query{Open: views.Overview}); len(keysOf(again)) != len(keysOf(all)) {
		t.Error("without the namespace not all is shown again")
	}
}

// TestQueue_TransitionsOfOneNamespace: the moves below the queue are of the chosen namespace, too.
func TestQueue_TransitionsOfOneNamespace(t *testing.T) {
	e, ch := busyCluster(t)
	moves := collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.QueuePane, Namespace: "ml", Rows: 100}).Queue.Transitions
	if len(moves) == 0 {
		t.Error("there are no transitions")
	}
	for i := range moves {
		if !strings.HasPrefix(moves[i].Pod, "ml/") {
			t.Errorf("of ml, %s moved", moves[i].Pod)
		}
	}
}
