package app

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// pendingPodsDocument is the result of explain without a pod: all pending pods by owner and cause, and what places them.
type pendingPodsDocument struct {
	envelope
	Trace string `json:"trace"`
	At    moment `json:"at"`
	// Pods is the number of pending pods.
	Pods   int            `json:"pods"`
	Groups []pendingGroup `json:"groups"`
	// Capacity is the fewest nodes that place all pods which more nodes can place.
	Capacity *capacity       `json:"capacity,omitempty"`
	Source   *sourceDocument `json:"source,omitempty"`
	// Leader is whether a scheduler leads; nil if that is not known.
	Leader *leaderDocument `json:"leader,omitempty"`
	Damage *damageDocument `json:"damage,omitempty"`

	at       time.Time
	fallback string
}

type pendingGroup struct {
	Namespace string   `json:"namespace"`
	Owner     string   `json:"owner"`
	Pods      []string `json:"pods"`
	Oldest    moment   `json:"oldest"`
	Waiting   string   `json:"waiting,omitempty"`
	Summary   string   `json:"summary"`
	// Gang is the argument of explain for the gang that holds the pods back.
	Gang string    `json:"gang,omitempty"`
	Fix  *groupFix `json:"fix,omitempty"`
	// Places is the number of the group's pods that the fix places.
	Places int `json:"places,omitempty"`

	oldest time.Time
}

// askedTogether is for how many pods one command is pasted with ease.
const askedTogether = 8

// groupFix is the change that places the most pods of a group, when it is made to each of them. Command evaluates that; of a change to
// many pods, the one to the first.
type groupFix struct {
	Change  change.Change `json:"change"`
	Text    string        `json:"text"`
	Command string        `json:"command"`
	// OnePod says that Command is of the first pod alone.
	OnePod bool `json:"onePod,omitempty"`

	each bool
}

type capacity struct {
	Like   string `json:"like"`
	Nodes  int    `json:"nodes"`
	Places int    `json:"places"`
}

// names are the pods as explain takes them.
func (d *pendingPodsDocument) names() []string {
	var names []string
	for i := range d.Groups {
		for _, pod := range d.Groups[i].Pods {
			names = append(names, d.Groups[i].Namespace+"/"+pod)
		}
	}
	return names
}

