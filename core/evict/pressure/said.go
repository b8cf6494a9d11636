package pressure

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Said is something a kubelet does about pressure, and when.
type Said struct {
	At  time.Time
	Act Act
}

// Act is what it does: [Pressed], [Reported], [Starving], [Reclaiming] or [Evicting].
type Act interface{ act() }

// Pressed says that these conditions hold from now on; pods that come are admitted by them. See [Admit].
type Pressed struct{ Conditions []v1.NodeConditionType }

// Reported says that the node's status is written with these conditions. It follows Pressed within ten seconds.
type Reported struct{ Conditions []v1.NodeConditionType }

// Starving is the event on the node that says what it is about to reclaim.
type Starving struct{ Resource v1.ResourceName }

// Note is the event's text; its reason is EvictionThresholdMet.
func (s Starving) Note() string { return "Attempting to reclaim " + string(s.Resource) }

// Reclaiming throws away what no pod needs. The kubelet waits to be told what there is afterwards; see
// [Kubelet.Reclaimed].
type Reclaiming struct{ Reclaim }

// Evicting stops a pod.
type Evicting struct {
	Pod world.Ref
	// GraceSeconds is how long it may take to stop.
	GraceSeconds int64
	// Message is for the pod's status and its event.
	Message     string
	Annotations map[string]string
	// Threshold is what it is evicted for; it has no signal if the pod went beyond limits of its own.
	Threshold Threshold
}

func (Pressed) act()    {}
func (Reported) act()   {}
func (Starving) act()   {}
func (Reclaiming) act() {}
func (Evicting) act()   {}

// Status is the status that the evicted pod gets.
func (e Evicting) Status(pod *v1.Pod, at time.Time) v1.PodStatus {
	status := *pod.Status.DeepCopy()
	status.Phase, status.Reason, status.Message = v1.PodFailed, Reason, e.Message
	if e.Threshold.Signal == "" {
		return status
	}
	setCondition(&status.Conditions, v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, ObservedGeneration: pod.Generation,
		Reason: v1.PodReasonTerminationByKubelet, Message: e.Message, LastTransitionTime: stamp(at),
	})
	return status
}

func setCondition(list *[]v1.PodCondition, next v1.PodCondition) {
	for i := range *list {
		if had := &(*list)[i]; had.Type == next.Type {
			if had.Status == next.Status {
				next.LastTransitionTime = had.LastTransitionTime
			}
			*had = next
			return
		}
	}
	*list = append(*list, next)
}
