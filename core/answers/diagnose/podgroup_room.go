package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// PodGroupRoom is where pods of a group fit together, tried on copies on which each takes its place beside those before it, with no pod of others
// between them.
type PodGroupRoom struct {
	// Key is the topology key of whose domains one has to hold all; empty if the whole cluster may.
	Key string `json:"topologyKey,omitempty"`
	// Needed pods have to get a place, and Fits says that they do. Absent of them do not exist yet, and are not tried.
	Needed int  `json:"needed"`
	Absent int  `json:"absent,omitempty"`
	Fits   bool `json:"fits"`
	// Domains are those that were tried, the one that lacks least first; of the whole cluster there is one, without a name. Of All domains, some
	// were left out if the trials were too many.
	Domains []PodGroupDomain `json:"domains"`
	All     int              `json:"allDomains"`
}

// PodGroupDomain is a domain with what fits into it.
type PodGroupDomain struct {
	Domain string `json:"domain"`
	Nodes  int    `json:"nodes"`
	// Placed of the pods got a place, and Lacks more are needed.
	Placed int `json:"placed"`
	Lacks  int `json:"lacks"`
	// First is the first pod that got none, and Why are the reasons of the domain's nodes; of the first domain alone.
	First string   `json:"first,omitempty"`
	Why   []string `json:"why,omitempty"`
	// Cut says that the trial was too large, and ended before all were tried.
	Cut bool `json:"cut,omitempty"`
}

const (
	// maxGroupVisits bounds the cost of one answer about a group.
	//
	//orrery:limit answers; nodes that are filtered in trials of a PodGroup; the trials end
	maxGroupVisits = 2_000_000
	// maxDomains bounds the domains that are tried, maxShownDomains those in an answer.
	//
	//orrery:limit answers; domains of a topology key in which a PodGroup is tried; the others are left out, by name
	maxDomains = 200
	//orrery:limit answers; domains of a topology key in an answer; those that lack more are left out
	maxShownDomains = 10
)

// wantedPods are pods of one group of which a number has to get a place.
type wantedPods struct {
	pods   []*v1.Pod
	needed int
}

