package local

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/noderesources"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	fwk "k8s.io/kube-scheduler/framework"
	upcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	upimagelocality "k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"sigs.k8s.io/yaml"
)

func theirState() fwk.CycleState { return upframework.NewCycleState() }
func ourState() fwk.CycleState   { return framework.NewCycleState() }

// cluster is a small cluster in both snapshots.
type cluster struct {
	theirLister, ourLister fwk.SharedLister
	theirNodes, ourNodes   []fwk.NodeInfo
}

func someCluster(t *difftest.Source) cluster {
	var nodes []*v1.Node
	var pods []*v1.Pod
	for _, name := range nodeNames[:t.Range(1, 3)] {
		nodes = append(nodes, someNode(t, name))
		for i := range difftest.Pick(t, 0, 1, 1, 2) {
			pod := somePod(t, fmt.Sprintf("%s-%d", name, i))
			pod.Spec.NodeName = name
			pods = append(pods, pod)
		}
	}
	s := cluster{theirLister: upcache.NewSnapshot(pods, nodes), ourLister: snapshotOf(t, pods, nodes)}
	for _, node := range nodes {
		s.theirNodes = append(s.theirNodes, get(t, s.theirLister, node.Name))
		s.ourNodes = append(s.ourNodes, get(t, s.ourLister, node.Name))
	}
	return s
}

// snapshotOf sums requests by the default gates of 1.37, as kube-scheduler does in this process.
func snapshotOf(t *difftest.Source, pods []*v1.Pod, nodes []*v1.Node) *cache.Snapshot {
	features := config.FeaturesOf(release.Newest)
	c := cache.NewWithAccounting(cache.Accounting{
		IgnorePodLevel: !features.Enabled(config.PodLevelResources),
		PodLevelStatus: features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
		Sum:            noderesources.SumOf(features),
	})
	for _, node := range nodes {
		c.AddNode(node)
	}
	for _, pod := range pods {
		if err := c.AddPod(pod); err != nil {
			t.Fatalf("%v", err)
		}
	}
	s := cache.NewSnapshot()
	if err := c.UpdateSnapshot(s); err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

func get(t *difftest.Source, lister fwk.SharedLister, name string) fwk.NodeInfo {
	info, err := lister.NodeInfos().Get(name)
	if err != nil {
		t.Fatalf("getting node %s: %v", name, err)
	}
	return info
}

func show(o any) string {
	text, err := yaml.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestPlugins_SameAnswers(t *testing.T) {
	difftest.Check(t, comparisons.NodePlugins.Cases, func(t *difftest.Source) {
		s := someCluster(t)
		pairs := somePairs(t, handle{lister: s.theirLister}, handle{lister: s.ourLister})
		pod := somePod(t, "waiting")
		before := pod.DeepCopy()
		for _, p := range pairs {
			theirs := runAll(p.theirs, pod.DeepCopy(), s.theirNodes, theirState)
			theirs.count(p.name)
			for where, nodes := range [][]fwk.NodeInfo{s.ourNodes, s.theirNodes} {
				want, ours := theirs, runAll(p.ours, pod, nodes, ourState)
				removeIntended(p.name, &want, &ours)
				if diff := cmp.Diff(want, ours); diff != "" {
					t.Fatalf("%s on %s (-kube-scheduler +Orrery):\n%s\nthe pod:\n%s\nthe nodes:\n%s", p.name,
						[]string{"its own nodes", "kube-scheduler's nodes"}[where], diff, show(pod), showNodes(nodes))
				}
			}
		}
		if !equality.Semantic.DeepEqual(before, pod) {
			t.Fatalf("a plugin changed the pod (-before +after):\n%s", cmp.Diff(show(before), show(pod)))
		}
	})
}

func showNodes(nodes []fwk.NodeInfo) (text string) {
	for _, node := range nodes {
		text += show(node.Node())
		for _, pod := range node.GetPods() {
			text += "with the pod\n" + show(pod.GetPod().Spec)
		}
	}
	return text
}

// Pods with equal fragments must get equal results on every node; and so must those that framework.NodeLocal signs alike.
func TestSignature_EqualMeansSameAnswers(t *testing.T) {
	equal, different := 0, 0
	difftest.Check(t, comparisons.Signatures.Cases, func(t *difftest.Source) {
		s := someCluster(t)
		pairs := somePairs(t, handle{lister: s.theirLister}, handle{lister: s.ourLister})
		one := somePod(t, "one")
		other := one.DeepCopy()
		other.Name, other.UID = "other", "other"
		changed := somePod(t, "changed")
		switch t.Range(0, 8) {
		case 0:
			other.Spec.Containers = changed.Spec.Containers
		case 1:
			other.Spec.InitContainers = changed.Spec.InitContainers
		case 2:
			other.Spec.Resources = changed.Spec.Resources
		case 3:
			other.Status = changed.Status
		case 4:
			other.Spec.Affinity = changed.Spec.Affinity
		case 5:
			other.Spec.NodeSelector = changed.Spec.NodeSelector
		case 6:
			other.Spec.Tolerations = changed.Spec.Tolerations
		case 7:
			other.Labels = map[string]string{"not": "looked at"}
		case 8:
			for i := range other.Spec.Containers {
				for j := range other.Spec.Containers[i].Ports {
					other.Spec.Containers[i].Ports[j].HostIP = pick(t, hostIPs)
				}
			}
		}
		for _, p := range pairs {
			local, ok := p.ours.(framework.NodeLocal)
			if !ok {
				continue
			}
			a, b := runAll(p.ours, one, s.ourNodes, ourState), runAll(p.ours, other, s.ourNodes, ourState)
			// kube-scheduler's fragment of the images is a set, although an image counts for every container that uses it.
			fragments := p.name != upimagelocality.Name && a.NotSigned == "" && cmp.Equal(a.Signature, b.Signature)
			if !fragments && !signedAlike(local, one, other, s.ourNodes) {
				different++
				continue
			}
			equal++
			a.Signature, b.Signature, a.NotSigned, b.NotSigned = nil, nil, "", ""
			if diff := cmp.Diff(a, b); diff != "" {
				t.Fatalf("%s: two pods with equal fragments: %v, and otherwise equal signatures (-one +other):\n%s\none:\n%s\nother:\n%s\nthe nodes:\n%s",
					p.name, fragments, diff, show(one), show(other), showNodes(s.ourNodes))
			}
		}
	})
	t.Logf("the fragments were equal %d times and different %d times", equal, different)
	if equal == 0 || different == 0 {
		t.Error("the fragments were never equal, or never different: the test compared nothing")
	}
}

// signedAlike reports whether a plugin signs two pods, and alike.
func signedAlike(plugin framework.NodeLocal, one, other *v1.Pod, nodes []fwk.NodeInfo) bool {
	var signatures [2]reuse.Signature
	for i, pod := range []*v1.Pod{one, other} {
		state := ourState()
		if pre, ok := plugin.(fwk.PreFilterPlugin); ok {
			pre.PreFilter(context.Background(), state, pod, nodes)
		}
		var signed bool
		if signatures[i], signed = plugin.AppendSignature(nil, state, pod); !signed {
			return false
		}
	}
	return bytes.Equal(signatures[0], signatures[1])
}
