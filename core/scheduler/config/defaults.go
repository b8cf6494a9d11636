package config

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	componentbasev1alpha1 "k8s.io/component-base/config/v1alpha1"
	configv1 "k8s.io/kube-scheduler/config/v1"
)

// setDefaults sets the defaults of unset fields, in place.
func setDefaults(c *configv1.KubeSchedulerConfiguration, features Features) {
	setDefault(&c.Parallelism, 16)
	setDefault(&c.PercentageOfNodesToScore, 0)
	setDefault(&c.PodInitialBackoffSeconds, 1)
	setDefault(&c.PodMaxBackoffSeconds, 10)
	setDefault(&c.EnableProfiling, true)
	if *c.EnableProfiling {
		setDefault(&c.EnableContentionProfiling, true)
	}
	setConnectionDefaults(c)
	if len(c.Profiles) == 0 {
		c.Profiles = []configv1.KubeSchedulerProfile{{}}
	}
	if len(c.Profiles) == 1 {
		// Several profiles must each have an explicit name.
		setDefault(&c.Profiles[0].SchedulerName, v1.DefaultSchedulerName)
	}
	for i := range c.Profiles {
		setProfileDefaults(&c.Profiles[i], features)
	}
}

func setConnectionDefaults(c *configv1.KubeSchedulerConfiguration) {
	setNonZero(&c.LeaderElection.ResourceLock, "leases")
	setNonZero(&c.LeaderElection.ResourceNamespace, configv1.SchedulerDefaultLockObjectNamespace)
	setNonZero(&c.LeaderElection.ResourceName, configv1.SchedulerDefaultLockObjectName)
	componentbasev1alpha1.RecommendedDefaultLeaderElectionConfiguration(&c.LeaderElection)
	setNonZero(&c.ClientConnection.ContentType, "application/vnd.kubernetes.protobuf")
	setNonZero(&c.ClientConnection.QPS, 50)
	setNonZero(&c.ClientConnection.Burst, 100)
}

func setProfileDefaults(p *configv1.KubeSchedulerProfile, features Features) {
	setDefault(&p.SchedulerName, "")
	p.Plugins = mergePlugins(DefaultPlugins(features), p.Plugins)
	configured := map[string]bool{}
	for i := range p.PluginConfig {
		pc := &p.PluginConfig[i]
		configured[pc.Name] = true
		setArgsDefaults(pc.Args.Object, features)
		if pc.Args.Object != nil {
			pc.Args.Object.GetObjectKind().SetGroupVersionKind(configv1.SchemeGroupVersion.WithKind(pc.Name + "Args"))
		}
	}
	for _, name := range EnabledPlugins(p.Plugins) {
		if configured[name] {
			continue
		}
		if args := DefaultArgs(name, features); args != nil {
			p.PluginConfig = append(p.PluginConfig, configv1.PluginConfig{Name: name, Args: runtime.RawExtension{Object: args}})
		}
	}
}

// setDefault sets an unset field to a value in a variable of its own.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// setNonZero is setDefault for fields in which zero means unset.
func setNonZero[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
