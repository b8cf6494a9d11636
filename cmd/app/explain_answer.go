package app

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/scheduler/engine"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world"
)

// answerDocument is an answer of explain, with where it comes from.
type answerDocument struct {
	envelope
	Trace string `json:"trace"`
	// At is the requested time.
	At moment `json:"at"`
	// Kubernetes is the release that was decided as.
	Kubernetes modelled.Release `json:"kubernetes,omitzero"`
	*answer.Answer
	// Source is the cluster that was read; nil for a trace.
	Source *sourceDocument `json:"source,omitempty"`
	// Leader is whether a scheduler leads; nil if that is not known.
	Leader *leaderDocument `json:"leader,omitempty"`
	Damage *damageDocument `json:"damage,omitempty"`

	at        time.Time
	evaluated string // what evaluated the subject, with its moment
	fallback  string // says so if neither a trace nor a cluster was named
	verbose   bool   // the text has everything
	// wouldGo is the node on which the pod would be placed, wouldNot why on none.
	wouldGo, wouldNot string

	resourceVersion string // of the pod
}

// answerAt gives an answer its source.
func answerAt(s *openedAt, kind string, a *answer.Answer) *answerDocument {
	d := &answerDocument{
		envelope: document(kind), Trace: s.trace, At: momentOf(s.at), Kubernetes: s.release(), Answer: a, Source: s.source, Leader: s.leader, Damage: s.damage, at: s.at,
	}
	if s.fallback {
		d.fallback = s.fallbackText()
	}
	return d
}

// explained answers about what an argument names: a pod, a node, a claim, a workload, an owner, or without one all pods that wait.
func (f *explainFlags) explained(s *openedAt, args []string) (*answerDocument, error) {
	namespace := f.whom.flags.overrides.Context.Namespace
	noPod := errors.New("--node is of a pod: name the pod too")
	switch {
	case len(args) == 0 && f.node != "":
		return nil, noPod
	case len(args) == 0:
		return explainPending(s, namespace, "")
	}
	if !namesPod(s, args[0]) {
		switch kind, name, ok := cutKind(args[0]); {
		case !ok || kind == "pod":
		case f.node != "":
			return nil, noPod
		case kind == "workload":
			return explainWorkload(s, namespace, name)
		case kind == "podgroup", kind == "compositepodgroup":
			return explainPodGroup(s, namespace, kind, name)
		case kind == "node":
			return explainNode(s, name)
		case kind == "claim":
			return explainClaim(s, f.whom.qualify(name))
		default:
			return explainPending(s, namespace, kind+"/"+name)
		}
	}
	return f.explainPod(s, podArgument(s, args[0]))
}

// explainPod explains a pod at the trace's position.
func (f *explainFlags) explainPod(s *openedAt, arg string) (*answerDocument, error) {
	pod, err := findPod(s, f.whom.qualify(arg))
	if err != nil {
		return nil, err
	}
	if err := checkNode(s, f.node); f.node != "" && err != nil {
		return nil, err
	}
	return explainAt(s, pod, diagnose.Question{Node: f.node, Now: f.now})
}

// explainAt answers a question about a pod.
func explainAt(s *openedAt, pod *v1.Pod, q diagnose.Question) (*answerDocument, error) {
	e := askedEngine(s)
	q.Past, q.Whole, q.Fixes, q.Again = s, true, fix.Tries{}, s.again
	q.Unled, q.Rate, q.Estimated = s.leader.none(), s.rate, s.source != nil && s.rate == nil
	d, err := diagnose.Ask(e, world.PodRefOf(pod), q)
	if err != nil {
		return nil, err
	}
	doc := answerAt(s, "Explanation", &d.Answer)
	if d.Decision.Verdict == engine.Placed {
		doc.wouldGo = d.Decision.Node
	} else {
		doc.wouldNot = d.Finding
	}
	doc.resourceVersion, doc.evaluated = pod.ResourceVersion, timeText(s.at)+s.source.location(s.position, s.trace)
	if d.Evaluated.AsDecided {
		doc.evaluated = timeText(d.Evaluated.At) + s.source.location(offsetText(d.Evaluated.At.Sub(s.Start().Time)), s.trace) + ", when it was decided"
	} else if d.Today != nil {
		doc.evaluated += ", as if it had no node"
	}
	return doc, nil
}

