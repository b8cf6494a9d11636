package cache

import (
	"fmt"
	"sync"
	"testing"

	"orrery/core/testing/mk"
)

// The race detector finds it: forks share memory that neither may write.
func TestFork_ConcurrentUse(t *testing.T) {
	c := New()
	for i := range 20 {
		node := fmt.Sprint("n", i)
		c.AddNode(mk.Node(node).Image(1, "app").Obj())
		mustAdd(t, c,
			mk.Pod("a"+node).Node(node).PVC("v").HostPort(80).Request("example.com/gpu", "1").Obj(),
			mk.Pod("b"+node).Node(node).Obj(), mk.Pod("c"+node).Node(node).Obj())
	}
	s := refreshed(t, c, NewSnapshot())
	var running sync.WaitGroup
	for range 4 {
		fork, snapshot := c.Fork(), s.Fork()
		running.Go(func() {
			for i := range 20 {
				node := fmt.Sprint("n", i)
				fork.AddNode(mk.Node(node).Zone("z").Image(1, "app").Image(1, node).Obj())
				errs := []error{
					fork.RemovePod(mk.Pod("b" + node).Obj()),
					fork.AddPod(mk.Pod("d"+node).Node(node).PVC("w").HostPort(81).Request("example.com/gpu", "1").Obj()),
					fork.UpdateSnapshot(snapshot),
					fork.Fork().RemovePod(mk.Pod("a" + node).Obj()),
				}
				snapshot.list[i].Snapshot().(*NodeInfo).AddPod(mk.Pod("e").HostPort(82).Obj())
				for _, err := range errs {
					if err != nil {
						t.Error(err)
					}
				}
			}
			if err := fork.Check(); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	same(t, "the original", "", errorText(c.Check()))
	for _, info := range refreshed(t, c, s).list {
		name := info.Node().Name
		same(t, "pods of "+name, []string{"a" + name, "b" + name, "c" + name}, podNames(info.GetPods()))
	}
}
