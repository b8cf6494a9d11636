package live_test

import (
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// placements follow where pods are, to tell how long small ones waited, and whether any came to a full node.
type placements struct {
	mu    sync.Mutex
	pods  []map[string]onNode  // by node
	began map[string]time.Time // when each small pod was about to be created
	waits []time.Duration
	full  []string
}

// onNode is a pod on a node.
type onNode struct {
	cpu  int64
	seen time.Time
}

// known is how long ago a pod must have come to a node for the scheduler to have to know it.
const known = 5 * time.Second

func newPlacements(nodes int) *placements {
	p := &placements{pods: make([]map[string]onNode, nodes), began: map[string]time.Time{}}
	p.restart()
	return p
}

// restart forgets where pods are, as all are told of anew.
func (p *placements) restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.pods {
		p.pods[i] = map[string]onNode{}
	}
}

func (p *placements) follow(changes <-chan watch.Event) {
	for change := range changes {
		if pod, ok := change.Object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
			p.take(pod, change.Type == watch.Deleted, time.Now())
		}
	}
}

func (p *placements) take(pod *v1.Pod, deleted bool, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var node int
	if _, err := fmt.Sscanf(pod.Spec.NodeName, "node-%d", &node); err != nil {
		return
	}
	there := p.pods[node]
	if deleted {
		delete(there, pod.Name)
		return
	}
	if _, again := there[pod.Name]; again {
		return
	}
	cpu := pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue()
	if began, small := p.began[pod.Name]; small {
		p.waits = append(p.waits, now.Sub(began).Round(time.Millisecond))
		delete(p.began, pod.Name)
		sum := cpu
		for _, other := range there {
			if now.Sub(other.seen) > known {
				sum += other.cpu
			}
		}
		if sum > 8000 {
			p.full = append(p.full, fmt.Sprintf("%s came to %s, whose pods request %dm of 8000m then", pod.Name, pod.Spec.NodeName, sum))
		}
	}
	there[pod.Name] = onNode{cpu: cpu, seen: now}
}

// begin notes that a small pod is about to be created.
func (p *placements) begin(pod string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began[pod] = time.Now()
}

// placed checks that n small pods have a node.
func (p *placements) placed(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waits) < n {
		return fmt.Errorf("%d small pods have a node, want %d", len(p.waits), n)
	}
	return nil
}

// result returns how long small pods waited, in order, and which came to full nodes.
func (p *placements) result() (waits []time.Duration, full []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.Sort(p.waits)
	return p.waits, p.full
}