// askedEngine is the engine at the requested time or, where that is too far for an engine to count to, at the last record before it.
func askedEngine(s *openedAt) *engine.Engine {
	if s.at.After(s.Engine().Now()) {
		if e, err := engineAt(s); err == nil {
			return e
		}
	}
	return s.Engine()
}

// explainWorkload explains the gangs of a workload, or the one of them that is named with its group.
func explainWorkload(s *openedAt, namespace, asked string) (*answerDocument, error) {
	name, group, _ := strings.Cut(asked, "/")
	if s.Engine().Unread(world.Workload) {
		return nil, fmt.Errorf("explaining workload %q: there is no right to list %s", name, world.Workload.Resource().GroupResource())
	}
	if err := checkNamespace(s, namespace); err != nil {
		return nil, err
	}
	namespace, err := findWorkload(s, namespace, name)
	if err != nil {
		return nil, err
	}
	e := askedEngine(s)
	if a, err := diagnose.AskWorkloadGroups(e, namespace, name, diagnose.Question{Unled: s.leader.none()}); a != nil || err != nil {
		return answerAt(s, "PodGroups", a), err
	}
	a, err := diagnose.AskGangs(e, namespace, asked, diagnose.Question{Fixes: fix.Tries{}, Again: s.again, Unled: s.leader.none()})
	if err != nil {
		return nil, err
	}
	if len(a.Gangs) == 0 {
		of := ""
		if group != "" {
			of = fmt.Sprintf(" %q", group)
		}
		return nil, fmt.Errorf("workload %q in namespace %q has no gang%s, or the scheduler's feature gate GangScheduling is off", name, namespace, of)
	}
	return answerAt(s, "Gangs", a), nil
}

// findWorkload returns the namespace of a workload: the given one, or the default one, or the only one that has it.
func findWorkload(s *openedAt, namespace, name string) (string, error) {
	where, known := map[string]bool{}, map[string]bool{}
	add := func(in, workload string) {
		if namespace == "" || in == namespace {
			if known[workload] = true; workload == name {
				where[in] = true
			}
		}
	}
	for o := range s.Engine().Store().Objects(world.Workload) {
		add(o.GetNamespace(), o.GetName())
	}
	for _, key := range s.Engine().Gangs().Keys() { // pods may name one that does not exist
		if !key.IsPodGroup() {
			add(key.Namespace, key.Workload)
		}
	}
	for o := range s.Engine().Store().Objects(world.PodGroup) {
		if ref := o.(*schedulingv1beta1.PodGroup).Spec.WorkloadRef; ref != nil {
			add(o.GetNamespace(), ref.WorkloadName)
		}
	}
	return s.oneNamespace("workload", name, where, known)
}

// oneNamespace returns the default namespace, or the only one, of those that have an object of a name.
func (s *openedAt) oneNamespace(kind, name string, where, known map[string]bool) (string, error) {
	all := slices.Sorted(maps.Keys(where))
	switch {
	case len(all) == 0:
		return "", s.missing(kind, name, slices.Sorted(maps.Keys(known)))
	case where["default"]:
		return "default", nil
	case len(all) > 1:
		return "", fmt.Errorf("there are %d %ss called %q: name one of the namespaces %q with -n", len(all), kind, name, all[:min(len(all), 5)])
	}
	return all[0], nil
}

// explainPending explains all pending pods, or those of an owner, in a namespace or in all.
func explainPending(s *openedAt, namespace, owner string) (*answerDocument, error) {
	if err := checkNamespace(s, namespace); err != nil {
		return nil, err
	}
	if owner != "" {
		if err := checkOwner(s, namespace, owner); err != nil {
			return nil, err
		}
	}
	e := askedEngine(s)
	a, err := diagnose.AskPending(e, func(g *diagnose.Group) bool {
		return (namespace == "" || g.Namespace == namespace) && (owner == "" || g.Owner == owner)
	}, diagnose.Question{Fixes: fix.Tries{}, Again: s.again, Unled: s.leader.none()})
	if err != nil {
		return nil, err
	}
	return answerAt(s, "PendingPods", a), nil
}

// explainNode says what keeps the pods that wait from a node.
func explainNode(s *openedAt, name string) (*answerDocument, error) {
	if err := checkNode(s, name); err != nil {
		return nil, err
	}
	e := askedEngine(s)
	a, err := diagnose.AskNode(e, name)
	if err != nil {
		return nil, err
	}
	return answerAt(s, "Explanation", a), nil
}

