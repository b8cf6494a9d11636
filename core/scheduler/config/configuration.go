package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	componentbasev1alpha1 "k8s.io/component-base/config/v1alpha1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/safe/printable"
)

// Configuration is a complete, valid KubeSchedulerConfiguration: every default filled in, every profile merged with
// the default plugins. It is not changed after Load; share it freely.
type Configuration struct {
	// Features are the gates the configuration was read under; defaults and validation depend on them.
	Features Features

	Parallelism      int32
	LeaderElection   componentbasev1alpha1.LeaderElectionConfiguration // LeaderElect is never nil
	ClientConnection componentbasev1alpha1.ClientConnectionConfiguration

	EnableProfiling           bool
	EnableContentionProfiling bool

	// PercentageOfNodesToScore is 0 to 100; 0 means that the scheduler picks by cluster size.
	PercentageOfNodesToScore int32
	PodInitialBackoffSeconds int64
	PodMaxBackoffSeconds     int64

	Profiles              []Profile
	Extenders             []configv1.Extender
	DelayCacheUntilActive bool
}

// Profile is a scheduler profile: its plugins schedule the pods with its scheduler name.
type Profile struct {
	SchedulerName string
	// PercentageOfNodesToScore overrides the configuration's value; nil inherits it.
	PercentageOfNodesToScore *int32
	// Plugins are the profile's own merged into the default ones. Expanding MultiPoint into the extension points
	// each plugin implements is left to the framework, which knows the plugins.
	Plugins *configv1.Plugins
	// Args by plugin name. In-tree plugins have their type of k8s.io/kube-scheduler/config/v1, with defaults; others have a
	// *runtime.Unknown with the JSON as written, or nil if there was none.
	Args map[string]runtime.Object
}

// Load reads a KubeSchedulerConfiguration v1 from YAML or JSON. Its error is an *Error with all problems, not only the
// first.
func Load(data []byte, features Features) (*Configuration, error) {
	return LoadNamed("", data, features)
}

// LoadNamed is Load for bytes from a file, whose name the error then shows.
func LoadNamed(file string, data []byte, features Features) (*Configuration, error) {
	written, errs := decode(data)
	if written == nil {
		return nil, newError(file, errs)
	}
	errs = append(errs, validateRepeatedPlugins(written.Profiles)...)
	errs = append(errs, refuseGroupSets(written.Profiles, features)...)
	setDefaults(written, features)
	errs = append(errs, validate(written, features)...)
	if len(errs) > 0 {
		return nil, newError(file, errs)
	}
	c := fromVersioned(written, features)
	if errs := c.ignoreManagedResources(); len(errs) > 0 {
		return nil, newError(file, errs)
	}
	return c, nil
}

// Written returns a configuration as it stands in its file: without defaults, and not validated.
func Written(data []byte) (*configv1.KubeSchedulerConfiguration, error) {
	written, errs := decode(data)
	return written, newError("", errs)
}

// Sketch decodes as much as it can of an invalid file: its profiles with the plugins that it lists, each once, and
// everything else at its default. It is nil if the file cannot be decoded.
func Sketch(data []byte, features Features) *Configuration {
	written, _ := decode(data)
	if written == nil {
		return nil
	}
	listed := &configv1.KubeSchedulerConfiguration{}
	for _, p := range written.Profiles {
		dropRepeatedPlugins(p.Plugins)
		listed.Profiles = append(listed.Profiles, configv1.KubeSchedulerProfile{SchedulerName: p.SchedulerName, Plugins: p.Plugins})
	}
	setDefaults(listed, features)
	return fromVersioned(listed, features)
}

// Default returns the configuration of an empty file.
func Default(features Features) *Configuration {
	written := &configv1.KubeSchedulerConfiguration{}
	setDefaults(written, features)
	return fromVersioned(written, features)
}

// Validate checks a configuration that was changed after it was loaded, as command line flags do.
func (c *Configuration) Validate() error {
	written, err := c.toVersioned()
	if err != nil {
		return err
	}
	errs := append(validateRepeatedPlugins(written.Profiles), validate(written, c.Features)...)
	return newError("", errs)
}

// YAML writes the configuration in the v1 form, with all defaults spelled out and without secrets. It is what is logged, served and recorded.
func (c *Configuration) YAML() ([]byte, error) {
	shown := *c
	shown.Extenders = withoutSecrets(c.Extenders)
	return shown.YAMLWithSecrets()
}

