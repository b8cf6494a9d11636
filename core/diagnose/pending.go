package diagnose

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/whatif/change"
	"orrery/core/world"
)

// Group is the pending pods of one owner that wait for the same reason.
type Group struct {
	// Owner is "deployment/web" in Namespace, or "pod/web" for a pod without a controller.
	Namespace, Owner string
	Pods             []*v1.Pod
	// Oldest is the earliest creation time.
	Oldest time.Time
	// Diagnosis is that of the first pod.
	Diagnosis *Diagnosis
	// Fix is the remedy that places the most of the pods, and Places how many; nil if none places one.
	Fix    *Remedy
	Places int
}

// maxFixed bounds the groups whose remedies are tried.
const maxFixed = 20

// Pending diagnoses all pending pods that pass the filter, by groups, the largest first. The engine is only read.
func Pending(e *engine.Engine, filter func(*Group) bool) ([]*Group, error) {
	groups := pendingGroups(e)
	groups = slices.DeleteFunc(groups, func(g *Group) bool { return !filter(g) })
	for i, g := range groups {
		var err error
		if g.Diagnosis, err = Pod(e, world.PodRefOf(g.Pods[0])); err != nil {
			return nil, err
		}
		if i >= maxFixed {
			continue
		}
		for j := range g.Diagnosis.Remedies {
			r := &g.Diagnosis.Remedies[j]
			places, err := placedBy(e, g.Pods, r.Change)
			if err != nil {
				return nil, err
			}
			if places > g.Places {
				g.Fix, g.Places = r, places
			}
		}
	}
	return groups, nil
}

func pendingGroups(e *engine.Engine) []*Group {
	type key struct{ namespace, owner, waits string }
	byKey := map[key]*Group{}
	var groups []*Group
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		if hasNode(e, pod) || pod.DeletionTimestamp != nil {
			continue
		}
		k := key{pod.Namespace, ownerOf(pod), waitsFor(e, pod)}
		g := byKey[k]
		if g == nil {
			g = &Group{Namespace: k.namespace, Owner: k.owner, Oldest: pod.CreationTimestamp.Time}
			byKey[k] = g
			groups = append(groups, g)
		}
		g.Pods = append(g.Pods, pod)
		if pod.CreationTimestamp.Time.Before(g.Oldest) {
			g.Oldest = pod.CreationTimestamp.Time
		}
	}
	for _, g := range groups {
		slices.SortFunc(g.Pods, func(a, b *v1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	}
	slices.SortFunc(groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(len(b.Pods), len(a.Pods)), a.Oldest.Compare(b.Oldest),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Pods[0].Name, b.Pods[0].Name))
	})
	return groups
}

// ownerOf names a pod's controller; for a ReplicaSet of a Deployment, the Deployment.
func ownerOf(pod *v1.Pod) string {
	c := metav1.GetControllerOf(pod)
	if c == nil {
		return "pod/" + pod.Name
	}
	if hash := pod.Labels["pod-template-hash"]; c.Kind == "ReplicaSet" && hash != "" {
		if name, of := strings.CutSuffix(c.Name, "-"+hash); of {
			return "deployment/" + name
		}
	}
	return strings.ToLower(c.Kind) + "/" + c.Name
}

// waitsFor tells apart the pods of one owner that wait for different things.
func waitsFor(e *engine.Engine, pod *v1.Pod) string {
	_, nominated := e.Queue().NominatedNode(pod)
	switch {
	case e.Profile(pod.Spec.SchedulerName) == nil:
		return "scheduler " + pod.Spec.SchedulerName
	case len(pod.Spec.SchedulingGates) > 0:
		return "gates"
	case nominated:
		return "victims"
	}
	return "node"
}

// placedBy counts the pods that the engine's next decisions place in a fork with a change, which is made to each pod or
// once to the nodes.
func placedBy(e *engine.Engine, pods []*v1.Pod, c change.Change) (int, error) {
	f, err := e.Fork()
	if err != nil {
		return 0, err
	}
	for _, pod := range pods {
		own := c
		if ofNode := c.Verb == change.Uncordon || c.Verb == change.AddNodes; !ofNode {
			own.Name = world.PodRefOf(pod).String()
		} else if pod != pods[0] {
			break
		}
		if o, op := altered(f, pod, own); o != nil {
			_ = f.Apply(world.Input{At: f.Now(), Event: world.Changed{Op: op, Object: o}}) // a refused change places nothing
		}
	}
	return decided(f, pods), nil
}

// decided tries the pods at once, whatever their back-off, and counts those that are placed.
func decided(f *engine.Engine, pods []*v1.Pod) int {
	wanted := map[types.UID]bool{}
	var activate world.ActivateRequest
	for _, pod := range pods {
		wanted[pod.UID] = true
		activate.Activate = append(activate.Activate, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	}
	if err := f.Apply(world.Input{At: f.Now(), Event: activate}); err != nil {
		return 0
	}
	placed := 0
	for range 4*len(pods) + 1000 { // a placed pod may requeue others again and again
		d, more := f.Step()
		if !more {
			break
		}
		if d.Verdict == engine.Placed && wanted[d.Pod.UID] {
			wanted[d.Pod.UID] = false
			placed++
		}
	}
	return placed
}

// maxAdded bounds the nodes that Capacity adds.
const maxAdded = 64

// Capacity returns the fewest nodes like an existing one that place all the pods which more nodes can place, and how many
// pods those are; zero nodes if more nodes place none. The node is the largest that takes pods.
func Capacity(e *engine.Engine, groups []*Group) (like string, nodes, places int, err error) {
	var pods []*v1.Pod
	for _, g := range groups {
		if e.Profile(g.Pods[0].Spec.SchedulerName) != nil {
			pods = append(pods, g.Pods...)
		}
	}
	template := largestOpenNode(e)
	if template == "" || len(pods) == 0 {
		return "", 0, 0, nil
	}
	count := func(n int) int {
		if err != nil {
			return 0
		}
		var placed int
		placed, err = placedWith(e, pods, template, n)
		return placed
	}
	none, most := count(0), count(maxAdded)
	if most <= none {
		return "", 0, 0, err
	}
	// The smallest n in (low, high] that places as many as the greatest does.
	low, high := 0, maxAdded
	for high-low > 1 {
		if middle := (low + high) / 2; count(middle) >= most {
			high = middle
		} else {
			low = middle
		}
	}
	return template, high, most, err
}

func largestOpenNode(e *engine.Engine) string {
	name := ""
	var best *v1.Node
	for o := range e.Store().Objects(world.Node) {
		n := o.(*v1.Node)
		if n.Spec.Unschedulable || slices.ContainsFunc(n.Spec.Taints, func(t v1.Taint) bool { return repels(&t) }) {
			continue
		}
		if best == nil || cmp.Or(n.Status.Allocatable.Cpu().Cmp(*best.Status.Allocatable.Cpu()),
			n.Status.Allocatable.Memory().Cmp(*best.Status.Allocatable.Memory()), cmp.Compare(name, n.Name)) > 0 {
			best, name = n, n.Name
		}
	}
	return name
}

// placedWith counts the pods that are placed with so many more nodes.
func placedWith(e *engine.Engine, pods []*v1.Pod, like string, nodes int) (int, error) {
	f, err := e.Fork()
	if err != nil {
		return 0, err
	}
	for range nodes {
		o, op := altered(f, nil, change.Change{Verb: change.AddNodes, Name: like})
		if err := f.Apply(world.Input{At: f.Now(), Event: world.Changed{Op: op, Object: o}}); err != nil {
			return 0, err
		}
	}
	return decided(f, pods), nil
}
