package pool_test

import (
	"bytes"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/pool"
	"orrery/core/testing/fuzz"
	"orrery/core/testing/mk"
)

// isLine fails where an error is not one line that can be shown.
func isLine(t *testing.T, err error) {
	if err != nil {
		fuzz.Error(t, err)
	}
}

// FuzzRead reads files of pools, NodePools and NodeClaims, and asks whether they take pods.
//
//orrery:reads core/answers/pool
func FuzzRead(f *testing.F) {
	f.Add([]byte(nodePools), []byte("a"))
	f.Add([]byte("a cpu=1,zone=b,taint=k=v:NoSchedule max=2 weight=3\na cpu=2\n"), []byte("b"))
	f.Add([]byte(`{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "a"}, "spec": {"limits": {"cpu": "1e-100"}}}`), []byte("c"))
	f.Add([]byte(`{"metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "4"}}}`), []byte("d"))
	f.Fuzz(func(t *testing.T, text, value []byte) {
		node, _, err := pool.ClaimedNode(text)
		isLine(t, err)
		pools, err := pool.Read("f", bytes.NewReader(text))
		isLine(t, err)
		if node != nil {
			pools = pool.Observe(pools, []*v1.Node{node})
		}
		pod := mk.Pod("p").CPU("1").NodeSelector(v1.LabelTopologyZone, string(value)).Obj()
		for _, p := range pools {
			_ = p.Contradiction(pod)
			_, err := pool.ShapeOf(pools, p.Name)
			isLine(t, err)
		}
	})
}
