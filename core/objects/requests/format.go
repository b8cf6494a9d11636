package requests

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Format writes an amount, in the units of [Amount], as an exact quantity, so that a comparison of two can be checked: 2, 1500m, 512Mi.
func Format(name v1.ResourceName, n int64) string {
	switch {
	case name == v1.ResourceCPU:
		return resource.NewMilliQuantity(n, resource.DecimalSI).String()
	case IsBytes(name):
		return resource.NewQuantity(n, resource.BinarySI).String()
	}
	return strconv.FormatInt(n, 10)
}

// IsBytes reports whether a resource is counted in bytes.
func IsBytes(name v1.ResourceName) bool {
	return name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage
}

// AmountOf is the amount of one resource of a list.
func AmountOf(list v1.ResourceList, name v1.ResourceName) int64 { return Amount(name, list[name]) }
