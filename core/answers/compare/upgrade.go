package compare

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/answers/cause"
	"orrery/core/scheduler/release"
)

// Pair are two configurations of a comparison by their numbers: an upgrade is from the first to the second.
type Pair struct{ From, To int }

// Upgrade is what one configuration changes for the pods of another one, and what makes the difference. Ties between equally good nodes fall by
// the pod and the nodes alone in both, so chance makes none.
type Upgrade struct {
	Pair
	// Was and Is are the releases that decide.
	Was, Is release.Release
	// Arrivals is the number of pods that arrived.
	Arrivals int
	// Pods are those that end otherwise, by namespace and name.
	Pods []PodChange
	// Causes are the differences between the configurations that change something, those that explain the most pods first.
	Causes []Cause
	// Factors counts what differs between the configurations; Harmless are those that were turned off, and nothing was changed by that.
	Factors  int
	Harmless []cause.Factor
	// NotTried were not turned off: the release does not let them, or the simulations took too many decisions.
	NotTried []cause.NotTried
	// Simulations and Decisions are how often the workload was played for this, and the decisions of that.
	Simulations, Decisions int
}

// PodChange is a pod that ends otherwise.
type PodChange struct {
	Namespace, Name string
	Owner           string // such as deployment/web
	Kind            ChangeKind
	Was, Is         PodOutcome
	// Cause is the number of the cause that explains it; cause.Together if several have to come together.
	Cause int
}

// PodOutcome is how a pod ended.
type PodOutcome struct {
	// Node is its first node, and Pending the time until it had it; both are empty if it never had one.
	Node    string
	Pending time.Duration
	// Preempted is how often it was preempted.
	Preempted int
}

// ChangeKind says how a pod's outcome differs. A pod has one kind, the worst.
type ChangeKind uint8

// The kinds, the worst first.
const (
	LeftPending  ChangeKind = iota // has a node; never has one
	Preempted                      // is preempted more often
	WaitsLonger                    // has its node later
	OnOtherNode                    // has another node
	WaitsLess                      // has its node sooner
	NotPreempted                   // is preempted less often
	Placed                         // never has a node; has one
	ChangeKinds
)

// String returns the kind in words, to be said of some pods.
func (k ChangeKind) String() string {
	return [...]string{"left pending", "preempted", "waiting longer", "on another node", "waiting less", "no longer preempted", "placed"}[k]
}

// Name returns the kind in one word, as documents have it.
func (k ChangeKind) Name() string {
	return [...]string{"leftPending", "preempted", "waitsLonger", "onOtherNode", "waitsLess", "notPreempted", "placed"}[k]
}

// Worse reports whether the pod has a place no longer, or loses it.
func (k ChangeKind) Worse() bool { return k == LeftPending || k == Preempted }

// Worse reports whether a pod stays pending or is preempted that is not without the upgrade.
func (u *Upgrade) Worse() bool {
	return slices.ContainsFunc(u.Pods, func(p PodChange) bool { return p.Kind.Worse() })
}

// Counts counts pods by the kind of their change.
func Counts(pods []PodChange) (counts [ChangeKinds]int) {
	for _, p := range pods {
		counts[p.Kind]++
	}
	return counts
}

// OwnerChange is the pods of one owner that end otherwise.
type OwnerChange struct {
	Namespace, Owner string
	Pods             []PodChange
}

// Owners groups the pods by owner, the one with the most first.
func (u *Upgrade) Owners() []OwnerChange {
	at := map[[2]string]int{}
	var all []OwnerChange
	for _, p := range u.Pods {
		key := [2]string{p.Namespace, p.Owner}
		i, known := at[key]
		if !known {
			i = len(all)
			at[key], all = i, append(all, OwnerChange{Namespace: p.Namespace, Owner: p.Owner})
		}
		all[i].Pods = append(all[i].Pods, p)
	}
	slices.SortStableFunc(all, func(a, b OwnerChange) int { return cmp.Compare(len(b.Pods), len(a.Pods)) })
	return all
}

// noticeable is the difference in pending time from which a pod waits longer or less: below it is the time of a few decisions.
const noticeable = time.Second

// endings are the outcomes of a simulation's pods, by the UID in the trace.
type endings map[podKey]ending

type ending struct {
	PodOutcome
	pod *v1.Pod
}

func (s *simulation) endings() endings {
	all := make(endings, len(s.outcomes))
	for uid, f := range s.outcomes {
		e := ending{PodOutcome{Node: f.firstNode, Preempted: f.preempted}, f.pod}
		if !f.firstPlaced.IsZero() {
			e.Pending = f.firstPlaced.Sub(f.arrived)
		}
		all[uid] = e
	}
	return all
}

// changeFrom returns how an outcome differs from an earlier one, if it does.
func (o PodOutcome) changeFrom(was PodOutcome) (ChangeKind, bool) {
	switch later := o.Pending - was.Pending; {
	case o.Node == "" && was.Node == "":
		return 0, false
	case o.Node == "":
		return LeftPending, true
	case was.Node == "":
		return Placed, true
	case o.Preempted > was.Preempted:
		return Preempted, true
	case later >= noticeable:
		return WaitsLonger, true
	case o.Node != was.Node:
		return OnOtherNode, true
	case later <= -noticeable:
		return WaitsLess, true
	case o.Preempted < was.Preempted:
		return NotPreempted, true
	}
	return 0, false
}

// changed counts the pods that end otherwise than in another simulation.
func (e endings) changed(other endings) (n int) {
	for uid, is := range e {
		if _, differs := is.changeFrom(other[uid].PodOutcome); differs {
			n++
		}
	}
	return n
}

// changesFrom returns the pods that end otherwise than in another simulation, by namespace and name, with their UIDs.
func (e endings) changesFrom(other endings) (pods []PodChange, uids []podKey) {
	ordered := slices.SortedFunc(maps.Keys(e), func(a, b podKey) int {
		x, y := e[a].pod, e[b].pod
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name), cmp.Compare(a, b))
	})
	for _, uid := range ordered {
		is, was := e[uid], other[uid]
		if kind, differs := is.changeFrom(was.PodOutcome); differs {
			pods = append(pods, PodChange{
				Namespace: is.pod.Namespace, Name: is.pod.Name, Owner: answer.OwnerOf(is.pod), Kind: kind, Was: was.PodOutcome, Is: is.PodOutcome, Cause: cause.Together,
			})
			uids = append(uids, uid)
		}
	}
	return pods, uids
}
