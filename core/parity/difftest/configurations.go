package difftest

import (
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"orrery/core/scheduler/framework"
)

// FirstMistake is the first mistake in a profile's plugins, the only one that kube-scheduler reports; any other error is returned
// as it is.
func FirstMistake(err error) error {
	if errs := framework.ProfileErrors(err); len(errs) > 0 {
		return errs[0].Mistakes[0].Err
	}
	return err
}

// IgnoreManagedResources does what kube-scheduler does to a configuration when it builds the extenders, after validation.
func IgnoreManagedResources(c *upconfig.KubeSchedulerConfiguration) {
	var ignored []string
	for _, e := range c.Extenders {
		for _, r := range e.ManagedResources {
			if r.IgnoredByScheduler {
				ignored = append(ignored, r.Name)
			}
		}
	}
	if len(ignored) == 0 {
		return
	}
	for _, p := range c.Profiles {
		for _, pc := range p.PluginConfig {
			if args, is := pc.Args.(*upconfig.NodeResourcesFitArgs); is {
				args.IgnoredResources = ignored
			}
		}
	}
}
