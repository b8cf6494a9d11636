package pressure

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conditionTexts are the reasons and messages of the conditions, by whether they hold.
var conditionTexts = []struct {
	condition  v1.NodeConditionType
	yes, no    string
	yesMessage string
	noMessage  string
}{
	{
		v1.NodeMemoryPressure, "KubeletHasInsufficientMemory", "KubeletHasSufficientMemory",
		"kubelet has insufficient memory available", "kubelet has sufficient memory available",
	},
	{
		v1.NodeDiskPressure, "KubeletHasDiskPressure", "KubeletHasNoDiskPressure",
		"kubelet has disk pressure", "kubelet has no disk pressure",
	},
	{
		v1.NodePIDPressure, "KubeletHasInsufficientPID", "KubeletHasSufficientPID",
		"kubelet has insufficient PID available", "kubelet has sufficient PID available",
	},
}

// Conditions returns a copy of a node's conditions with the three pressure conditions as the kubelet writes them: those in
// hold are True, the others False.
func Conditions(list []v1.NodeCondition, hold []v1.NodeConditionType, at time.Time) []v1.NodeCondition {
	list = slices.Clone(list)
	for _, w := range conditionTexts {
		next := v1.NodeCondition{Type: w.condition, Status: v1.ConditionFalse, Reason: w.no, Message: w.noMessage}
		if slices.Contains(hold, w.condition) {
			next.Status, next.Reason, next.Message = v1.ConditionTrue, w.yes, w.yesMessage
		}
		next.LastHeartbeatTime, next.LastTransitionTime = timestamp(at), timestamp(at)
		i := slices.IndexFunc(list, func(had v1.NodeCondition) bool { return had.Type == w.condition })
		switch {
		case i < 0:
			list = append(list, next)
		case list[i].Status == next.Status:
			list[i].LastHeartbeatTime = next.LastHeartbeatTime
		default:
			list[i] = next
		}
	}
	return list
}

// timestamp returns a time in whole seconds, as in API objects.
func timestamp(at time.Time) metav1.Time { return metav1.Time{Time: at.Truncate(time.Second)} }
