package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// AskGangs answers about the gangs of a workload, or about those of one of its groups: "train" or "train/workers".
func AskGangs(e *engine.Engine, namespace, asked string, q Question) (*answer.Answer, error) {
	workload, group, _ := strings.Cut(asked, "/")
	a := &answer.Answer{Workload: &answer.Ref{Namespace: namespace, Name: workload}, Gangs: []answer.Chain{}}
	a.Headline, a.Yes = q.Unled, true
	for _, key := range GangsOf(e, namespace, workload) {
		if of := key.String(); group != "" && of != asked && !strings.HasPrefix(of, asked+"/") {
			continue
		}
		g, err := GangOf(e, key)
		if err != nil {
			return nil, err
		}
		if g == nil {
			continue
		}
		told := q.tell(e, g)
		part := answer.Words{Title: "gang " + g.Name, Headline: told.Summary}
		part.Section("Gang", g.Links()...)
		a.Gangs, a.Parts = append(a.Gangs, told), append(a.Parts, part)
		a.Yes = a.Yes && !g.Held()
	}
	if a.Settled = a.Yes; a.Yes {
		a.Headline = ""
	}
	return a, nil
}

// askedTogether is for how many pods one command is pasted with ease.
const askedTogether = 8

// AskPending answers about all pending pods that pass a filter, by groups.
func AskPending(e *engine.Engine, filter func(*Group) bool, q Question) (*answer.Answer, error) {
	groups, err := Pending(e, filter)
	if err != nil {
		return nil, err
	}
	capacity := Capacity
	if q.Fixes != nil {
		capacity = q.Fixes.Capacity
		q.Fixes.Confirm(e, groups, askedTogether)
	}
	pods := 0
	a := &answer.Answer{Pods: &pods, Groups: []answer.Group{}}
	for _, g := range groups {
		pods += len(g.Pods)
		told := g.tell(e, &q)
		a.Groups, a.Parts = append(a.Groups, told), append(a.Parts, g.words(e, &told))
	}
	a.Yes, a.Settled = pods == 0, pods == 0
	a.Headline = "no pending pods"
	if pods > 0 {
		a.Headline = fmt.Sprintf("%s in %s, at %s", plural.Count(pods, "pending pod"), plural.Count(len(groups), "group"), answer.At(e.Now()))
	}
	if q.Unled != "" {
		a.Headline, a.Then = q.Unled, []string{a.Headline}
	}
	like, nodes, places, err := capacity(e, groups)
	if nodes > 0 {
		a.Capacity = &answer.Capacity{Like: like, Nodes: nodes, Places: places}
	}
	return a, err
}

// tell puts a group into an answer.
func (g *Group) tell(e *engine.Engine, q *Question) answer.Group {
	told := answer.Group{
		Namespace: g.Namespace, Owner: g.Owner, Oldest: g.Oldest.UTC(), Waiting: g.Diagnosis.Waiting, Summary: g.Diagnosis.Summary, Places: g.Places,
	}
	if d := g.Diagnosis; d.Waiting == "" && d.Decision.Verdict == engine.Placed {
		told.Summary = g.placedFirst(q)
	}
	if g.Gang != nil {
		_, name, _ := strings.Cut(g.Gang.Name, "/")
		told.Gang, told.Summary = "workload/"+name, g.Gang.Summary()
	}
	for _, pod := range g.Pods {
		told.Pods = append(told.Pods, pod.Name)
	}
	if g.Fix != nil {
		changes := g.Changes()
		fix := &answer.GroupFix{Change: g.Fix.Change.String(), Text: g.Fix.Text, OnePod: len(changes) > askedTogether, Each: len(changes) > 1}
		if fix.OnePod {
			changes = changes[:1]
		}
		fix.Command = q.Again + change.ShellWords(changes)
		told.Fix = fix
	}
	return told
}

// placedFirst says of a group whose first pod would get a node that it waits, and for whom. The others may find another cluster when their
// turns come.
func (g *Group) placedFirst(q *Question) string {
	would := "would be placed on " + g.Diagnosis.Decision.Node
	if len(g.Pods) > 1 {
		would = "of its pods " + g.Pods[0].Name + " " + would
	}
	if q.Unled != "" && len(g.Pods[0].Spec.SchedulingGates) == 0 {
		return "waits for a scheduler; " + would
	}
	if queued := g.Diagnosis.Queue; queued != nil && queued.Attempts > 0 {
		return "queued, to be tried again; " + would
	}
	return "queued, not yet tried; " + would
}

