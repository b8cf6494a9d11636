package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/engine"
)

// Shortage is a resource with too little free on each of the nodes. Amounts are in millicores for cpu and in whole
// units otherwise.
type Shortage struct {
	Resource  v1.ResourceName `json:"resource"`
	Requested int64           `json:"requested"`
	// Containers are the parts of the request, if one container does not make all of it.
	Containers []ContainerRequest `json:"containers,omitempty"`
	// MostFree is the largest free amount of the nodes, on the node Nearest, where Allocatable is what it has for pods.
	// Missing is how much more would suffice there: on an overcommitted node more than the difference.
	MostFree    int64  `json:"mostFree"`
	Missing     int64  `json:"missing"`
	Nearest     string `json:"nearest"`
	Allocatable int64  `json:"allocatable"`
	// Nominated pods hold room on Nearest; Requesters are the pods with the largest requests there.
	Nominated  []PodRequest `json:"nominated,omitempty"`
	Requesters []PodRequest `json:"requesters,omitempty"`
	// Rooms are the nearest nodes, Nearest among them.
	Rooms []Room `json:"nearestNodes,omitempty"`
	// Largest is the largest allocatable amount of all Nodes nodes.
	Largest int64 `json:"largest"`
	Nodes   int   `json:"nodes"`
	// TooSmall is the number of nodes that NodeResourcesFit finds too small for all requests even without pods.
	TooSmall int `json:"tooSmall,omitempty"`
}

// PodRequest is what a pod requests of one resource.
type PodRequest struct {
	Pod      string `json:"pod"` // namespace/name
	Amount   int64  `json:"amount"`
	Priority int32  `json:"priority"`
}

// maxRequesters bounds the pods in a Shortage.
//
//orrery:limit answers; pods of a shortage that are named; the others are left out
const maxRequesters = 5

// fitEvidence is the evidence of a reason of NodeResourcesFit, taken from the node nearest to being enough.
func (p *pendingPod) fitEvidence(x *engine.Explanation, message string, nodes []string) Evidence {
	name, ok := strings.CutPrefix(message, "Insufficient ")
	switch {
	case len(nodes) == 0:
		return nil
	case ok:
		s := p.shortageOf(v1.ResourceName(name), nodes)
		s.TooSmall = tooSmall(x)
		return s
	}
	l := &PodLimit{}
	for _, node := range nodes {
		if info := p.nodes[node]; info != nil && (l.Nearest == "" || info.GetAllocatable().GetAllowedPodNumber() > l.Allowed) {
			*l = PodLimit{node, len(info.GetPods()), len(p.nominated(node)), info.GetAllocatable().GetAllowedPodNumber()}
		}
	}
	return l
}

// tooSmall counts the nodes where NodeResourcesFit says that no eviction would help.
func tooSmall(x *engine.Explanation) int {
	n := 0
	for i := range x.Nodes {
		if slices.ContainsFunc(x.Nodes[i].Statuses, func(s engine.PluginStatus) bool {
			return s.Plugin == fitPlugin && s.Code == fwk.UnschedulableAndUnresolvable
		}) {
			n++
		}
	}
	return n
}

// PodLimit is a node that has as many pods as it may have: of several, the one that may have the most.
type PodLimit struct {
	Nearest string `json:"nearest"`
	Pods    int    `json:"pods"`
	// Nominated pods will come besides.
	Nominated int `json:"nominated,omitempty"`
	Allowed   int `json:"allowed"`
}

// Facts implements Evidence.
func (l *PodLimit) Facts() []string {
	text := fmt.Sprintf("nearest is %s: %d of %s", l.Nearest, l.Pods, plural.Count(l.Allowed, "allowed pod"))
	if l.Nominated > 0 {
		text += ", and " + plural.Count(l.Nominated, "pod") + " nominated here"
	}
	return []string{text}
}

// Hint implements Evidence.
func (l *PodLimit) Hint() string { return "" }

func (p *pendingPod) shortageOf(name v1.ResourceName, nodes []string) *Shortage {
	s := &Shortage{
		Resource: name, Requested: amountOf(requests.Of(p.pod, resourcehelper.PodResourcesOptions{}), name),
		Containers: containerRequests(p.pod, name), Nodes: len(p.nodes),
	}
	for _, info := range p.nodes {
		s.Largest = max(s.Largest, requests.AmountIn(info.GetAllocatable(), name))
	}
	var nearest *cache.NodeInfo
	for _, node := range nodes {
		info := p.nodes[node]
		if info == nil {
			continue
		}
		if free := p.free(info, name); nearest == nil || free > s.MostFree {
			s.MostFree, nearest = free, info
		}
	}
	s.Rooms = p.rooms(name, s.Requested, nodes)
	s.Missing, s.MostFree = saturating.Sub(s.Requested, s.MostFree), max(s.MostFree, 0)
	if nearest == nil {
		return s
	}
	s.Nearest, s.Allocatable = nearest.Node().Name, requests.AmountIn(nearest.GetAllocatable(), name)
	s.Nominated = podRequests(p.nominated(s.Nearest), name)
	bound := make([]*v1.Pod, 0, len(nearest.GetPods()))
	for _, info := range nearest.GetPods() {
		bound = append(bound, info.GetPod())
	}
	s.Requesters = podRequests(bound, name)
	s.Requesters = s.Requesters[:min(len(s.Requesters), maxRequesters)]
	return s
}

