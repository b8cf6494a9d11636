//go:build unix

package app_test

import (
	"os/exec"
	"strings"
	"testing"

	"orrery/core/testing/mk"
)

// TestExplain_WatchEndsOnceBound watches a pod without room, to which its scheduler then gives a node.
func TestExplain_WatchEndsOnceBound(t *testing.T) {
	stub := stubCluster(t)
	pod := mk.Pod("big").UID("big").CPU("20").Obj()
	stub.objects = append(stub.objects, pod)
	stub.watched = func() {
		bound := pod.DeepCopy()
		bound.Spec.NodeName = "node-2"
		stub.objects[len(stub.objects)-1] = bound
	}
	stub.news = []watchEvent{{"MODIFIED", pod}}
	p := begunIn(t, t.TempDir(), "explain", "big", "--watch", "--kubeconfig", stub.start(t.TempDir()))
	said, err := p.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	first, then, again := strings.Cut(string(said), "\n\n20")
	if !strings.HasPrefix(first, "default/big Pending: ") || !again || !strings.Contains(then, "bound to node-2") {
		t.Errorf("it says\n%s", said)
	}
}

func TestExplain_WatchIsOfClusters(t *testing.T) {
	p := begunIn(t, t.TempDir(), "explain", "--watch", "--trace", "morning-rush")
	p.Stdout, p.Stderr = nil, nil
	said, err := p.CombinedOutput()
	if ended, is := err.(*exec.ExitError); !is || ended.ExitCode() != 2 || !strings.Contains(string(said), "a recording does not change") {
		t.Errorf("%v, %s", err, said)
	}
}
