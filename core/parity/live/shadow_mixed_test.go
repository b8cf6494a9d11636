package live_test

import (
	"fmt"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
)

// mixture is a cluster's traffic: pods of many templates that come at once or a few at a time, pods that leave, nodes that
// change and come, pods that wait for a node and pods that make room for themselves.
type mixture struct {
	*scene
	chance *rand.Rand
	nodes  int
	made   int            // pods so far
	of     map[string]int // and of each template
}

// The labels of nodes that only some pods ask for.
const (
	pool = "pool"
	slow = "slow"
)

// mixtureNodes are nodes of several sizes in three zones. Some are better avoided, and three are small and for those only
// who ask for them.
func mixtureNodes(n int) []*v1.Node {
	var nodes []*v1.Node
	for i := range n {
		node := apiserver.Node(i, fmt.Sprint(4+4*(i%3)), fmt.Sprintf("%dGi", 8+8*(i%2)), "110")
		if i%7 == 0 {
			node.Spec.Taints = []v1.Taint{{Key: slow, Effect: v1.TaintEffectPreferNoSchedule}}
		}
		nodes = append(nodes, node)
	}
	for i := range 3 {
		node := apiserver.Node(n+i, "1", "4Gi", "110")
		node.Labels[pool] = "small"
		node.Spec.Taints = []v1.Taint{{Key: pool, Value: "small", Effect: v1.TaintEffectNoSchedule}}
		nodes = append(nodes, node)
	}
	return nodes
}

func newMixture(s *scene, nodes int) *mixture {
	s.priorities()
	return &mixture{scene: s, chance: rand.New(rand.NewPCG(1, 2)), nodes: nodes, of: map[string]int{}}
}

// burst has so many pods come at once, from several clients. The wait is for the last of them.
func (m *mixture) burst(n int) (wait func()) {
	pods := make([]*v1.Pod, n)
	for i := range pods {
		pods[i] = m.pod()
	}
	made := make(chan error, 1)
	go func() {
		several := errgroup.Group{}
		several.SetLimit(16)
		for _, pod := range pods {
			several.Go(func() error {
				_, err := m.create(pod)
				return err
			})
		}
		made <- several.Wait()
	}()
	return func() {
		m.t.Helper()
		if err := <-made; err != nil {
			m.t.Fatal(err)
		}
	}
}

// wave has so many pods come one after the other, while some others leave and nodes change.
func (m *mixture) wave(n int) {
	m.t.Helper()
	leaving := m.leaving(n / 5)
	for i := range n {
		if _, err := m.create(m.pod()); err != nil {
			m.t.Fatal(err)
		}
		if i%5 == 4 && len(leaving) > 0 {
			_ = m.client.CoreV1().Pods(metav1.NamespaceDefault).Delete(m.ctx, leaving[0], metav1.DeleteOptions{}) // preempted before, perhaps
			leaving = leaving[1:]
		}
	}
	m.cordon(m.chance.IntN(m.nodes), m.made%2 == 0)
}

// leaving are some pods that have a node.
func (m *mixture) leaving(n int) (names []string) {
	all := m.list()
	for _, i := range m.chance.Perm(len(all)) {
		if len(names) < n && all[i].Spec.NodeName != "" {
			names = append(names, all[i].Name)
		}
	}
	return names
}

func (m *mixture) cordon(number int, on bool) {
	m.t.Helper()
	node, err := m.client.CoreV1().Nodes().Get(m.ctx, fmt.Sprintf("node-%d", number), metav1.GetOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	node.Spec.Unschedulable = on
	if _, err := m.client.CoreV1().Nodes().Update(m.ctx, node, metav1.UpdateOptions{}); err != nil {
		m.t.Fatal(err)
	}
}

// settled waits until every pod has a node but those that wait for one to come.
func (m *mixture) settled() {
	m.t.Helper()
	m.eventually(func() error {
		waiting := 0
		for _, pod := range m.list() {
			if pod.Spec.NodeName == "" && pod.Spec.NodeSelector["disk"] == "" {
				waiting++
			}
		}
		if waiting > 0 {
			return fmt.Errorf("%d pods have no node", waiting)
		}
		return nil
	})
}

// helped has the node come that some wait for, and waits until they are on it.
func (m *mixture) helped() {
	m.t.Helper()
	node := apiserver.Node(m.nodes+3, "16", "32Gi", "110")
	node.Labels["disk"] = "ssd"
	created, err := m.client.CoreV1().Nodes().Create(m.ctx, node, metav1.CreateOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	created.Status = node.Status
	if _, err := m.client.CoreV1().Nodes().UpdateStatus(m.ctx, created, metav1.UpdateOptions{}); err != nil {
		m.t.Fatal(err)
	}
	m.eventually(func() error {
		for _, pod := range m.list() {
			if pod.Spec.NodeName == "" {
				return fmt.Errorf("pod %s has no node", pod.Name)
			}
		}
		return nil
	})
}

// template makes what is special about a pod, and most says how many there may be of it; 0 is no limit.
type template struct {
	name   string
	weight int
	most   int
	make   func(*v1.Pod)
}

func sameApp(pod *v1.Pod) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: pod.Labels}
}

