package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Question is what is asked of one moment: changes, objects that are created once these are at rest, and changes after that.
type Question struct {
	Before []change.Change
	Create []world.Object
	After  []change.Change
	Seed   uint64
}

// Outcome is a result with what became of the objects that were created.
type Outcome struct {
	*Result
	// Created has the objects in the order in which they were given.
	Created []Creation
	// Budgets are those that protect preempted pods, Quotas those of the namespaces in which objects were created.
	Budgets []BudgetUse
	Quotas  []QuotaUse

	run     *run
	victims []PodChange
}

// Engine is the scheduler at rest, with the objects. It is only to be read.
func (o *Outcome) Engine() *engine.Engine { return o.run.engine }

// Creation is an object that was created, or that was there and was changed.
type Creation struct {
	// Object is the object as the API server keeps it, or as it was given if that was refused.
	Object world.Object
	// Refused is why the object was not created, or why some of its pods were not.
	Refused string
	// Wanted is how many pods the object has to have, of those that it creates at once; Pods are those that it has.
	Wanted int
	Pods   []CreatedPod

	existed bool
}

// CreatedPod is a pod of an object at rest.
type CreatedPod struct {
	PodOutcome
	// After is how long after the objects were created it got its node.
	After time.Duration
}

// Placed counts the pods that have a node.
func (c *Creation) Placed() int {
	n := 0
	for i := range c.Pods {
		if c.Pods[i].Node != "" {
			n++
		}
	}
	return n
}

// Ask answers a question. The objects are created in their order, those that create pods after all others. An object that exists is changed.
func (s *Start) Ask(q Question) (*Outcome, error) {
	plain, r, err := s.pair(q.Seed)
	if err != nil {
		return nil, fmt.Errorf("asking what if: %w", err)
	}
	r.patient = false
	all := slices.Concat(q.Before, q.After)
	if len(q.Before) > 0 {
		if err := r.applyAll(q.Before); err != nil {
			return nil, err
		}
		r.toRest()
	}
	since, slots, preemptions := r.now, setOf(r.slots.slots), len(r.slots.preempted)
	created := r.createAll(q.Create)
	r.toRest()
	if len(q.After) > 0 {
		if err := r.applyAll(q.After); err != nil {
			return nil, err
		}
		r.toRest()
	}
	o := &Outcome{Created: created, run: r}
	for i := range o.Created {
		r.follow(&o.Created[i], since)
	}
	o.Result = compareRuns(s.run.base, all, plain, r)
	o.setVictims(plain, slots, preemptions)
	o.Budgets, o.Quotas = o.budgets(s.run), o.quotas(s.run)
	return o, nil
}

func setOf(slots []*slot) map[*slot]bool {
	set := map[*slot]bool{}
	for _, s := range slots {
		set[s] = true
	}
	return set
}

// pair returns a run at rest without changes and one that begins.
func (s *Start) pair(seed uint64) (plain, begun *run, err error) {
	s.run.engine.SettleTies(seed) // of the forks
	if begun, err = s.run.fork(); err != nil {
		return nil, nil, err
	}
	if s.plain == nil {
		s.plain = map[uint64]*run{}
	}
	if plain = s.plain[seed]; plain != nil {
		return plain, begun, nil
	}
	if plain = s.run; !plain.atRest() {
		if plain, err = s.run.fork(); err != nil {
			return nil, nil, err
		}
		plain.toRest()
		plain.slots.matchRemaining()
	}
	s.plain[seed] = plain
	return plain, begun, nil
}

// atRest reports whether nothing has happened yet in the run, and nothing would.
func (r *run) atRest() bool {
	_, due := r.next()
	return !due && len(r.slots.slots) == 0 && r.engine.Queue().Counts().Active == 0
}

func (r *run) applyAll(changes []change.Change) error {
	for _, c := range changes {
		if err := r.apply(c); err != nil {
			return fmt.Errorf("asking what if %q: %w", c.String(), err)
		}
	}
	return nil
}

// createAll creates objects: first what pods refer to, which controllers act for before a pod comes.
func (r *run) createAll(objects []world.Object) []Creation {
	created := make([]Creation, len(objects))
	for i, o := range objects {
		if !podMaker(o) {
			created[i] = r.createOne(o)
		}
	}
	r.settleNow()
	for i, o := range objects {
		if podMaker(o) {
			created[i] = r.createOne(o)
		}
	}
	return created
}

// podMaker reports whether an object is a pod or creates pods.
func podMaker(o world.Object) bool {
	switch o.(type) {
	case *v1.Pod, *appsv1.Deployment, *appsv1.ReplicaSet, *appsv1.StatefulSet, *appsv1.DaemonSet, *batchv1.Job:
		return true
	}
	return false
}

// settleNow lets everything happen that happens at this instant.
func (r *run) settleNow() {
	for in, ok := r.bridge.Next(r.now); ok; in, ok = r.bridge.Next(r.now) {
		r.applyInput(in)
		r.emitEffects()
	}
}