// words are a group for people: its size and age, its cause, and its fix.
func (g *Group) words(e *engine.Engine, told *answer.Group) answer.Words {
	w := answer.Words{Title: g.Namespace + "/" + g.Owner + ": " + plural.Count(len(g.Pods), "pod"), Headline: told.Summary}
	if !g.Oldest.IsZero() {
		w.Title += ", the oldest for " + answer.Span(e.Now().Sub(g.Oldest))
	}
	if told.Gang != "" {
		w.Then = append(w.Then, "its gang: orrery explain "+told.Gang+" -n "+g.Namespace)
	}
	if fix := told.Fix; fix != nil {
		text := "fix: " + fix.Text
		if fix.Each {
			text += ", for each pod"
		}
		text += fmt.Sprintf(": places %d of %d", told.Places, len(g.Pods))
		if fix.OnePod {
			text += "; of the first pod alone:"
		}
		w.Then = append(w.Then, text, "  "+fix.Command)
	}
	return w
}

// maxWaiting bounds the pods that an answer about a node asks about.
//
//orrery:limit answers; groups of pending pods that an answer about a node looks at; the others are counted
const maxWaiting = 20

// AskNode answers about a node: what keeps the pods that wait from it.
func AskNode(e *engine.Engine, name string) (*answer.Answer, error) {
	node := e.Store().Node(name)
	a := &answer.Answer{OnNode: name, Groups: []answer.Group{}}
	a.Title, a.Headline = "node "+name, "takes pods"
	if trouble := nodeTrouble(node); trouble != "" {
		a.Headline = trouble
	}
	groups := pendingGroups(e)
	kept, pods := 0, 0
	byCause := map[string]*answer.Group{}
	var causes []string
	for _, g := range groups[:min(len(groups), maxWaiting)] {
		d, pod, err := explain(e, world.PodRefOf(g.Pods[0]))
		if err != nil {
			return nil, err
		}
		pods += len(g.Pods)
		says := "would take it"
		if pod == nil {
			says = d.Summary
		} else if n := d.Node(name); !n.Feasible {
			if says = cmp.Or(pod.keptFrom(d.Explanation, name), d.Summary); len(n.Statuses) > 0 {
				says = "it " + says
			}
			kept += len(g.Pods)
		}
		if byCause[says] == nil {
			byCause[says] = &answer.Group{Namespace: g.Namespace, Owner: g.Owner, Oldest: g.Oldest.UTC(), Summary: says}
			causes = append(causes, says)
		}
		for _, p := range g.Pods {
			byCause[says].Pods = append(byCause[says].Pods, p.Name)
		}
	}
	for _, says := range causes {
		g := byCause[says]
		a.Groups = append(a.Groups, *g)
		a.Parts = append(a.Parts, answer.Words{Title: g.Namespace + "/" + g.Owner + ": " + plural.Count(len(g.Pods), "pod"), Headline: says})
	}
	if a.Summary = a.Headline; pods > 0 {
		a.Then = []string{fmt.Sprintf("it is closed to %d of %s that wait", kept, plural.Count(pods, "pod"))}
		a.Summary += "; " + a.Then[0]
	}
	a.Pods, a.Yes, a.Settled = &pods, kept == 0, kept == 0
	return a, nil
}

// nodeTrouble says what a node has against pods; empty if nothing.
func nodeTrouble(node *v1.Node) string {
	var all []string
	if node.Spec.Unschedulable {
		all = append(all, "is cordoned")
	}
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == v1.NodeReady && c.Status != v1.ConditionTrue {
			all = append(all, "is not ready since "+answer.At(c.LastTransitionTime.Time))
		}
	}
	for i := range node.Spec.Taints {
		if t := &node.Spec.Taints[i]; repels(t) && t.Key != v1.TaintNodeUnschedulable {
			all = append(all, "has the taint "+t.ToString())
		}
	}
	return strings.Join(all, " and ")
}

// AskClaim answers about a claim: what it is bound to or waits for, and which pods use it.
func AskClaim(e *engine.Engine, namespace, name string) (*answer.Answer, error) {
	claim, _ := e.Store().Object(world.PersistentVolumeClaim, namespace, name).(*v1.PersistentVolumeClaim)
	chain := chainOfClaim(e, claim)
	link := &chain.Claims[0]
	a := &answer.Answer{OfClaim: &answer.Ref{Namespace: namespace, Name: name, UID: string(claim.UID)}, Storage: chain, Groups: []answer.Group{}}
	links := chain.Links("")
	a.Title, a.Headline = "claim "+namespace+"/"+name, link.Says
	a.Summary, a.Yes, a.Settled = a.Headline, link.State == volumes.ClaimBound, link.State == volumes.ClaimBound
	a.Section("Storage", links[1:]...)
	for o := range e.Store().Objects(world.Pod) {
		pod := o.(*v1.Pod)
		uses := slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool {
			of, is := world.ClaimOf(pod, &v)
			return is && of == name
		})
		if pod.Namespace != namespace || !uses {
			continue
		}
		d, err := Ask(e, world.PodRefOf(pod), Question{})
		if err != nil {
			return nil, err
		}
		a.Parts = append(a.Parts, answer.Words{Title: d.Title, Headline: d.Headline})
	}
	slices.SortFunc(a.Parts, func(x, y answer.Words) int { return cmp.Compare(x.Title, y.Title) })
	return a, nil
}
