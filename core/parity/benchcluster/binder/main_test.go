package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"orrery/core/parity/apiserver"
)

// Each pod is bound once, to the next node, and each binding has an event if they are asked for.
func TestBind_EachPodOnce(t *testing.T) {
	for _, events := range []bool{false, true} {
		t.Run(fmt.Sprintf("events=%t", events), func(t *testing.T) {
			client := fake.NewClientset(apiserver.Node(0, "1", "1Gi", "9"), apiserver.Node(1, "1", "1Gi", "9"))
			for i := range 6 {
				if err := client.Tracker().Add(apiserver.Pod(fmt.Sprint("pod-", i), "1", "1Gi")); err != nil {
					t.Fatal(err)
				}
			}
			ctx, done := context.WithCancel(t.Context())
			var mu sync.Mutex
			bound, written := map[string]int{}, 0
			client.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
				mu.Lock()
				defer mu.Unlock()
				create := action.(clienttesting.CreateAction)
				switch object := create.GetObject().(type) {
				case *v1.Binding:
					bound[object.Name]++
				default:
					written++
				}
				if len(bound) == 6 && (written == 6 || !events) {
					done()
				}
				return true, create.GetObject(), nil
			})
			if err := bind(ctx, client, options{calls: 2, events: events}); err != nil {
				t.Fatal(err)
			}
			if counts := slices.Collect(maps.Values(bound)); !slices.Equal(counts, []int{1, 1, 1, 1, 1, 1}) || (written == 6) != events {
				t.Errorf("bound %v, with %d events", bound, written)
			}
		})
	}
}
