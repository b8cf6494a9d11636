package quota

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/quota/v1/generic"

	"orrery/core/world"
)

var serviceResource = world.Service.Resource().GroupResource()

// ofServices are the resources that services are measured by.
var ofServices = []v1.ResourceName{
	countOf(serviceResource), v1.ResourceServices, v1.ResourceServicesNodePorts, v1.ResourceServicesLoadBalancers,
}

func services() *measure {
	return &measure{
		resource: serviceResource,
		handles: func(a admission.Attributes) bool { // a change may change the type
			return a.GetSubresource() == "" && (a.GetOperation() == admission.Create || a.GetOperation() == admission.Update)
		},
		counts:  func(name v1.ResourceName) bool { return slices.Contains(ofServices, name) },
		inScope: generic.MatchesNoScopeFunc,
		usage:   func(o runtime.Object) v1.ResourceList { return ofService(o.(*v1.Service)) },
	}
}

// ofService returns what a service uses. Its node ports are those that it will get, which it does not have yet when it is new.
func ofService(s *v1.Service) v1.ResourceList {
	use := one(countOf(serviceResource), v1.ResourceServices)
	ports, balancers := 0, 0
	switch s.Spec.Type {
	case v1.ServiceTypeNodePort:
		ports = len(s.Spec.Ports)
	case v1.ServiceTypeLoadBalancer:
		ports, balancers = len(s.Spec.Ports), 1
		if allocate := s.Spec.AllocateLoadBalancerNodePorts; allocate != nil && !*allocate {
			ports = len(slices.DeleteFunc(slices.Clone(s.Spec.Ports), func(p v1.ServicePort) bool { return p.NodePort == 0 }))
		}
	}
	use[v1.ResourceServicesNodePorts], use[v1.ResourceServicesLoadBalancers] = whole(int64(ports)), whole(int64(balancers))
	return use
}
