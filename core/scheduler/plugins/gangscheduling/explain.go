package gangscheduling

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/gangs"
)

var _ framework.Explainer = (*GangScheduling)(nil)

// The reason codes of GangScheduling.
const (
	WorkloadMissing = "gang-workload-missing"
	GroupMissing    = "gang-group-missing"
	Incomplete      = "gang-incomplete"
	PlacesMissing   = "gang-waiting"
)

// ReasonCodes are the codes of the plugin. No nodes are looked at.
var ReasonCodes = []framework.ReasonCode{
	{Code: WorkloadMissing, Means: "the workload of the pod does not exist", Fields: []string{"objects"}},
	{Code: GroupMissing, Means: "the workload of the pod has no such group", Fields: []string{"objects", "meant"}},
	{Code: Incomplete, Means: "fewer pods of the gang exist than are bound together", Fields: []string{"objects", "amounts"}},
	{Code: PlacesMissing, Means: "fewer pods of the gang have a place than are bound together", Fields: []string{"objects", "amounts"}},
}

// Explain says what the gang of a pod lacks: its workload, its group, pods, or places for them.
func (pl *GangScheduling) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ framework.Rejection) []framework.Evidence {
	if !pl.isMember(pod) {
		return nil
	}
	ref, _ := workloads.RefOf(pod)
	name := pod.Namespace + "/" + ref.Name
	e := framework.Evidence{Objects: []framework.Object{{Kind: "Workload", Name: name}}}
	workload, err := pl.workload(pod.Namespace, ref.Name)
	switch {
	case apierrors.IsNotFound(err):
		e.Code, e.Sentence = WorkloadMissing, "waits for workload "+name+", which does not exist"
		return []framework.Evidence{e}
	case err != nil:
		return nil
	}
	group := pl.gangs.Group(gangs.KeyOf(pod))
	progress, least := gangs.ProgressOf(workload, ref.PodGroup, group)
	if progress == gangs.NoGroup {
		e.Code, e.Sentence = GroupMissing, "its workload "+name+" has no group "+ref.PodGroup
		for i := range workload.Spec.PodGroups {
			e.Meant = append(e.Meant, workload.Spec.PodGroups[i].Name)
		}
		if len(e.Meant) > 0 {
			e.Sentence += "; there is " + framework.Listed(e.Meant)
		}
		return []framework.Evidence{e}
	}
	if group == nil {
		return nil
	}
	exist, placed := group.Len(), group.Placed()
	switch gang := "gang " + name + "/" + ref.PodGroup; progress {
	case gangs.Incomplete:
		e.Code, e.Amounts = Incomplete, &framework.Amounts{Resource: "pods", Requested: int64(least), Largest: int64(exist)}
		e.Sentence = fmt.Sprintf("%s waits for %d more of at least %d pods: %d exist", gang, least-exist, least, exist)
	case gangs.Pending, gangs.Waiting:
		e.Code, e.Amounts = PlacesMissing, &framework.Amounts{Resource: "places", Requested: int64(least), Largest: int64(placed)}
		e.Sentence = fmt.Sprintf("%s waits for %d more of at least %d places: %d pods have one", gang, least-placed, least, placed)
	default:
		return nil
	}
	return []framework.Evidence{e}
}