func nearby(pod *v1.Pod, key string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{TopologyKey: key, LabelSelector: sameApp(pod)}
}

func spread(pod *v1.Pod, skew int32, key string, when v1.UnsatisfiableConstraintAction) {
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: when, LabelSelector: sameApp(pod),
	}}
}

var templates = []template{
	{"plain", 20, 0, func(*v1.Pod) {}},
	{"spread-zone", 12, 0, func(p *v1.Pod) { spread(p, 1, v1.LabelTopologyZone, v1.DoNotSchedule) }},
	{"spread-host", 8, 0, func(p *v1.Pod) { spread(p, 2, v1.LabelHostname, v1.ScheduleAnyway) }},
	{"apart", 10, 0, func(p *v1.Pod) {
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 10, PodAffinityTerm: nearby(p, v1.LabelHostname)}},
		}}
	}},
	{"alone", 2, 30, func(p *v1.Pod) {
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{nearby(p, v1.LabelHostname)},
		}}
	}},
	{"together", 6, 0, func(p *v1.Pod) {
		p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 40, PodAffinityTerm: nearby(p, v1.LabelTopologyZone)}},
		}}
	}},
	{"beside", 4, 0, func(p *v1.Pod) {
		p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{nearby(p, v1.LabelTopologyZone)},
		}}
	}},
	{"in-zone-1", 10, 0, func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{v1.LabelTopologyZone: "zone-1"} }},
	{"tolerant", 10, 0, func(p *v1.Pod) { p.Spec.Tolerations = []v1.Toleration{{Key: slow, Operator: v1.TolerationOpExists}} }},
	{"port", 2, 30, func(p *v1.Pod) {
		p.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
	}},
	{"urgent", 6, 0, func(p *v1.Pod) { p.Spec.PriorityClassName = "high" }},
	{"patient", 4, 0, func(p *v1.Pod) { p.Spec.PriorityClassName = "patient" }},
	{"late", 1, 20, func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }},
}

// pod is the next one.
func (m *mixture) pod() *v1.Pod {
	sum := 0
	for _, t := range templates {
		sum += t.weight
	}
	t := &templates[0]
	at := m.chance.IntN(sum)
	for i := range templates {
		if at -= templates[i].weight; at < 0 {
			if most := templates[i].most; most == 0 || m.of[templates[i].name] < most {
				t = &templates[i]
			}
			break
		}
	}
	app := t.name
	if t.most == 0 {
		app = fmt.Sprintf("%s-%d", t.name, m.chance.IntN(4))
	}
	pod := m.bare(t.name, fmt.Sprintf("%dm", 20+30*m.chance.IntN(6)), fmt.Sprintf("%dMi", 16+48*m.chance.IntN(4)))
	pod.Labels = map[string]string{"app": app}
	t.make(pod)
	m.of[t.name]++
	return pod
}

// bare is the next pod with nothing special about it. No kubelet has to let it go.
func (m *mixture) bare(name, cpu, memory string) *v1.Pod {
	pod := apiserver.Pod(fmt.Sprintf("%s-%d", name, m.made), cpu, memory)
	pod.Spec.TerminationGracePeriodSeconds = new(int64)
	m.made++
	return pod
}

// pressed has pods fill the small nodes, and then more urgent ones that make room for themselves there.
func (m *mixture) pressed() {
	m.t.Helper()
	for _, come := range []struct {
		n     int
		class string
	}{{6, ""}, {3, "high"}} {
		for range come.n {
			pod := m.bare("small"+come.class, "450m", "32Mi")
			pod.Spec.NodeSelector = map[string]string{pool: "small"}
			pod.Spec.Tolerations = []v1.Toleration{{Key: pool, Operator: v1.TolerationOpExists}}
			pod.Spec.PriorityClassName = come.class
			if _, err := m.create(pod); err != nil {
				m.t.Fatal(err)
			}
		}
		m.settled()
	}
	if left := len(m.list()); left >= 9 {
		m.t.Errorf("%d pods are on the small nodes, and nobody has made room", left)
	}
}
