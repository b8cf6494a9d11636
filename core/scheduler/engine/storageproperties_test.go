package engine_test

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Whatever goes wrong, with and without faults between scheduler and cluster.
func TestStorage_SafeAndAtRest(t *testing.T) {
	t.Parallel()
	ends := map[string]int{}
	for seed := range uint64(*scenarios / 2) {
		for _, faults := range []memory.Faults{{}, storageFaults()} {
			e, c := newStorageEngine(t, seed), storageScenario(seed, faults)
			s := newStorageCheck(t, e, seed, ends)
			drive.Run(c, start.Add(scenarioLength+storageTail), drive.NewScheduler(e, s))
			s.atRest(c)
			if t.Failed() {
				return
			}
		}
	}
	for _, end := range bindingEnds {
		if ends[end] == 0 && *scenarios >= enoughScenarios {
			t.Errorf("no binding ended with %q in these scenarios: %v", end, ends)
		}
	}
}

// enoughScenarios reach every end of a binding.
const enoughScenarios = 200

// bindingEnds are parts of the texts with which bindings of volumes end.
var bindingEnds = []string{
	"Successfully assigned", "has been modified", "context deadline exceeded", "provisioning failed", "annotation reset", "failed to get node",
	"pod does not exist", "failed on request", "timed out",
}

// Without faults between scheduler and cluster, at rest no pod waits that could be placed.
func TestStorage_Liveness(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*scenarios / 2) {
		e, c := newStorageEngine(t, seed), storageScenario(seed, memory.Faults{})
		run(e, c, start.Add(scenarioLength+storageTail))
		checkNoFeasiblePodPends(t, e, c, seed)
		checkNoPodLost(t, e, c, seed)
		if t.Failed() {
			return
		}
	}
}

// A fork in the middle, and what it was made from, end as a run without it.
func TestStorage_ForkDecidesTheSame(t *testing.T) {
	t.Parallel()
	end := start.Add(scenarioLength + storageTail)
	for seed := range uint64(*scenarios / 4) {
		whole, cluster := newStorageEngine(t, seed), storageScenario(seed, storageFaults())
		run(whole, cluster, end)
		want := outcomeOf(whole, cluster)
		e, c := newStorageEngine(t, seed), storageScenario(seed, storageFaults())
		run(e, c, start.Add(scenarioLength/2))
		ef, err := e.Fork()
		if err != nil {
			t.Fatalf("forking scenario %d: %v", seed, err)
		}
		cf := c.Fork()
		run(ef, cf, end)
		if err := e.Check(); err != nil {
			t.Errorf("scenario %d: after its fork went on: %v", seed, err)
		}
		run(e, c, end)
		if fork, original := outcomeOf(ef, cf), outcomeOf(e, c); fork != want || original != want {
			t.Errorf("scenario %d ends in %v, but forked halfway in %v and %v", seed, want, fork, original)
		}
	}
}

// storageCheck observes one run of a scenario. After every input:
//
//   - what is assumed of a volume or a claim belongs to a binding in flight, or was written and is not read back yet: every
//     failure restores the rest;
//   - no claim has two volumes.
//
// No pod is placed, and none bound, on a node that a volume of its claims does not reach.
type storageCheck struct {
	t    *testing.T
	e    *engine.Engine
	seed uint64

	placed  map[types.UID]map[types.NamespacedName]types.UID // the claims that a pod had when it was placed
	writes  map[world.EffectID]assumedObject
	written map[assumedObject]bool
	ends    map[string]int // of bindings of volumes
}

// assumedObject names a volume, or a claim by its namespace.
type assumedObject struct{ namespace, name string }

func newStorageCheck(t *testing.T, e *engine.Engine, seed uint64, ends map[string]int) *storageCheck {
	return &storageCheck{
		t: t, e: e, seed: seed, ends: ends,
		placed: map[types.UID]map[types.NamespacedName]types.UID{}, writes: map[world.EffectID]assumedObject{}, written: map[assumedObject]bool{},
	}
}

func (s *storageCheck) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Errorf("scenario %d at %v: %s", s.seed, s.e.Now().Sub(start), fmt.Sprintf(format, args...))
}

func (s *storageCheck) Applied(in world.Input, err error) {
	if s.t.Failed() {
		return
	}
	if err != nil {
		s.fail("%T: %v", in.Event, err)
	}
	if done, ok := in.Event.(world.EffectDone); ok && done.Outcome.OK() {
		if object, is := s.writes[done.Effect]; is {
			s.written[object] = true
		}
	}
	if err := s.e.Check(); err != nil {
		s.fail("after %T: %v", in.Event, err)
	}
	s.assumptionsHaveReasons()
}

