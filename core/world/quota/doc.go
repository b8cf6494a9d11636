// Package quota measures what objects use of resource quotas, as kube-apiserver and kube-controller-manager do.
//
//	Of(resource) ──► an evaluator, which k8s.io/apiserver's check of a request asks
//	Used(quota)  ──► what the objects of its namespace use, which the quota's status says
//
//	pods.go     requests and limits of pods, overhead included, and which pods are in a scope
//	claims.go   the storage that claims request by class, and the devices by class
//	services.go node ports and load balancers of services
//	measure.go  the evaluator, and other kinds, whose objects are counted
package quota