// explainClaim says what a claim is bound to or waits for, and which pods it keeps waiting.
func explainClaim(s *openedAt, asked string) (*answerDocument, error) {
	namespace, name, full := strings.Cut(asked, "/")
	if !full {
		namespace, name = v1.NamespaceDefault, asked
	}
	e := askedEngine(s)
	if e.Unread(world.PersistentVolumeClaim) {
		return nil, fmt.Errorf("explaining claim %q: there is no right to list %s", name, world.PersistentVolumeClaim.Resource().GroupResource())
	}
	if e.Store().Object(world.PersistentVolumeClaim, namespace, name) == nil {
		return nil, s.missing("claim", asked, namesOf(e, world.PersistentVolumeClaim, func(o world.Object) string { return o.GetNamespace() + "/" + o.GetName() }))
	}
	a, err := diagnose.AskClaim(e, namespace, name)
	if err != nil {
		return nil, err
	}
	return answerAt(s, "Explanation", a), nil
}

// missing says that nothing of a kind has a name, and which names are similar.
func (s *openedAt) missing(kind, name string, known []string) error {
	return fmt.Errorf("at %s of %s there is no %s %q%s", timeText(s.at), s.trace, kind, name, suggestion(name, known))
}

func namesOf(e *engine.Engine, kind world.Kind, name func(world.Object) string) []string {
	known := map[string]bool{}
	for o := range e.Store().Objects(kind) {
		known[name(o)] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// checkNode returns an error if a node does not exist.
func checkNode(s *openedAt, name string) error {
	if s.Engine().Store().Node(name) != nil {
		return nil
	}
	return s.missing("node", name, namesOf(s.Engine(), world.Node, world.Object.GetName))
}

// checkOwner returns an error if no pod has an owner, pending or not.
func checkOwner(s *openedAt, namespace, owner string) error {
	known := namesOf(s.Engine(), world.Pod, func(o world.Object) string {
		if namespace != "" && o.GetNamespace() != namespace {
			return ""
		}
		return answer.OwnerOf(o.(*v1.Pod))
	})
	if slices.Contains(known, owner) {
		return nil
	}
	return fmt.Errorf("at %s of %s no pod has the owner %q%s", timeText(s.at), s.trace, owner, suggestion(owner, known))
}

// checkNamespace returns an error if a namespace does not exist: neither it nor a pod in it.
func checkNamespace(s *openedAt, namespace string) error {
	e := s.Engine()
	if namespace == "" || e.Unread(world.Namespace) || e.Store().Object(world.Namespace, "", namespace) != nil {
		return nil
	}
	var known []string
	for _, kind := range []world.Kind{world.Namespace, world.Pod} {
		known = append(known, namesOf(e, kind, func(o world.Object) string { return cmp.Or(o.GetNamespace(), o.GetName()) })...)
	}
	if slices.Contains(known, namespace) {
		return nil
	}
	return s.missing("namespace", namespace, known)
}

// podArgument returns the name of a pod that an argument gives, perhaps as pod/web-0.
func podArgument(s *openedAt, arg string) string {
	if kind, name, ok := cutKind(arg); ok && kind == "pod" && !namesPod(s, arg) {
		return name
	}
	return arg
}

// namesPod reports whether an argument is the namespace and name of a pod that exists: a namespace may be called as a kind is.
func namesPod(s *openedAt, arg string) bool {
	namespace, name, _ := strings.Cut(arg, "/")
	return s.Engine().Store().Pod(namespace, name) != nil
}

// listAnswer is an answer about several pods, whose names are arguments of other commands.
type listAnswer struct{ *answerDocument }

// names are the pods that wait as explain takes them.
func (d listAnswer) names() []string {
	var names []string
	for i := range d.Groups {
		for _, pod := range d.Groups[i].Pods {
			names = append(names, d.Groups[i].Namespace+"/"+pod)
		}
	}
	return names
}

// print writes the answer in the format that was asked for.
func (d *answerDocument) print(c *cobra.Command, o *output) error {
	if d.Groups != nil {
		return o.print(c, listAnswer{d}, d.text)
	}
	return o.print(c, d, d.text)
}