// ownerArgument returns the owner that an argument names, as in deploy/web.
func ownerArgument(arg string) (owner string, ok bool) {
	kind, name, ok := cutKind(arg)
	return kind + "/" + name, ok && kind != "pod"
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

// checkOwner returns an error if no pod has an owner, pending or not.
func checkOwner(s *openedAt, namespace, owner string) error {
	known := map[string]bool{}
	for o := range s.Engine().Store().Objects(world.Pod) {
		if namespace == "" || o.GetNamespace() == namespace {
			known[diagnose.OwnerOf(o.(*v1.Pod))] = true
		}
	}
	if known[owner] {
		return nil
	}
	return fmt.Errorf("at %s of %s no pod has the owner %q%s", timeText(s.at), s.trace, owner, suggestion(owner, slices.Sorted(maps.Keys(known))))
}

// checkNamespace returns an error if a namespace does not exist: neither it nor a pod in it.
func checkNamespace(s *openedAt, namespace string) error {
	e := s.Engine()
	if namespace == "" || e.Unread(world.Namespace) || e.Store().Object(world.Namespace, "", namespace) != nil {
		return nil
	}
	known := map[string]bool{}
	for _, kind := range []world.Kind{world.Namespace, world.Pod} {
		for o := range e.Store().Objects(kind) {
			known[cmp.Or(o.GetNamespace(), o.GetName())] = true
		}
	}
	if known[namespace] {
		return nil
	}
	return fmt.Errorf("at %s of %s there is no namespace %q%s", timeText(s.at), s.trace, namespace, suggestion(namespace, slices.Sorted(maps.Keys(known))))
}

// explainPending explains all pending pods, or those of an owner, in a namespace or in all.
func explainPending(s *openedAt, namespace, owner string) (*pendingPodsDocument, error) {
	if err := checkNamespace(s, namespace); err != nil {
		return nil, err
	}
	if owner != "" {
		if err := checkOwner(s, namespace, owner); err != nil {
			return nil, err
		}
	}
	groups, err := diagnose.Pending(s.Engine(), func(g *diagnose.Group) bool {
		return (namespace == "" || g.Namespace == namespace) && (owner == "" || g.Owner == owner)
	})
	if err != nil {
		return nil, err
	}
	doc := &pendingPodsDocument{
		envelope: document("PendingPods"), Trace: s.trace, At: momentOf(s.at), Groups: []pendingGroup{}, Source: s.source, at: s.at,
		Leader: s.leader, Damage: s.damage,
	}
	if s.fallback {
		doc.fallback = s.fallbackText()
	}
	if len(groups) == 0 {
		return doc, nil
	}
	e, err := engineAt(s)
	if err != nil {
		return nil, err
	}
	fix.Confirm(e, groups, askedTogether)
	for _, g := range groups {
		doc.Pods += len(g.Pods)
		doc.Groups = append(doc.Groups, newPendingGroup(g, s))
	}
	like, nodes, places, err := fix.Capacity(e, groups)
	if nodes > 0 {
		doc.Capacity = &capacity{like, nodes, places}
	}
	return doc, err
}

func newPendingGroup(g *diagnose.Group, s *openedAt) pendingGroup {
	doc := pendingGroup{
		Namespace: g.Namespace, Owner: g.Owner, Oldest: momentOf(g.Oldest), oldest: g.Oldest,
		Waiting: g.Diagnosis.Waiting, Summary: g.Diagnosis.Summary, Places: g.Places,
	}
	if d := g.Diagnosis; d.Waiting == "" && d.Decision.Verdict == engine.Placed {
		doc.Summary = placedFirst(g, s)
	}
	if g.Gang != nil {
		_, name, _ := strings.Cut(g.Gang.Name, "/")
		doc.Gang, doc.Summary = "workload/"+name, g.Gang.Summary()
	}
	for _, pod := range g.Pods {
		doc.Pods = append(doc.Pods, pod.Name)
	}
	if g.Fix != nil {
		doc.Fix = newGroupFix(g, s.again)
	}
	return doc
}

// placedFirst says of a group whose first pod would get a node that it waits, and for whom. The others may find another cluster when their
// turns come.
func placedFirst(g *diagnose.Group, s *openedAt) string {
	would := "would be placed on " + g.Diagnosis.Decision.Node
	if len(g.Pods) > 1 {
		would = "of its pods " + g.Pods[0].Name + " " + would
	}
	if s.leader.none() != "" && s.needsLeader(g.Pods[0]) {
		return "waits for a scheduler; " + would
	}
	if q := g.Diagnosis.Queue; q != nil && q.Attempts > 0 {
		return "queued, to be tried again; " + would
	}
	return "queued, not yet tried; " + would
}

func newGroupFix(g *diagnose.Group, again string) *groupFix {
	changes := g.Changes()
	fix := groupFix{Change: g.Fix.Change, Text: g.Fix.Text, OnePod: len(changes) > askedTogether, each: len(changes) > 1}
	if fix.OnePod {
		changes = changes[:1]
	}
	fix.Command = whatIfCommandFor(again, changes...)
	return &fix
}

func (d *pendingPodsDocument) text(w io.Writer) {
	if d.fallback != "" {
		fmt.Fprintf(w, "(%s)\n", d.fallback)
	}
	if none := d.Leader.none(); none != "" {
		fmt.Fprintln(w, printable.Line(none, 400))
	}
	if d.Pods == 0 {
		fmt.Fprintln(w, "no pending pods")
	} else {
		fmt.Fprintf(w, "%s in %s, at %s\n", countText(d.Pods, "pending pod"), countText(len(d.Groups), "group"), timeText(d.at))
	}
	for i := range d.Groups {
		d.Groups[i].text(w, d.at)
	}
	if c := d.Capacity; c != nil {
		fmt.Fprintf(w, "\n%s like %s would place %d of the %s\n", countText(c.Nodes, "more node"), printable.Line(c.Like, 100), c.Places, countText(d.Pods, "pod"))
	}
	d.Source.text(w)
}

func (g *pendingGroup) text(w io.Writer, now time.Time) {
	owner := printable.Line(g.Namespace+"/"+g.Owner, 200)
	fmt.Fprintf(w, "\n%s: %s", owner, countText(len(g.Pods), "pod"))
	if !g.oldest.IsZero() {
		fmt.Fprintf(w, ", the oldest for %s", durationText(max(now.Sub(g.oldest), 0)))
	}
	fmt.Fprintf(w, "\n  %s\n", printable.Line(g.Summary, 400))
	if g.Gang != "" {
		fmt.Fprintf(w, "  its gang: orrery explain %s -n %s\n", printable.Line(g.Gang, 300), printable.Line(g.Namespace, 100))
	}
	if g.Fix != nil {
		fmt.Fprintf(w, "  fix: %s", printable.Line(g.Fix.Text, 200))
		if g.Fix.each {
			fmt.Fprint(w, ", for each pod")
		}
		fmt.Fprintf(w, ": places %d of %d", g.Places, len(g.Pods))
		if g.Fix.OnePod {
			fmt.Fprint(w, "; of the first pod alone:")
		}
		fmt.Fprintf(w, "\n    %s\n", printable.Line(g.Fix.Command, 4000))
	}
}
