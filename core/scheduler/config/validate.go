package config

import (
	"cmp"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	componentbase "k8s.io/component-base/config"
	componentbasev1alpha1 "k8s.io/component-base/config/v1alpha1"
	componentbasevalidation "k8s.io/component-base/config/validation"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"
)

// removedPlugins are former kube-scheduler plugins. Enabling one at an extension point would have no effect.
var removedPlugins = []string{"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"}

// removedPluginText is kube-scheduler's text, which names the version of the core API where its own is meant.
const removedPluginText = `was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")`

// validate checks a completed configuration.
func validate(c *configv1.KubeSchedulerConfiguration, features Features) field.ErrorList {
	errs := validateConnections(c)
	if *c.Parallelism <= 0 {
		errs = append(errs, field.Invalid(field.NewPath("parallelism"), *c.Parallelism, "should be an integer value greater than zero"))
	}
	errs = append(errs, validateProfiles(field.NewPath("profiles"), c.Profiles, features)...)
	errs = append(errs, validatePercentage(field.NewPath("percentageOfNodesToScore"), c.PercentageOfNodesToScore)...)
	if *c.PodInitialBackoffSeconds <= 0 {
		errs = append(errs, field.Invalid(field.NewPath("podInitialBackoffSeconds"), *c.PodInitialBackoffSeconds, "must be greater than 0"))
	}
	if *c.PodMaxBackoffSeconds < *c.PodInitialBackoffSeconds {
		errs = append(errs, field.Invalid(field.NewPath("podMaxBackoffSeconds"), *c.PodMaxBackoffSeconds,
			"must be greater than or equal to PodInitialBackoffSeconds"))
	}
	return append(errs, validateExtenders(field.NewPath("extenders"), c.Extenders)...)
}

// validateConnections validates the two shared parts by their library.
func validateConnections(c *configv1.KubeSchedulerConfiguration) field.ErrorList {
	var client componentbase.ClientConnectionConfiguration
	var election componentbase.LeaderElectionConfiguration
	path := field.NewPath("leaderElection")
	if err := componentbasev1alpha1.Convert_v1alpha1_ClientConnectionConfiguration_To_config_ClientConnectionConfiguration(&c.ClientConnection, &client, nil); err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("clientConnection"), err)}
	}
	if err := componentbasev1alpha1.Convert_v1alpha1_LeaderElectionConfiguration_To_config_LeaderElectionConfiguration(&c.LeaderElection, &election, nil); err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	errs := componentbasevalidation.ValidateClientConnectionConfiguration(&client, field.NewPath("clientConnection"))
	errs = append(errs, componentbasevalidation.ValidateLeaderElectionConfiguration(&election, path)...)
	if election.LeaderElect && election.ResourceLock != "leases" {
		errs = append(errs, field.Invalid(path.Child("resourceLock"), election.ResourceLock, `resourceLock value must be "leases"`))
	}
	return errs
}

func validatePercentage(path *field.Path, percentage *int32) field.ErrorList {
	if p := ptr.Deref(percentage, 0); p < 0 || p > 100 {
		return field.ErrorList{field.Invalid(path, p, "not in valid range [0-100]")}
	}
	return nil
}

func validateProfiles(path *field.Path, profiles []configv1.KubeSchedulerProfile, features Features) field.ErrorList {
	if len(profiles) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	seen := map[string]int{}
	for i := range profiles {
		p, at := &profiles[i], path.Index(i)
		if *p.SchedulerName == "" {
			errs = append(errs, field.Required(at.Child("schedulerName"), ""))
		}
		errs = append(errs, validatePercentage(at.Child("percentageOfNodesToScore"), p.PercentageOfNodesToScore)...)
		errs = append(errs, validateRemovedPlugins(at.Child("plugins"), p.Plugins)...)
		errs = append(errs, validatePluginConfig(at.Child("pluginConfig"), p.PluginConfig, features)...)
		if first, repeated := seen[*p.SchedulerName]; repeated {
			errs = append(errs, field.Duplicate(at.Child("schedulerName"), path.Index(first).Child("schedulerName").String()))
		}
		seen[*p.SchedulerName] = i
	}
	return append(errs, validateQueueSort(path, profiles)...)
}