// assumptionsHaveReasons visits all that is assumed.
func (s *storageCheck) assumptionsHaveReasons() {
	binding := map[types.NamespacedName]bool{} // claims of pods that are being bound
	for _, b := range s.e.Bindings() {
		if pod := s.e.Store().Pod(b.Pod.Namespace, b.Pod.Name); pod != nil {
			for _, claim := range claimsOf(pod) {
				binding[claim] = true
			}
		}
	}
	volumes, taken := s.e.Volumes(), map[types.UID]string{}
	check := func(object assumedObject, assumed bool, claim types.NamespacedName) {
		if assumed && !binding[claim] && !s.written[object] {
			s.fail("%v is assumed for claim %s without a binding", object, claim)
		}
		if !assumed {
			delete(s.written, object)
		}
	}
	for o := range s.e.Store().Objects(world.PersistentVolume) {
		pv := volumes.Volume(o.GetName())
		assumed := pv != volumes.StoredVolume(pv.Name)
		var claim types.NamespacedName
		if assumed {
			claim = types.NamespacedName{Namespace: pv.Spec.ClaimRef.Namespace, Name: pv.Spec.ClaimRef.Name}
			if other := taken[pv.Spec.ClaimRef.UID]; other != "" {
				s.fail("volumes %s and %s are assumed for claim %s", other, pv.Name, claim)
			}
			taken[pv.Spec.ClaimRef.UID] = pv.Name
		}
		check(assumedObject{"", pv.Name}, assumed, claim)
	}
	for o := range s.e.Store().Objects(world.PersistentVolumeClaim) {
		claim := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
		assumed := volumes.Claim(claim.Namespace, claim.Name) != volumes.StoredClaim(claim.Namespace, claim.Name)
		check(assumedObject{claim.Namespace, claim.Name}, assumed, claim)
	}
}

func (s *storageCheck) Stepped(d *engine.Decision) {
	if d == nil || d.Verdict != engine.Placed {
		return
	}
	pod, claims := s.e.Store().Pod(d.Pod.Namespace, d.Pod.Name), map[types.NamespacedName]types.UID{}
	for _, name := range claimsOf(pod) {
		claim := s.e.Volumes().Claim(name.Namespace, name.Name)
		if claim == nil {
			s.fail("%s is placed on %s without its claim %s", pod.Name, d.Node, name)
			return
		}
		claims[name] = claim.UID
		if node := claim.Annotations[volume.AnnSelectedNode]; claim.Spec.VolumeName == "" && node != "" && node != d.Node {
			s.fail("%s is placed on %s, and its claim %s on %s", pod.Name, d.Node, name, node)
		}
		s.reaches(pod.Name, d.Node, claim)
	}
	s.placed[pod.UID] = claims
}

// reaches checks that the volume of a claim, if it has one, reaches a node.
func (s *storageCheck) reaches(pod, node string, claim *v1.PersistentVolumeClaim) {
	pv, held := s.e.Volumes().Volume(claim.Spec.VolumeName), s.e.Store().Node(node)
	if pv != nil && held != nil && volume.CheckNodeAffinity(pv, held.Labels) != nil {
		s.fail("%s is placed on %s, which its volume %s does not reach", pod, node, pv.Name)
	}
}

func (s *storageCheck) Emitted(effect world.Effect) {
	switch act := effect.Action.(type) {
	case world.ClaimVolume:
		s.writes[effect.ID] = assumedObject{"", act.Volume.Name}
	case world.SelectNode:
		s.writes[effect.ID] = assumedObject{act.Claim.Namespace, act.Claim.Name}
	case world.Bind:
		s.bound(act)
	case world.EmitEvent:
		for _, end := range bindingEnds {
			if strings.Contains(act.Note, end) && len(s.placed[act.Regarding.UID]) > 0 {
				s.ends[end]++
			}
		}
	}
}

// bound checks a pod's claims when it is bound: those that it was placed with have volumes that reach its node. A claim that
// was deleted meanwhile is another.
func (s *storageCheck) bound(act world.Bind) {
	for name, uid := range s.placed[act.Pod.UID] {
		claim := s.e.Volumes().StoredClaim(name.Namespace, name.Name)
		if claim == nil || claim.UID != uid {
			continue
		}
		if claim.Spec.VolumeName == "" {
			s.fail("%s is bound to %s, and its claim %s to no volume", act.Pod.Name, act.Node, name)
		}
		s.reaches(act.Pod.Name, act.Node, claim)
	}
}

// claimsOf names a pod's claims.
func claimsOf(pod *v1.Pod) (names []types.NamespacedName) {
	for i := range pod.Spec.Volumes {
		if name, is := world.ClaimOf(pod, &pod.Spec.Volumes[i]); is {
			names = append(names, types.NamespacedName{Namespace: pod.Namespace, Name: name})
		}
	}
	return names
}

// atRest checks the end of a run: nothing is assumed, nothing underway, and no volume bound to two claims.
func (s *storageCheck) atRest(c *memory.Cluster) {
	if volumes, claims := s.e.Volumes().Assumed(); volumes+claims > 0 {
		s.fail("at rest, something is assumed of %d volumes and %d claims", volumes, claims)
	}
	if n := s.e.BindingCount(); n > 0 {
		s.fail("at rest, %d bindings are in flight: %+v", n, s.e.Bindings())
	}
	bound := map[string]string{}
	for _, o := range c.List(world.PersistentVolumeClaim) {
		claim := o.(*v1.PersistentVolumeClaim)
		if claim.Status.Phase != v1.ClaimBound {
			continue
		}
		if other := bound[claim.Spec.VolumeName]; other != "" {
			s.fail("volume %s is bound to %s and %s", claim.Spec.VolumeName, other, claim.Name)
		}
		bound[claim.Spec.VolumeName] = claim.Name
		if pv, err := c.Get(world.PersistentVolume, "", claim.Spec.VolumeName); err != nil || pv.(*v1.PersistentVolume).Spec.ClaimRef.UID != claim.UID {
			s.fail("claim %s is bound to volume %s, which is not its own: %v", claim.Name, claim.Spec.VolumeName, err)
		}
	}
}