// findRoom tries where the pods of groups fit together: in each domain of the first topology key, or of those domains only in which pods are
// already, or in the whole cluster.
func (s *gangSearch) findRoom(topology []string, wanted []wantedPods, in []string) (*PodGroupRoom, error) {
	room := &PodGroupRoom{Domains: []PodGroupDomain{}}
	for _, w := range wanted {
		room.Needed += w.needed
		room.Absent += max(w.needed-len(w.pods), 0)
	}
	if room.Needed == 0 {
		return nil, nil
	}
	domains := []PodGroupDomain{{Nodes: s.engine.Store().Len(world.Node)}}
	if len(topology) > 0 {
		room.Key = topology[0]
		domains = s.domainsOf(room.Key, in)
	}
	if room.All = len(domains); room.All > maxDomains {
		domains = domains[:maxDomains]
	}
	for i := range domains {
		if err := s.tryDomain(room.Key, &domains[i], wanted, false); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(domains, func(a, b PodGroupDomain) int { return cmp.Compare(b.Placed, a.Placed) })
	room.Domains = append(room.Domains, domains[:min(len(domains), maxShownDomains)]...)
	if len(room.Domains) == 0 {
		return room, nil
	}
	if first := &room.Domains[0]; first.Placed < room.Needed {
		return room, s.tryDomain(room.Key, first, wanted, true)
	}
	room.Fits = true
	return room, nil
}

// domainsOf are the domains of a topology key by name: all, or those that are named.
func (s *gangSearch) domainsOf(key string, named []string) []PodGroupDomain {
	nodes := map[string]int{}
	for o := range s.engine.Store().Objects(world.Node) {
		if domain, has := o.GetLabels()[key]; has && (len(named) == 0 || slices.Contains(named, domain)) {
			nodes[domain]++
		}
	}
	var all []PodGroupDomain
	for _, domain := range slices.Sorted(maps.Keys(nodes)) {
		all = append(all, PodGroupDomain{Domain: domain, Nodes: nodes[domain]})
	}
	return all
}

// placedIn are the domains of the first topology key in which members are: the others have to join them.
func (s *gangSearch) placedIn(topology []string) []string {
	if len(topology) == 0 {
		return nil
	}
	assumed := map[world.PodRef]string{}
	for _, b := range s.engine.Bindings() {
		assumed[b.Pod] = b.Node
	}
	in := map[string]bool{}
	for _, m := range s.members {
		name := cmp.Or(m.Pod.Spec.NodeName, assumed[world.PodRefOf(m.Pod)])
		if node := s.engine.Store().Node(name); node != nil {
			if domain, has := node.Labels[topology[0]]; has {
				in[domain] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(in))
}

// tryDomain places the pods in a domain, on a copy. If it explains, the domain gets the first pod without a place, and why it has none.
func (s *gangSearch) tryDomain(key string, d *PodGroupDomain, wanted []wantedPods, explains bool) error {
	d.Placed, d.Lacks, d.Cut = 0, 0, false
	t, err := s.engine.Trial()
	if err != nil {
		return err
	}
	for _, w := range wanted {
		pods := make([]*v1.Pod, len(w.pods))
		for i, pod := range w.pods {
			pods[i] = pod
			if key != "" {
				pods[i] = boundTo(pod, key, d.Domain)
			}
		}
		p := s.newPlacement(t, pods, w.needed)
		p.onFirst = func(pod *v1.Pod) error {
			if !explains || d.First != "" {
				return nil
			}
			why, err := whyNotIn(t.Engine(), pod, key, d.Domain)
			d.First, d.Why = pod.Name, why
			return err
		}
		if err := p.run(); err != nil {
			return err
		}
		d.Placed += p.placed
		d.Lacks += max(w.needed-p.placed, 0)
		d.Cut = d.Cut || p.cut
	}
	return nil
}

// boundTo returns a pod that may go to the nodes of a domain only.
func boundTo(pod *v1.Pod, key, domain string) *v1.Pod {
	bound := *pod
	bound.ResourceVersion = "" // so that it replaces the pod
	bound.Spec.NodeSelector = maps.Clone(pod.Spec.NodeSelector)
	if bound.Spec.NodeSelector == nil {
		bound.Spec.NodeSelector = map[string]string{}
	}
	bound.Spec.NodeSelector[key] = domain
	return &bound
}

// maxDomainReasons bounds the reasons of a domain's nodes.
//
//orrery:limit answers; reasons of the nodes of a domain in an answer; the rarer ones are left out
const maxDomainReasons = 5

// whyNotIn returns the reasons of a domain's nodes against a pod, each with how many nodes have it, the most frequent first.
func whyNotIn(e *engine.Engine, pod *v1.Pod, key, domain string) ([]string, error) {
	if key != "" {
		if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Modified, Object: pod}}); err != nil {
			return nil, err
		}
	}
	x, err := e.Explain(pod.Namespace, pod.Name)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i := range x.Nodes {
		n := &x.Nodes[i]
		if node := e.Store().Node(n.Node); key != "" && (node == nil || node.Labels[key] != domain) {
			continue
		}
		for _, s := range n.Statuses {
			if s.Code == fwk.Success || s.Code == fwk.Skip {
				continue
			}
			counts[strings.Join(s.Reasons, ", ")+" ("+s.Plugin+")"]++
			break // as in a pod's condition, a node counts for the first plugin that rejects it
		}
	}
	order := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	var why []string
	for _, reason := range order[:min(len(order), maxDomainReasons)] {
		why = append(why, fmt.Sprintf("%s: %s", plural.Count(counts[reason], "node"), reason))
	}
	return why, nil
}
