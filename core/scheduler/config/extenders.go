package config

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/safe/address"
)

func validateExtenders(path *field.Path, extenders []configv1.Extender) field.ErrorList {
	var errs field.ErrorList
	binders := 0
	managed := map[string]bool{}
	for i, e := range extenders {
		at := path.Index(i)
		if e.PrioritizeVerb != "" && e.Weight <= 0 {
			errs = append(errs, field.Invalid(at.Child("weight"), e.Weight, "must have a positive weight applied to it"))
		}
		if e.BindVerb != "" {
			binders++
		}
		for j, r := range e.ManagedResources {
			namePath := at.Child("managedResources").Index(j).Child("name")
			errs = append(errs, validateExtendedResource(namePath, r.Name)...)
			if managed[r.Name] {
				errs = append(errs, field.Invalid(namePath, r.Name, "duplicate extender managed resource name"))
			}
			managed[r.Name] = true
		}
	}
	if binders > 1 {
		errs = append(errs, field.Invalid(path, fmt.Sprintf("found %d extenders implementing bind", binders), "only one extender can implement bind"))
	}
	return errs
}

// withoutSecrets returns extenders without the keys of their connections, and the user names and passwords in their addresses.
func withoutSecrets(extenders []configv1.Extender) []configv1.Extender {
	shown := slices.Clone(extenders)
	for i := range shown {
		shown[i].URLPrefix = address.Public(shown[i].URLPrefix)
		if t := shown[i].TLSConfig; t != nil {
			public := *t
			public.CertData, public.KeyData = nil, nil
			shown[i].TLSConfig = &public
		}
	}
	return shown
}

// validateExtendedResource accepts names of resources outside Kubernetes' own.
func validateExtendedResource(path *field.Path, name string) field.ErrorList {
	var errs field.ErrorList
	for _, reason := range validation.IsQualifiedName(name) {
		errs = append(errs, field.Invalid(path, name, reason))
	}
	if len(errs) > 0 {
		return errs
	}
	native := !strings.Contains(name, "/") || strings.Contains(name, v1.ResourceDefaultNamespacePrefix)
	asQuota := v1.DefaultResourceRequestsPrefix + name
	if native || strings.HasPrefix(name, v1.DefaultResourceRequestsPrefix) || len(validation.IsQualifiedName(asQuota)) > 0 {
		errs = append(errs, field.Invalid(path, name, "is an invalid extended resource name"))
	}
	return errs
}

// ignoreManagedResources makes NodeResourcesFit of every profile ignore exactly the resources that extenders mark as
// ignoredByScheduler. As in kube-scheduler, that replaces a list the user gave.
func (c *Configuration) ignoreManagedResources() field.ErrorList {
	var ignored []string
	for _, e := range c.Extenders {
		for _, r := range e.ManagedResources {
			if r.IgnoredByScheduler {
				ignored = append(ignored, r.Name)
			}
		}
	}
	if len(ignored) == 0 {
		return nil
	}
	var errs field.ErrorList
	for i, p := range c.Profiles {
		args, ok := p.Args[NodeResourcesFit].(*configv1.NodeResourcesFitArgs)
		if !ok {
			errs = append(errs, field.Required(field.NewPath("profiles").Index(i).Child("pluginConfig"), "can't find NodeResourcesFitArgs in plugin config"))
			continue
		}
		args.IgnoredResources = slices.Clone(ignored)
	}
	return errs
}
