package collect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/answer"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/themes"
	"orrery/views"
	"orrery/views/find"
)

// Things are the objects that an engine knows, for the finder: nodes, owners, namespaces, gangs, claims and pods.
func Things(e *engine.Engine) []find.Thing {
	list := make([]find.Thing, 0, e.Store().Len(world.Pod)+e.Store().Len(world.Node))
	for o := range e.Store().Objects(world.Node) {
		list = append(list, nodeThing(o.(*v1.Node)))
	}
	owners, namespaces := map[controllerRef]ownedPods{}, map[string]int{}
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		list = append(list, podThing(e, pod))
		namespaces[pod.Namespace]++
		if c := metav1.GetControllerOf(pod); c != nil {
			ref := controllerRef{pod.Namespace, c.Kind, c.Name}
			owners[ref] = ownedPods{owners[ref].pods + 1, pod}
		}
	}
	list = append(list, ownerThings(owners)...)
	for _, name := range slices.Sorted(maps.Keys(namespaces)) {
		list = append(list, find.Thing{Kind: find.Namespace, Name: printable.Text(name), Key: name, About: plural.Count(namespaces[name], "pod")})
	}
	for _, key := range e.Gangs().Keys() {
		scope := scopeOfGang(key)
		list = append(list, find.Thing{Kind: find.Gang, Name: printable.Text(scope), Key: scope})
	}
	list = append(list, claimThings(e, world.PersistentVolumeClaim, find.Claim)...)
	return append(list, claimThings(e, world.ResourceClaim, find.DeviceClaim)...)
}

// controllerRef names the controller of pods, and ownedPods is how many it has, with one of them.
type (
	controllerRef struct{ namespace, kind, name string }
	ownedPods     struct {
		pods int
		one  *v1.Pod
	}
)

func nodeThing(node *v1.Node) find.Thing {
	t := find.Thing{Kind: find.Node, Name: printable.Text(node.Name), Key: node.Name, About: printable.Text(zoneOf(node))}
	flags := flagsOf(node)
	if words := flags.Words(); words != "" {
		t.Bad = flags&(views.NotReady|views.Pressed) != 0
		t.About, t.Token = strings.TrimSpace(words+" "+t.About), themes.Bad
	}
	return t
}

func podThing(e *engine.Engine, pod *v1.Pod) find.Thing {
	t := find.Thing{Kind: find.Pod}
	t.Name, t.Key = podNames(world.PodRefOf(pod))
	state := views.Bound
	switch {
	case pod.DeletionTimestamp != nil:
		state, t.About = views.Terminating, views.Terminating.Word()
	case pod.Spec.NodeName != "":
		t.About = printable.Text(pod.Spec.NodeName)
	default:
		state = views.Created
		if queued, ok := e.Queue().Get(pod.Namespace, pod.Name); ok {
			state = stateOf(queued.State())
			t.Bad = state == views.Unschedulable || state == views.Backoff
		}
		t.About = state.Word()
		if message := world.PendingMessage(pod); message != "" && t.Bad {
			t.About = printable.Line(message, maxAbout)
		}
	}
	t.Glyph, t.Token = state.Glyph(), state.Token()
	return t
}

// maxAbout bounds what the finder says about a pod.
//
//orrery:limit screen; what the finder says about a pod, in characters; cut off
const maxAbout = 120

// ownerThings are the controllers of pods; the ReplicaSets of a Deployment count as the Deployment.
func ownerThings(owners map[controllerRef]ownedPods) []find.Thing {
	type owner struct{ namespace, name string }
	pods := map[owner]int{}
	for ref, owned := range owners {
		pods[owner{ref.namespace, answer.OwnerOf(owned.one)}] += owned.pods
	}
	sorted := slices.SortedFunc(maps.Keys(pods), func(a, b owner) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	list := make([]find.Thing, len(sorted))
	for i, o := range sorted {
		kind, name, _ := strings.Cut(o.name, "/")
		key := o.namespace + "/" + name
		list[i] = find.Thing{Kind: find.Owner, Name: printable.Text(key), Key: key, About: printable.Text(kind) + ", " + plural.Count(pods[o], "pod")}
	}
	return list
}

func claimThings(e *engine.Engine, kind world.Kind, as find.Kind) []find.Thing {
	list := make([]find.Thing, 0, e.Store().Len(kind))
	for o := range e.Store().Objects(kind) {
		key := o.GetNamespace() + "/" + o.GetName()
		t := find.Thing{Kind: as, Name: printable.Text(key), Key: key}
		if claim, is := o.(*v1.PersistentVolumeClaim); is {
			t.About = printable.Text(strings.ToLower(string(claim.Status.Phase)))
			t.Bad = claim.Status.Phase == v1.ClaimLost
		}
		list = append(list, t)
	}
	return list
}
