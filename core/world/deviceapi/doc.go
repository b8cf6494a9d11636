// Package deviceapi checks and completes the objects of dynamic resource allocation as the API server does: resource claims
// and their templates, resource slices, device classes and device taint rules, and what pods say of claims.
//
//	Default(object)
//	   │
//	Validator.Create(object)            claims.go classes.go slices.go devices.go capacity.go taints.go selectors.go
//	Validator.Update(changed, old)      the same, and what must not change
//	Validator.UpdateStatus(changed, old)  status.go
//
// Its errors name the fields and say what the API server's do. Its checks are those of one whose gates are all on;
// [GatesOff] drops the fields of gates that are off.
// A Validator remembers which selectors it has compiled, since the claims of one template have the same.
package deviceapi