func (r *run) createOne(o world.Object) Creation {
	r.ensureNamespace(o)
	made, err := r.cluster.Create(o)
	existed := apierrors.IsAlreadyExists(err) || isDeploymentOf(r, o)
	if existed {
		made, err = r.changeExisting(o)
	}
	if err != nil {
		return Creation{Object: o, Refused: err.Error(), Wanted: wantedPods(o), existed: existed}
	}
	return Creation{Object: made, Wanted: wantedPods(made), existed: existed}
}

// ensureNamespace makes an object's namespace if it is not known.
func (r *run) ensureNamespace(o world.Object) {
	name := o.GetNamespace()
	if _, err := r.cluster.Get(world.Namespace, "", name); name == "" || !memory.IsNamespaced(memory.KindOf(o)) || err == nil {
		return
	}
	r.notes = append(r.notes, fmt.Sprintf("namespace %s does not exist: it is created, too", printable.Line(name, 100)))
	_, _ = r.cluster.Create(&v1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelMetadataName: name}},
		Status:     v1.NamespaceStatus{Phase: v1.NamespaceActive},
	})
}

// isDeploymentOf reports whether a deployment exists: the simulated cluster holds the replica sets of most alone.
func isDeploymentOf(r *run, o world.Object) bool {
	_, is := o.(*appsv1.Deployment)
	return is && r.base.Store().Object(world.Deployment, o.GetNamespace(), o.GetName()) != nil
}

var errLeftAsItIs = errors.New("it exists already, and is left as it is")

// changeExisting does what applying a file does to an object that exists.
func (r *run) changeExisting(o world.Object) (world.Object, error) {
	switch o := o.(type) {
	case *v1.Pod, *batchv1.Job:
		return nil, errLeftAsItIs
	case *appsv1.Deployment:
		return r.rollOut(o)
	}
	changed := o.DeepCopyObject().(world.Object)
	changed.SetUID("")
	changed.SetResourceVersion("")
	return r.cluster.Update(changed)
}

// rollOut changes a deployment. If its template is that of its replica set, the set is scaled; otherwise the simulated deployment rolls a
// new one out.
func (r *run) rollOut(d *appsv1.Deployment) (world.Object, error) {
	had := r.base.Store().Object(world.Deployment, d.Namespace, d.Name).(*appsv1.Deployment)
	sets := r.setsOf(had.UID)
	wanted := int32(wantedPods(d))
	for _, set := range sets {
		if replicas(set) > 0 && sameTemplate(&set.Spec.Template, &d.Spec.Template) {
			changed := *had
			changed.Spec.Replicas = &wanted
			return &changed, r.scaleDeployment(had, wanted)
		}
	}
	// The copy that the API server admits has the defaults of a new one.
	probe := d.DeepCopy()
	probe.Name = d.Name[:min(len(d.Name), maxNameBytes-maxSuffixBytes)] + "-admitted"
	none := int32(0)
	probe.Spec.Replicas = &none
	made, err := r.cluster.Create(probe)
	if err != nil {
		return nil, err
	}
	admitted := made.(*appsv1.Deployment).DeepCopy()
	if err := r.cluster.Delete(world.Deployment, admitted.Namespace, admitted.Name, metav1.DeleteOptions{}); err != nil {
		return nil, err
	}
	admitted.ObjectMeta = *had.ObjectMeta.DeepCopy()
	admitted.ResourceVersion, admitted.Generation, admitted.Spec.Replicas = "", had.Generation+1, &wanted
	for _, set := range sets {
		owned := set.DeepCopy()
		owned.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(had, appsv1.SchemeGroupVersion.WithKind("Deployment"))}
		if err := r.cluster.Load(owned); err != nil {
			return nil, err
		}
	}
	return admitted, r.cluster.Load(admitted)
}

// setsOf returns the replica sets of a deployment of the start, as they are in the cluster.
func (r *run) setsOf(deployment types.UID) []*appsv1.ReplicaSet {
	var sets []*appsv1.ReplicaSet
	for set := range objects[*appsv1.ReplicaSet](r.base.Store(), world.ReplicaSet) {
		if ref := controllerOf(set); ref == nil || ref.UID != deployment {
			continue
		}
		if o, err := r.cluster.Get(world.ReplicaSet, set.Namespace, set.Name); err == nil {
			sets = append(sets, o.(*appsv1.ReplicaSet))
		}
	}
	return sets
}

