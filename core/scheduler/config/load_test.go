package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/config"
	"orrery/core/testing/fuzz"
)

func TestLoad_WithoutConfiguration(t *testing.T) {
	empty := "the file is empty, it must hold a KubeSchedulerConfiguration"
	several := "the file holds more than one YAML document, of which only the first would count: put one configuration into one file"
	for _, tt := range []struct{ name, data, want string }{
		{"nothing at all", "", empty},
		{"only space", " \n\n", empty},
		{"only a comment", "# to be written\n", empty},
		{"only a separator", "---\n", empty},
		{"null", "null", empty},
		{"a list", "[1, 2]", "the file holds no fields, it must hold those of a KubeSchedulerConfiguration"},
		{"a word", "scheduler", "the file holds no fields, it must hold those of a KubeSchedulerConfiguration"},
		{"two documents", head + "---\n" + head, several},
		{"a second document that is broken", head + "---\n{", several},
		{"YAML cut short", head + "profiles: [{schedulerName: a", "yaml: line 2: did not find expected ',' or '}'"},
		{"JSON cut short", `{"apiVersion": "kubescheduler.config.k8s.io/v1", `, `line 1: unexpected end of JSON input: "{"apiVersion": "kubescheduler.config.k8s.io/v1","`},
		{"JSON with a number that is none", "{\n \"percentageOfNodesToScore\": NaN}", `line 2: invalid character 'N' looking for beginning of value: ""percentageOfNodesToScore": NaN}"`},
		{"JSON with a NUL", "{\n \"kind\": \"a\x00b\"}", `line 2: invalid character '\x00' in string literal: ""kind": "a\x00b"}"`},
		{"YAML with a NUL", head + "profiles:\n- schedulerName: a\x00b\n", `line 4: control characters are not allowed: "- schedulerName: a\x00b"`},
		{"YAML that is no text", "\x00\x01" + head, `line 1: control characters are not allowed: "\x00\x01apiVersion: kubesc"`},
		{"not a number", head + "clientConnection:\n  burst: 1\n  qps: .NaN\n", `clientConnection.qps: Invalid value: ".NaN": line 5: must be a finite number`},
		{
			"infinity, in a list", head + "profiles: [{percentageOfNodesToScore: 5}, {pluginConfig: [{name: x,\n args: {a: -.inf}}]}]\n",
			`profiles[1].pluginConfig[0].args.a: Invalid value: "-.inf": line 4: must be a finite number`,
		},
		{"a name with parts", head + "profiles:\n- {a: 1, [b]: 2}\n", `profiles[0]: Invalid value: line 4: the name of a field must be a word`},
		{"bytes that are not UTF-8", head + "x: \xff", "the file is not UTF-8 text: byte 79, on line 3, is not part of any character"},
		{"more than a mebibyte", head + "#" + strings.Repeat("x", config.MaxBytes), "the file has 1048653 bytes, more than the 1048576 a configuration may have"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Load([]byte(tt.data), config.Features{})
			if err == nil || err.Error() != "kube-scheduler configuration: "+tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestLoad_TrailingEmptyDocument(t *testing.T) {
	if _, err := config.Load([]byte("---\n"+head+"---\n# the end\n"), config.Features{}); err != nil {
		t.Error(err)
	}
}

// hostile are files of up to a megabyte that cost much if they are followed and completed.
func hostile() map[string]struct{ data, want string } {
	const values, text = "the file has more than 20000 names and values", "the file has more than 4194304 bytes of text"
	bomb := head + "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		this, last := string(rune('b'+i)), string(rune('a'+i))
		bomb += this + "0: &" + this + "0 [" + strings.TrimSuffix(strings.Repeat("*"+last+"0, ", 10), ", ") + "]\n"
	}
	json := `{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", `
	var keys strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	return map[string]struct{ data, want string }{
		"lists of lists":              {bomb, values},
		"one text many times":         {head + "a: &a " + strings.Repeat("x", 90_000) + "\nb: [" + strings.Repeat("*a, ", 15_000) + "]\n", text},
		"an anchor within itself":     {head + "a: &a [*a]\n", values},
		"many profiles":               {head + "profiles: [" + strings.Repeat("{}, ", 200_000) + "]\n", values},
		"many profiles in JSON":       {json + `"profiles": [` + strings.Repeat("{}, ", 200_000) + "{}]}", values},
		"many extenders":              {head + "extenders: [" + strings.Repeat("{}, ", 200_000) + "]\n", values},
		"many unknown fields":         {head + keys.String(), values},
		"many repeated fields":        {head + strings.Repeat("a: 1\n", 100_000), values},
		"as many profiles as may be":  {head + "profiles: [" + strings.Repeat("{}, ", 19_900) + "]\n", "errors:"},
		"as many extenders as may be": {head + "extenders: [" + strings.Repeat("{}, ", 19_900) + "]\n", ""},
		"as many plugins as may be":   {head + "profiles: [{plugins: {multiPoint: {enabled: [" + strings.Repeat("{name: a}, ", 6_000) + "]}}}]\n", "errors:"},
		"as many args as may be":      {head + "profiles: [{pluginConfig: [" + strings.Repeat("{name: NodeAffinity}, ", 6_000) + "]}]\n", "errors:"},
	}
}

// mostMemory is what loading a file may allocate.
const mostMemory = 256 << 20

// measured loads a configuration and returns what that allocates.
func measured(data []byte, features config.Features) (*config.Configuration, uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := config.Load(data, features)
	runtime.ReadMemStats(&after)
	return c, after.TotalAlloc - before.TotalAlloc, err
}

func TestLoad_BoundsMemory(t *testing.T) {
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			_, took, err := measured([]byte(c.data), config.Features{})
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
			if took > mostMemory {
				t.Errorf("%d bytes allocate %d MiB", len(c.data), took>>20)
			}
		})
	}
}

