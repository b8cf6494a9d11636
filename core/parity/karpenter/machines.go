package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"

	"orrery/core/parity/oracle/nodepools"
)

// instanceTypes are a provider's machines, on demand in each of their zones, for amd64 and Linux, with nothing reserved.
func instanceTypes(machines []nodepools.Machine) []*cloudprovider.InstanceType {
	in := func(key string, values ...string) *scheduling.Requirement {
		return scheduling.NewRequirement(key, corev1.NodeSelectorOpIn, values...)
	}
	var all []*cloudprovider.InstanceType
	for _, m := range machines {
		var offered cloudprovider.Offerings
		for _, zone := range slices.Sorted(slices.Values(m.Zones)) {
			offered = append(offered, &cloudprovider.Offering{
				Available: true, Price: m.Price,
				Requirements: scheduling.NewRequirements(in(v1.CapacityTypeLabelKey, v1.CapacityTypeOnDemand), in(corev1.LabelTopologyZone, zone)),
			})
		}
		all = append(all, &cloudprovider.InstanceType{
			Name: m.Name, Capacity: m.Allocatable, Offerings: offered, Overhead: &cloudprovider.InstanceTypeOverhead{},
			Requirements: scheduling.NewRequirements(
				in(corev1.LabelInstanceTypeStable, m.Name), in(corev1.LabelTopologyZone, m.Zones...), in(v1.CapacityTypeLabelKey, v1.CapacityTypeOnDemand),
				in(corev1.LabelArchStable, v1.ArchitectureAmd64), in(corev1.LabelOSStable, string(corev1.Linux)),
			),
		})
	}
	return all
}
