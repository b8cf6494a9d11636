package live_test

import (
	"fmt"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"orrery/core/parity/apiserver"
)

// workload is mixed traffic: pods of many templates, created in bursts or one by one, deleted pods, nodes that change and are
// added, pods that are pending for a node, and pods that preempt.
type workload struct {
	*fixture
	random *rand.Rand
	nodes  int
	made   int            // number of pods so far
	of     map[string]int // and of pods of each template
}

// Labels and taints of nodes for some pods.
const (
	pool = "pool"
	slow = "slow"
)

// workloadNodes returns nodes of several sizes in three zones. Some have a PreferNoSchedule taint, and three small ones a
// NoSchedule taint.
func workloadNodes(n int) []*v1.Node {
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

func newWorkload(s *fixture, nodes int) *workload {
	s.priorities()
	return &workload{fixture: s, random: rand.New(rand.NewPCG(1, 2)), nodes: nodes, of: map[string]int{}}
}

// burst creates n pods at once with several clients. wait waits for the last of them.
func (m *workload) burst(n int) (wait func()) {
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

// wave creates n pods one by one, while other pods are deleted and nodes change.
func (m *workload) wave(n int) {
	m.t.Helper()
	podsToDelete := m.podsToDelete(n / 5)
	for i := range n {
		if _, err := m.create(m.pod()); err != nil {
			m.t.Fatal(err)
		}
		if i%5 == 4 && len(podsToDelete) > 0 {
			_ = m.client.CoreV1().Pods(metav1.NamespaceDefault).Delete(m.ctx, podsToDelete[0], metav1.DeleteOptions{}) // it may have been preempted
			podsToDelete = podsToDelete[1:]
		}
	}
	m.cordon(m.random.IntN(m.nodes), m.made%2 == 0)
}

// podsToDelete returns some bound pods.
func (m *workload) podsToDelete(n int) (names []string) {
	all := m.list()
	for _, i := range m.random.Perm(len(all)) {
		if len(names) < n && all[i].Spec.NodeName != "" {
			names = append(names, all[i].Name)
		}
	}
	return names
}

func (m *workload) cordon(number int, on bool) {
	m.t.Helper()
	nodes := m.client.CoreV1().Nodes()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { // controllers write the nodes, too
		node, err := nodes.Get(m.ctx, fmt.Sprintf("node-%d", number), metav1.GetOptions{})
		if err != nil {
			return err
		}
		node.Spec.Unschedulable = on
		_, err = nodes.Update(m.ctx, node, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// waitBound waits until every pod is bound except those pending for a new node.
func (m *workload) waitBound() {
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

// addNode adds the node that some pods are pending for, and waits until they are bound.
func (m *workload) addNode() {
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

// template changes a pod. limit bounds the number of its pods; 0 means no limit.
type template struct {
	name   string
	weight int
	limit  int
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
	{"never-preempts", 4, 0, func(p *v1.Pod) { p.Spec.PriorityClassName = "never-preempts" }},
	{"late", 1, 20, func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }},
}

// pod returns the next pod.
func (m *workload) pod() *v1.Pod {
	sum := 0
	for _, t := range templates {
		sum += t.weight
	}
	t := &templates[0]
	at := m.random.IntN(sum)
	for i := range templates {
		if at -= templates[i].weight; at < 0 {
			if limit := templates[i].limit; limit == 0 || m.of[templates[i].name] < limit {
				t = &templates[i]
			}
			break
		}
	}
	app := t.name
	if t.limit == 0 {
		app = fmt.Sprintf("%s-%d", t.name, m.random.IntN(4))
	}
	pod := m.newPod(t.name, fmt.Sprintf("%dm", 20+30*m.random.IntN(6)), fmt.Sprintf("%dMi", 16+48*m.random.IntN(4)))
	pod.Labels = map[string]string{"app": app}
	t.make(pod)
	m.of[t.name]++
	return pod
}

// newPod returns the next pod without a template. Its grace period is 0, since there is no kubelet.
func (m *workload) newPod(name, cpu, memory string) *v1.Pod {
	pod := apiserver.Pod(fmt.Sprintf("%s-%d", name, m.made), cpu, memory)
	pod.Spec.TerminationGracePeriodSeconds = new(int64)
	m.made++
	return pod
}

// preemptOnSmallNodes fills the small nodes, and then creates pods of higher priority that preempt there. Each of these
// waits for the one before: of two that evict the same pod at once, kube-scheduler may forget one for five minutes.
func (m *workload) preemptOnSmallNodes() {
	m.t.Helper()
	for range 6 {
		m.add(m.onSmallNode("small", ""))
	}
	m.waitBound()
	for range 3 {
		m.add(m.onSmallNode("smallhigh", "high"))
		m.waitBound()
	}
	if left := len(m.list()); left >= 9 {
		m.t.Errorf("%d pods are on the small nodes: none was preempted", left)
	}
}

// onSmallNode returns the next pod, one that fits the small nodes only, two on each.
func (m *workload) onSmallNode(name, class string) *v1.Pod {
	pod := m.newPod(name, "450m", "32Mi")
	pod.Spec.NodeSelector = map[string]string{pool: "small"}
	pod.Spec.Tolerations = []v1.Toleration{{Key: pool, Operator: v1.TolerationOpExists}}
	pod.Spec.PriorityClassName = class
	return pod
}