// free is what the node has left for the pod as Filter counts it: nominated pods hold their room. It is negative on an
// overcommitted node.
func (p *pendingPod) free(node *cache.NodeInfo, name v1.ResourceName) int64 {
	free := requests.Free(node, name)
	for _, pod := range p.nominated(node.Node().Name) {
		free = saturating.Sub(free, amountOf(requests.Of(pod, resourcehelper.PodResourcesOptions{}), name))
	}
	return free
}

// nominated are the pods nominated for a node that the pod has to leave room for.
func (p *pendingPod) nominated(node string) []*v1.Pod {
	var pods []*v1.Pod
	for _, info := range p.nominatedInfos(node) {
		pods = append(pods, info.GetPod())
	}
	return pods
}

func (p *pendingPod) nominatedInfos(node string) []fwk.PodInfo {
	var infos []fwk.PodInfo
	for _, info := range p.engine.Queue().NominatedPodsForNode(node) {
		if pod := info.GetPod(); pod.UID != p.pod.UID && corev1.PodPriority(pod) >= corev1.PodPriority(p.pod) {
			infos = append(infos, info)
		}
	}
	return infos
}

// podRequests returns the pods that request a resource, the largest request first.
func podRequests(pods []*v1.Pod, name v1.ResourceName) []PodRequest {
	var list []PodRequest
	for _, pod := range pods {
		if amount := amountOf(requests.Of(pod, resourcehelper.PodResourcesOptions{}), name); amount > 0 {
			list = append(list, PodRequest{fullName(pod), amount, corev1.PodPriority(pod)})
		}
	}
	slices.SortFunc(list, func(a, b PodRequest) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Pod, b.Pod))
	})
	return list
}

// Never reports that not even an empty node of this cluster has enough, of this resource or of all together.
func (s *Shortage) Never() bool { return s.Requested > s.Largest || s.TooSmall == s.Nodes }

// String compares the two amounts.
func (s *Shortage) String() string {
	requested := formatAmount(s.Resource, s.Requested)
	switch {
	case s.Largest == 0:
		return fmt.Sprintf("requests %s; no node offers %s", requested, s.Resource)
	case s.Requested <= s.Largest && s.Never():
		return fmt.Sprintf("requests %s; none of %s is large enough for all its requests, even without pods: no node here can ever hold it",
			requested, plural.Count(s.Nodes, "node"))
	case s.Never():
		return fmt.Sprintf("requests %s; the largest of %s has %s allocatable: no node here can ever hold it",
			requested, plural.Count(s.Nodes, "node"), formatAmount(s.Resource, s.Largest))
	}
	return fmt.Sprintf("requests %s, at most %s free there", requested, formatAmount(s.Resource, s.MostFree))
}

// Facts implements Evidence.
func (s *Shortage) Facts() []string { return s.facts(true, "there") }

// FactsBeside implements Drawable: a chart of Rooms shows the nearest node, which the other facts then name.
func (s *Shortage) FactsBeside(chart bool) []string { return s.facts(!chart, "on "+s.Nearest) }

func (s *Shortage) facts(nearest bool, where string) []string {
	facts := []string{}
	if s.Never() {
		facts = append(facts, s.String())
	}
	if len(s.Containers) > 0 {
		parts := make([]string, len(s.Containers))
		for i := range s.Containers {
			parts[i] = s.Containers[i].text(s.Resource)
		}
		facts = append(facts, "its request is "+strings.Join(parts, " + "))
	}
	if s.Allocatable == 0 {
		return facts
	}
	if nearest {
		facts = append(facts, s.nearest())
	}
	if len(s.Requesters) > 0 {
		largest := make([]string, len(s.Requesters))
		for i, r := range s.Requesters {
			largest[i] = fmt.Sprintf("%s %s", r.Pod, formatAmount(s.Resource, r.Amount))
			if r.Priority != 0 {
				largest[i] += fmt.Sprintf(" (priority %d)", r.Priority)
			}
		}
		facts = append(facts, "largest requests "+where+": "+strings.Join(largest, ", "))
	}
	return facts
}

func (s *Shortage) nearest() string {
	near := fmt.Sprintf("nearest is %s: %s of %s free, %s short", s.Nearest, formatAmount(s.Resource, s.MostFree),
		formatAmount(s.Resource, s.Allocatable), formatAmount(s.Resource, s.Missing))
	for _, held := range s.Nominated {
		near += fmt.Sprintf("; %s held for %s, nominated here", formatAmount(s.Resource, held.Amount), held.Pod)
	}
	return near
}

// Hint implements Evidence.
func (s *Shortage) Hint() string {
	if s.Largest == 0 {
		return fmt.Sprintf("would fit on a node that offers %s %s", formatAmount(s.Resource, s.Requested), s.Resource)
	}
	if s.Requested > s.Largest {
		return fmt.Sprintf("would fit on a node with %s %s free; none is that large", formatAmount(s.Resource, s.Requested), s.Resource)
	}
	return fmt.Sprintf("would fit with %s more %s free on one node, or with as much less requested", formatAmount(s.Resource, s.Missing), s.Resource)
}