// sameTemplate compares two templates of pods in what decides where the pods go, but for the label that tells replica sets apart.
func sameTemplate(a, b *v1.PodTemplateSpec) bool {
	x, y := a.DeepCopy(), b.DeepCopy()
	delete(x.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	requests := func(t *v1.PodTemplateSpec) (all []v1.ResourceRequirements) {
		for _, list := range [][]v1.Container{t.Spec.InitContainers, t.Spec.Containers} {
			for i := range list {
				all = append(all, list[i].Resources)
			}
		}
		return all
	}
	return apiequality.Semantic.DeepEqual(x.Labels, y.Labels) && apiequality.Semantic.DeepEqual(requests(x), requests(y)) &&
		apiequality.Semantic.DeepEqual(x.Spec.NodeSelector, y.Spec.NodeSelector) && apiequality.Semantic.DeepEqual(x.Spec.Affinity, y.Spec.Affinity) &&
		apiequality.Semantic.DeepEqual(x.Spec.Tolerations, y.Spec.Tolerations) && x.Spec.PriorityClassName == y.Spec.PriorityClassName
}

// wantedPods is how many pods an object creates at once; zero for a daemon set, which has one for each node that takes it.
func wantedPods(o world.Object) int {
	orOne := func(n *int32) int {
		if n == nil {
			return 1
		}
		return max(0, int(*n))
	}
	switch o := o.(type) {
	case *v1.Pod:
		return 1
	case *appsv1.Deployment:
		return orOne(o.Spec.Replicas)
	case *appsv1.ReplicaSet:
		return orOne(o.Spec.Replicas)
	case *appsv1.StatefulSet:
		return orOne(o.Spec.Replicas)
	case *batchv1.Job:
		if o.Spec.Suspend != nil && *o.Spec.Suspend {
			return 0
		}
		return min(orOne(o.Spec.Parallelism), max(orOne(o.Spec.Completions), 1))
	}
	return 0
}

// follow finds an object's pods at rest, and what keeps it from creating more.
func (r *run) follow(c *Creation, since time.Time) {
	if c.Object.GetUID() == "" || c.Refused != "" {
		return
	}
	owners := []types.UID{c.Object.GetUID()}
	switch o := c.Object.(type) {
	case *v1.Pod:
		c.Pods = append(c.Pods, r.createdPod(world.PodRefOf(o), since))
		return
	case *appsv1.Deployment:
		owners = r.currentSets(o)
	case *appsv1.DaemonSet:
		if at, err := r.cluster.Get(world.DaemonSet, o.Namespace, o.Name); err == nil {
			c.Wanted = int(at.(*appsv1.DaemonSet).Status.DesiredNumberScheduled)
		}
	}
	for _, owner := range owners {
		for _, pod := range r.podsOfOwner(owner, c) {
			c.Pods = append(c.Pods, r.createdPod(pod, since))
		}
		c.Refused = cmp.Or(c.Refused, r.refusal(owner))
	}
	if c.Refused != "" && len(c.Pods) >= c.Wanted {
		c.Refused = "" // it succeeded later
	}
}

// currentSets are the replica sets of a deployment that have its template: those that came with it, or the one that was scaled.
func (r *run) currentSets(d *appsv1.Deployment) []types.UID {
	var fresh, scaled []types.UID
	for _, o := range r.cluster.List(world.ReplicaSet) {
		set := o.(*appsv1.ReplicaSet)
		if ref := controllerOf(set); ref != nil && ref.UID == d.UID && r.base.Store().Object(world.ReplicaSet, set.Namespace, set.Name) == nil {
			fresh = append(fresh, set.UID)
		}
	}
	if len(fresh) > 0 {
		return fresh
	}
	for _, set := range r.setsOf(d.UID) {
		if replicas(set) > 0 || r.slots.scaled[string(set.UID)] {
			scaled = append(scaled, set.UID)
		}
	}
	return scaled
}

// podsOfOwner returns an owner's pods that are not being deleted. Those of an owner that is new have slots of their own.
func (r *run) podsOfOwner(owner types.UID, c *Creation) []world.PodRef {
	var pods []world.PodRef
	if c.existed {
		for _, pod := range r.podsOf(owner, c.Object.GetNamespace()) {
			pods = append(pods, world.PodRefOf(pod))
		}
		return pods
	}
	for _, s := range r.slots.byOwner[string(owner)] {
		if !s.vacated {
			pods = append(pods, s.current)
		}
	}
	return pods
}

func (r *run) createdPod(pod world.PodRef, since time.Time) CreatedPod {
	p := CreatedPod{PodOutcome: r.outcomeOf(pod)}
	if p.Pod == (world.PodRef{}) {
		p.Pod = pod
	}
	for _, b := range r.cluster.Bindings(pod.UID) {
		if b.Refusal == "" {
			p.After = b.At.Sub(since)
		}
	}
	return p
}

// refusal is why the API server refused the last pod of an owner; empty if it refused none.
func (r *run) refusal(owner types.UID) string {
	for _, e := range slices.Backward(r.cluster.Events()) {
		if e.Regarding.UID == owner && e.Reason == "FailedCreate" {
			return e.Note
		}
	}
	return ""
}
