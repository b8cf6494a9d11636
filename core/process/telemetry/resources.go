package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
)

// resourceLabels are the labels of both families of /metrics/resources.
var resourceLabels = []string{"namespace", "pod", "node", "scheduler", "priority", "resource", "unit"}

var (
	requestDesc = metrics.NewDesc("kube_pod_resource_request", "What a pod requests of a resource, as scheduler and kubelet reckon.", resourceLabels, nil, metrics.STABLE, "")
	limitDesc   = metrics.NewDesc("kube_pod_resource_limit", "What a pod may use of a resource at most, as scheduler and kubelet reckon.", resourceLabels, nil, metrics.STABLE, "")
)

// Resources serves /metrics/resources: requests and limits of every pod. Pods is called for each scrape, from any
// goroutine.
func Resources(pods func() []*v1.Pod) http.Handler {
	registry := metrics.NewKubeRegistry()
	registry.CustomMustRegister(&resources{pods: pods})
	return metrics.HandlerWithReset(registry, metrics.HandlerOpts{})
}

type resources struct {
	metrics.BaseStableCollector
	pods func() []*v1.Pod
}

// DescribeWithStability implements metrics.StableCollector.
func (r *resources) DescribeWithStability(to chan<- *metrics.Desc) {
	to <- requestDesc
	to <- limitDesc
}

// CollectWithStability implements metrics.StableCollector.
func (r *resources) CollectWithStability(to chan<- metrics.Metric) {
	for _, pod := range r.pods() {
		if pod.Spec.NodeName != "" && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed) {
			continue
		}
		sendAmounts(to, requestDesc, pod, requests.Of(pod, resource.PodResourcesOptions{}))
		sendAmounts(to, limitDesc, pod, requests.Limits(pod, resource.PodResourcesOptions{}))
	}
}

func sendAmounts(to chan<- metrics.Metric, desc *metrics.Desc, pod *v1.Pod, amounts v1.ResourceList) {
	priority := ""
	if pod.Spec.Priority != nil {
		priority = strconv.Itoa(int(*pod.Spec.Priority))
	}
	names := make([]v1.ResourceName, 0, len(amounts))
	for name := range amounts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if amount := amounts[name]; !amount.IsZero() {
			to <- metrics.NewLazyConstMetric(desc, metrics.GaugeValue, amount.AsApproximateFloat64(),
				pod.Namespace, pod.Name, pod.Spec.NodeName, pod.Spec.SchedulerName, priority, string(name), unitOf(name))
		}
	}
}

// unitOf returns the unit of a resource; empty if unknown.
func unitOf(name v1.ResourceName) string {
	switch {
	case name == v1.ResourceCPU:
		return "cores"
	case name == v1.ResourceMemory, name == v1.ResourceStorage, name == v1.ResourceEphemeralStorage,
		strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix):
		return "bytes"
	case strings.HasPrefix(string(name), v1.ResourceAttachableVolumesPrefix):
		return "integer"
	}
	return ""
}
