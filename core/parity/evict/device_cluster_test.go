package evict

import (
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// deviceCluster has the API server's objects. It works alike for both controllers, and turns steps and writes into watch
// events.
type deviceCluster struct {
	objects map[string]world.Object // by kind and name
	fails   map[types.UID]int       // how many more deletions of a pod fail
	actions []actionRecord
}

func newDeviceCluster() *deviceCluster {
	return &deviceCluster{objects: map[string]world.Object{}, fails: map[types.UID]int{}}
}

// objectChange is an object's new state, or its deletion.
type objectChange struct {
	object  world.Object
	dropped bool
}

func objectKey(o world.Object) string {
	return fmt.Sprintf("%s %s/%s", world.KindOf(o), o.GetNamespace(), o.GetName())
}

func (c *deviceCluster) record(at time.Time, what, actions string) {
	c.actions = append(c.actions, actionAt(at, what, actions))
}

// pods returns the pods by namespace/name.
func (c *deviceCluster) pods() map[string]*v1.Pod {
	pods := map[string]*v1.Pod{}
	for _, name := range podNames {
		if pod := c.pod(name); pod != nil {
			pods[name] = pod
		}
	}
	return pods
}

func (c *deviceCluster) pod(name string) *v1.Pod {
	pod, _ := c.objects["Pod "+name].(*v1.Pod)
	return pod
}

func (c *deviceCluster) set(o world.Object) []objectChange {
	c.objects[objectKey(o)] = o
	return []objectChange{{object: o}}
}

func (c *deviceCluster) drop(key string) []objectChange {
	had := c.objects[key]
	if had == nil {
		return nil
	}
	delete(c.objects, key)
	return []objectChange{{object: had, dropped: true}}
}

// step applies a step.
func (c *deviceCluster) step(s deviceStep) []objectChange {
	switch s.verb {
	case setSlice:
		slice := s.sliceObject()
		if had := c.objects[objectKey(slice)]; had != nil {
			slice.UID = had.GetUID()
		}
		return c.set(slice)
	case dropSlice:
		return c.drop("ResourceSlice /" + s.name)
	case setRule:
		return c.set(c.ruleOf(s))
	case dropRule:
		return c.drop("DeviceTaintRule /" + s.name)
	case setClaim:
		return c.set(c.claimOf(s))
	case dropClaim:
		return c.drop("ResourceClaim " + s.name)
	case setPod:
		return c.set(c.podOf(s))
	}
	return c.end(s.name)
}

// ruleOf returns a rule with a new spec, keeping its UID and status.
func (c *deviceCluster) ruleOf(s deviceStep) *resourcev1alpha3.DeviceTaintRule {
	rule := &resourcev1alpha3.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: s.name, UID: s.uid}, Spec: s.rule}
	if had, ok := c.objects["DeviceTaintRule /"+s.name].(*resourcev1alpha3.DeviceTaintRule); ok {
		rule.UID, rule.Status = had.UID, had.Status
		if rule.Generation = had.Generation; !equality.Semantic.DeepEqual(rule.Spec, had.Spec) {
			rule.Generation++
		}
	}
	return rule
}

// claimOf returns a changed claim, keeping its UID and its allocation, which can only be removed.
func (c *deviceCluster) claimOf(s deviceStep) *resourcev1.ResourceClaim {
	claim := s.claimObject(c.pods())
	if had, ok := c.objects["ResourceClaim "+s.name].(*resourcev1.ResourceClaim); ok {
		claim.UID, claim.OwnerReferences = had.UID, had.OwnerReferences
		if had.Status.Allocation != nil && claim.Status.Allocation != nil {
			claim.Status.Allocation = had.Status.Allocation
		}
	}
	return claim
}

// podOf returns a changed pod, keeping its UID and, once set, its node.
func (c *deviceCluster) podOf(s deviceStep) *v1.Pod {
	pod := s.podObject()
	if had := c.pod(s.name); had != nil {
		pod.UID, pod.Status = had.UID, had.Status
		if had.Spec.NodeName != "" {
			pod.Spec.NodeName = had.Spec.NodeName
		}
		return pod
	}
	c.fails[pod.UID] = s.fails
	return pod
}

// end removes a pod, also from its claims' reservedFor.
func (c *deviceCluster) end(name string) []objectChange {
	pod := c.pod(name)
	if pod == nil {
		return nil
	}
	changes := c.drop("Pod " + name)
	for _, key := range slices.Sorted(maps.Keys(c.objects)) {
		claim, ok := c.objects[key].(*resourcev1.ResourceClaim)
		if !ok {
			continue
		}
		isPod := func(r resourcev1.ResourceClaimConsumerReference) bool { return r.UID == pod.UID }
		if slices.ContainsFunc(claim.Status.ReservedFor, isPod) {
			claim = claim.DeepCopy()
			claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, isPod)
			changes = append(changes, c.set(claim)...)
		}
	}
	return changes
}

// mark applies a pod's status patch.
func (c *deviceCluster) mark(at time.Time, name string, condition v1.PodCondition) []objectChange {
	c.record(at, name, fmt.Sprintf("patched: %s, %s", condition.Reason, condition.Message))
	pod := c.pod(name).DeepCopy()
	pod.Status.Conditions = []v1.PodCondition{condition}
	return c.set(pod)
}

// delete deletes a pod, or fails as often as the step says.
func (c *deviceCluster) delete(at time.Time, name string) (changes []objectChange, done bool) {
	if pod := c.pod(name); c.fails[pod.UID] > 0 {
		c.fails[pod.UID]--
		c.record(at, name, "deletion fails")
		return nil, false
	}
	c.record(at, name, "deleted")
	return c.end(name), true
}

// report sets a condition of a rule's status, with whole seconds.
func (c *deviceCluster) report(at time.Time, name string, condition metav1.Condition) []objectChange {
	c.record(at, name, fmt.Sprintf("%s=%s of generation %d: %s", condition.Reason, condition.Status, condition.ObservedGeneration, condition.Message))
	had, ok := c.objects["DeviceTaintRule /"+name].(*resourcev1alpha3.DeviceTaintRule)
	if !ok {
		return nil
	}
	rule := had.DeepCopy()
	condition.LastTransitionTime = metav1.Time{Time: condition.LastTransitionTime.Truncate(time.Second)}
	rule.Status.Conditions = []metav1.Condition{condition}
	return c.set(rule)
}