// YAMLWithSecrets writes the configuration in the v1 form, with all defaults spelled out; Load reads it back to an equal value.
func (c *Configuration) YAMLWithSecrets() ([]byte, error) {
	written, err := c.toVersioned()
	if err != nil {
		return nil, err
	}
	tree, err := withoutGroupSets(written)
	if err != nil {
		return nil, fmt.Errorf("writing the configuration: %w", err)
	}
	text, err := printable.YAML(tree)
	if err != nil {
		return nil, fmt.Errorf("writing the configuration as YAML: %w", err)
	}
	return text, nil
}

// fromVersioned converts a completed, valid configuration.
func fromVersioned(written *configv1.KubeSchedulerConfiguration, features Features) *Configuration {
	c := &Configuration{
		Features:                  features,
		Parallelism:               *written.Parallelism,
		LeaderElection:            written.LeaderElection,
		ClientConnection:          written.ClientConnection,
		EnableProfiling:           *written.EnableProfiling,
		EnableContentionProfiling: isTrue(written.EnableContentionProfiling),
		PercentageOfNodesToScore:  *written.PercentageOfNodesToScore,
		PodInitialBackoffSeconds:  *written.PodInitialBackoffSeconds,
		PodMaxBackoffSeconds:      *written.PodMaxBackoffSeconds,
		Extenders:                 written.Extenders,
		DelayCacheUntilActive:     written.DelayCacheUntilActive,
	}
	for _, p := range written.Profiles {
		profile := Profile{
			SchedulerName:            *p.SchedulerName,
			PercentageOfNodesToScore: p.PercentageOfNodesToScore,
			Plugins:                  p.Plugins,
			Args:                     make(map[string]runtime.Object, len(p.PluginConfig)),
		}
		for _, pc := range p.PluginConfig {
			profile.Args[pc.Name] = argsOf(pc.Args)
		}
		c.Profiles = append(c.Profiles, profile)
	}
	return c
}

// argsOf returns args as an object: decoded for an in-tree plugin, else the bytes as they are.
func argsOf(args runtime.RawExtension) runtime.Object {
	if args.Object == nil && len(args.Raw) > 0 {
		return &runtime.Unknown{Raw: args.Raw, ContentType: runtime.ContentTypeJSON}
	}
	return args.Object
}

// toVersioned is the inverse of fromVersioned, with plugin args in the order of their plugins' names.
func (c *Configuration) toVersioned() (*configv1.KubeSchedulerConfiguration, error) {
	written := &configv1.KubeSchedulerConfiguration{
		TypeMeta:         metav1.TypeMeta{APIVersion: configv1.SchemeGroupVersion.String(), Kind: kind},
		Parallelism:      &c.Parallelism,
		LeaderElection:   c.LeaderElection,
		ClientConnection: c.ClientConnection,
		DebuggingConfiguration: componentbasev1alpha1.DebuggingConfiguration{
			EnableProfiling:           &c.EnableProfiling,
			EnableContentionProfiling: &c.EnableContentionProfiling,
		},
		PercentageOfNodesToScore: &c.PercentageOfNodesToScore,
		PodInitialBackoffSeconds: &c.PodInitialBackoffSeconds,
		PodMaxBackoffSeconds:     &c.PodMaxBackoffSeconds,
		Extenders:                c.Extenders,
		DelayCacheUntilActive:    c.DelayCacheUntilActive,
	}
	for i := range c.Profiles {
		p := &c.Profiles[i]
		profile := configv1.KubeSchedulerProfile{
			SchedulerName:            &p.SchedulerName,
			PercentageOfNodesToScore: p.PercentageOfNodesToScore,
			Plugins:                  p.Plugins,
		}
		for _, name := range slices.Sorted(maps.Keys(p.Args)) {
			pc := configv1.PluginConfig{Name: name, Args: runtime.RawExtension{Object: p.Args[name]}}
			if p.Args[name] != nil {
				raw, err := json.Marshal(p.Args[name])
				if err != nil {
					return nil, fmt.Errorf("writing args of plugin %q in profile %q: %w", name, p.SchedulerName, err)
				}
				pc.Args.Raw = raw
			}
			profile.PluginConfig = append(profile.PluginConfig, pc)
		}
		written.Profiles = append(written.Profiles, profile)
	}
	return written, nil
}

func isTrue(b *bool) bool { return b != nil && *b }
