package diagnose

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/objects/requests"
)

func amountOf(list v1.ResourceList, name v1.ResourceName) int64 {
	return requests.Amount(name, list[name])
}

func isBytes(name v1.ResourceName) bool {
	return name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage
}

// formatAmount formats an amount as an exact quantity, so that a comparison of two can be checked: 2, 1500m, 512Mi.
func formatAmount(name v1.ResourceName, n int64) string {
	switch {
	case name == v1.ResourceCPU:
		return resource.NewMilliQuantity(n, resource.DecimalSI).String()
	case isBytes(name):
		return resource.NewQuantity(n, resource.BinarySI).String()
	}
	return strconv.FormatInt(n, 10)
}
