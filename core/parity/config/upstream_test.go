package config

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"sigs.k8s.io/yaml"

	"orrery/core/parity/difftest"
)

// upstreamReading is the result of loading a file with kube-scheduler's code. One of its fields is set.
type upstreamReading struct {
	decodeErr error          // decoding failed
	invalid   []error        // validation failed
	completed map[string]any // the completed configuration
}

func readUpstream(t testing.TB, data []byte) upstreamReading {
	t.Helper()
	cfg, err := decodeUpstream(data)
	if err != nil {
		return upstreamReading{decodeErr: err}
	}
	var invalid []error
	if aggregate := validation.ValidateKubeSchedulerConfiguration(cfg); aggregate != nil {
		invalid = aggregate.Errors()
	}
	invalid = append(invalid, validateFitArgs(cfg)...)
	if len(invalid) > 0 {
		return upstreamReading{invalid: dedupe(invalid)}
	}
	difftest.IgnoreManagedResources(cfg)
	return upstreamReading{completed: encodeUpstream(t, cfg)}
}

func decodeUpstream(data []byte) (*config.KubeSchedulerConfiguration, error) {
	obj, gvk, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	cfg, ok := obj.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("couldn't decode as KubeSchedulerConfiguration, got %s: ", gvk)
	}
	cfg.APIVersion = gvk.GroupVersion().String()
	return cfg, nil
}

// validateFitArgs calls upstream's validation of NodeResourcesFitArgs. Upstream itself looks the function up under another
// name, and so does not call it.
func validateFitArgs(cfg *config.KubeSchedulerConfiguration) []error {
	var errs []error
	for i, p := range cfg.Profiles {
		for j, pc := range p.PluginConfig {
			args, ok := pc.Args.(*config.NodeResourcesFitArgs)
			if !ok {
				continue
			}
			path := field.NewPath("profiles").Index(i).Child("pluginConfig").Index(j).Child("args")
			if err := validation.ValidateNodeResourcesFitArgs(path, args); err != nil {
				errs = append(errs, utilerrors.Flatten(err.(utilerrors.Aggregate)).Errors()...)
			}
		}
	}
	return errs
}

func encodeUpstream(t testing.TB, cfg *config.KubeSchedulerConfiguration) map[string]any {
	t.Helper()
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeYAML)
	if !ok {
		t.Fatal("upstream's codecs have no YAML serializer")
	}
	var text bytes.Buffer
	if err := scheme.Codecs.EncoderForVersion(info.Serializer, configv1.SchemeGroupVersion).Encode(cfg, &text); err != nil {
		t.Fatalf("upstream cannot encode its own configuration: %v", err)
	}
	return normalized(t, text.Bytes())
}

// normalized parses an encoded configuration into a tree that is equal for equal meanings: args sorted by plugin, and
// no values that mean the same as being absent (a weight of 0, an empty list).
func normalized(t testing.TB, text []byte) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatalf("an encoded configuration is not YAML: %v\n%s", err, text)
	}
	profiles, _ := tree["profiles"].([]any)
	for _, p := range profiles {
		if configs, ok := p.(map[string]any)["pluginConfig"].([]any); ok {
			slices.SortStableFunc(configs, func(a, b any) int {
				return bytes.Compare(nameOf(a), nameOf(b))
			})
		}
	}
	pruned, _ := prune("", tree).(map[string]any)
	return pruned
}

func nameOf(pluginConfig any) []byte {
	name, _ := pluginConfig.(map[string]any)["name"].(string)
	return []byte(name)
}

func prune(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			if inner = prune(k, inner); inner == nil {
				delete(v, k)
			} else {
				v[k] = inner
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = prune("", v[i])
		}
		if len(v) == 0 {
			return nil
		}
	case float64:
		if key == "weight" && v == 0 {
			return nil
		}
	}
	return value
}

var strictness = regexp.MustCompile(`unknown field "(?:[^"\\]|\\.)*"|duplicate field "(?:[^"\\]|\\.)*"|key "(?:[^"\\]|\\.)*" already set in map`)

// strictTexts returns the strict decoding errors in an error's text, sorted, without duplicates.
func strictTexts(text string) []string {
	found := strictness.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

func dedupe(errs []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(errs, func(err error) bool {
		known := seen[err.Error()]
		seen[err.Error()] = true
		return known
	})
}