func validateRemovedPlugins(path *field.Path, plugins *configv1.Plugins) field.ErrorList {
	var errs field.ErrorList
	for _, point := range ExtensionPoints(plugins) {
		for i, plugin := range point.Set.Enabled {
			if slices.Contains(removedPlugins, plugin.Name) {
				errs = append(errs, field.Invalid(path.Child(point.Name, "enabled").Index(i), plugin.Name, removedPluginText))
			}
		}
	}
	return errs
}

// validateRepeatedPlugins checks the lists as written: merging keeps repeated plugins, and no profile can be built from
// them.
func validateRepeatedPlugins(profiles []configv1.KubeSchedulerProfile) field.ErrorList {
	var errs field.ErrorList
	for i, p := range profiles {
		if p.Plugins == nil {
			continue
		}
		for _, point := range PluginLists(p.Plugins) {
			seen := map[string]bool{}
			for j, plugin := range point.Set.Enabled {
				if seen[plugin.Name] {
					path := field.NewPath("profiles").Index(i).Child("plugins", point.Name, "enabled").Index(j)
					errs = append(errs, field.Duplicate(path, plugin.Name))
				}
				seen[plugin.Name] = true
			}
		}
	}
	return errs
}

func dropRepeatedPlugins(p *configv1.Plugins) {
	if p == nil {
		return
	}
	for _, point := range PluginLists(p) {
		seen := map[string]bool{}
		point.Set.Enabled = slices.DeleteFunc(point.Set.Enabled, func(plugin configv1.Plugin) bool {
			known := seen[plugin.Name]
			seen[plugin.Name] = true
			return known
		})
	}
}

func validatePluginConfig(path *field.Path, configs []configv1.PluginConfig, features Features) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, pc := range configs {
		at := path.Index(i)
		if seen[pc.Name] {
			errs = append(errs, field.Duplicate(at, pc.Name))
		}
		seen[pc.Name] = true
		if slices.Contains(removedPlugins, pc.Name) {
			errs = append(errs, field.Invalid(at, pc.Name, removedPluginText))
			continue
		}
		errs = append(errs, validateArgs(at.Child("args"), pc.Name, pc.Args.Object, features)...)
	}
	return errs
}

// validateQueueSort checks that all profiles sort alike, as they share one queue.
func validateQueueSort(path *field.Path, profiles []configv1.KubeSchedulerProfile) field.ErrorList {
	var errs field.ErrorList
	canon := profiles[0].Plugins.QueueSort
	if n := len(canon.Enabled); n > 1 {
		errs = append(errs, field.Invalid(path.Index(0).Child("plugins", "queueSort", "Enabled"), n, "only one queue sort plugin can be enabled"))
	}
	var sorter string
	if len(canon.Enabled) > 0 {
		sorter = canon.Enabled[0].Name
	}
	canonArgs := lastArgsOf(sorter, profiles[0].PluginConfig)
	for i, p := range profiles[1:] {
		at := path.Index(i + 1)
		if !sameSet(canon, p.Plugins.QueueSort) {
			errs = append(errs, field.Invalid(at.Child("plugins", "queueSort"), p.Plugins.QueueSort, "must be the same for all profiles"))
		}
		for _, pc := range p.PluginConfig {
			args := argsOf(pc.Args)
			if pc.Name == sorter && !apiequality.Semantic.DeepEqual(canonArgs, args) {
				errs = append(errs, field.Invalid(at.Child("pluginConfig", "args"), args, "queueSort must be the same for all profiles"))
			}
		}
	}
	return errs
}

func lastArgsOf(plugin string, configs []configv1.PluginConfig) runtime.Object {
	for _, pc := range slices.Backward(configs) {
		if plugin != "" && pc.Name == plugin {
			return argsOf(pc.Args)
		}
	}
	return nil
}

func sameSet(a, b configv1.PluginSet) bool {
	same := func(p, q configv1.Plugin) bool {
		return cmp.Or(cmp.Compare(p.Name, q.Name), cmp.Compare(ptr.Deref(p.Weight, 0), ptr.Deref(q.Weight, 0))) == 0
	}
	return slices.EqualFunc(a.Enabled, b.Enabled, same) && slices.EqualFunc(a.Disabled, b.Disabled, same)
}