func TestError_ListIsBounded(t *testing.T) {
	var long strings.Builder
	long.WriteString(head + "profiles:\n")
	for range 150 {
		long.WriteString("- {schedulerName: \"\\e[2J" + strings.Repeat("x", 2000) + "\"}\n")
	}
	_, err := config.LoadNamed("sched\n.yaml", []byte(long.String()), config.Features{})
	var bad *config.Error
	if !errors.As(err, &bad) || len(bad.List) != 149 || bad.File != "sched\n.yaml" {
		t.Fatalf("got %d errors: %T", len(bad.List), err)
	}
	var first *field.Error
	if !errors.As(err, &first) || first.Type != field.ErrorTypeDuplicate || first.Field != "profiles[1].schedulerName" {
		t.Errorf("the first error is %v", first)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 102 || lines[0] != `kube-scheduler configuration "sched\n.yaml" has 149 errors:` || lines[101] != "  and 49 more" {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	if longest := len([]rune(lines[1])); longest > 1100 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("a line of %d characters, or one that moves the cursor", longest)
	}
}

func TestValidate_AfterFlagChange(t *testing.T) {
	c := config.Default(config.Features{})
	if err := c.Validate(); err != nil {
		t.Fatalf("the default configuration: %v", err)
	}
	c.LeaderElection.ResourceName = ""
	c.Profiles[0].Args["VolumeBinding"] = &configv1.NodeAffinityArgs{}
	want := `kube-scheduler configuration has 2 errors:
  leaderElection.resourceName: Required value
  profiles[0].pluginConfig[7].args: Invalid value: {}: has to match plugin args`
	if err := c.Validate(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestDefault_EqualsEmptyFile(t *testing.T) {
	for _, gates := range []string{"", "StorageCapacityScoring=true,DRADeviceBindingConditions=true,NodeDeclaredFeatures=true"} {
		features, err := config.ParseFeatureFlag(gates)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := config.Load([]byte(head), features)
		if err != nil {
			t.Fatal(err)
		}
		if diff := diff(config.Default(features), loaded); diff != "" {
			t.Errorf("gates %q (-Default +Load)\n%s", gates, diff)
		}
	}
}

// Two configurations never share what one of them might change.
func TestLoad_ResultsShareNothing(t *testing.T) {
	one, other := config.Default(config.Features{}), config.Default(config.Features{})
	fit := one.Profiles[0].Args["NodeResourcesFit"].(*configv1.NodeResourcesFitArgs)
	fit.ScoringStrategy.Resources[0].Weight = 99
	*one.Profiles[0].Plugins.MultiPoint.Enabled[4].Weight = 99
	one.Profiles[0].Args["NodeResourcesBalancedAllocation"].(*configv1.NodeResourcesBalancedAllocationArgs).Resources[0].Weight = 99
	if diff := diff(config.Default(config.Features{}), other); diff != "" {
		t.Errorf("changed from outside (-want +got)\n%s", diff)
	}
}

// Pointers in args that have a default are set, whatever the gates: what has none is a nil that means something.
func TestLoad_DefaultedPointersSet(t *testing.T) {
	mayBeNil := map[string]string{
		"AddedAffinity":            "no affinity is added",
		"RequestedToCapacityRatio": "another scoring type",
		"BindingTimeout":           "its gate is off",
	}
	for name, args := range config.Default(config.Features{}).Profiles[0].Args {
		v := reflect.ValueOf(args).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Pointer && f.IsNil() && mayBeNil[v.Type().Field(i).Name] == "" {
				t.Errorf("%s of %s is nil", v.Type().Field(i).Name, name)
			}
		}
	}
}

// FuzzLoad reads scheduler configurations.
//
//orrery:reads core/scheduler/config
func FuzzLoad(f *testing.F) {
	for _, path := range goldenFiles(f) {
		s := readGolden(f, path)
		f.Add(s.config, s.features.Enabled(config.StorageCapacityScoring))
	}
	f.Add([]byte(head+"profiles: [{pluginConfig: [{name: X, args: {a: 1e3, b: 18446744073709551615, c: \"0x1\", d: ~, \"y\": 012}}]}]"), true)
	for _, c := range hostile() {
		if len(c.data) <= fuzz.MaxSeed {
			f.Add([]byte(c.data), false)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, allAlpha bool) {
		features, err := config.ParseFeatures(map[string]bool{"AllAlpha": allAlpha})
		if err != nil {
			t.Fatal(err)
		}
		var c *config.Configuration
		fuzz.Cost(t, len(data), func() { c, err = config.Load(data, features) })
		if (c == nil) == (err == nil) {
			t.Errorf("configuration %v and error %v", c, err)
		}
		if err != nil {
			fuzz.Errors(t, err, 102) // a hundred, with a line above them and one about the others
			return
		}
		text, err := c.YAMLWithSecrets()
		if err != nil {
			t.Fatal(err)
		}
		again, err := config.Load(text, features)
		if err != nil {
			t.Fatalf("what was written does not load: %v\n%s", err, text)
		}
		if diff := diff(c, again); diff != "" {
			t.Errorf("loading what was written changed it (-first +again)\n%s\n%s", diff, text)
		}
	})
}

// diff compares configurations; of args that are only passed on it compares the meaning of the JSON.
func diff(a, b *config.Configuration) string {
	return cmp.Diff(a, b, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b config.Features) bool { return a == b }),
		cmp.Comparer(func(a, b *apiruntime.Unknown) bool {
			var x, y any
			if json.Unmarshal(a.Raw, &x) != nil || json.Unmarshal(b.Raw, &y) != nil {
				return bytes.Equal(a.Raw, b.Raw)
			}
			return a.ContentType == b.ContentType && reflect.DeepEqual(x, y)
		}))
}
