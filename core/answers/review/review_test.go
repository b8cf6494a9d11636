package review_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"orrery/core/answers/review"
	"orrery/core/scheduler/config"
)

const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

func reviewed(t *testing.T, text, gates string) *review.Review {
	t.Helper()
	features, err := config.ParseFeatureFlag(gates)
	if err != nil {
		t.Fatal(err)
	}
	r, err := review.Of([]byte(text), features, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func printed(found []review.Finding) string {
	var lines []string
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%d %s: %s", f.Line, f.Field, f.Text))
	}
	return strings.Join(lines, "\n")
}

func TestReview_Errors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no configuration", "", "0 : the file is empty, it must hold a KubeSchedulerConfiguration"},
		{"another kind", "apiVersion: v1\nkind: Pod\n", `1 apiVersion: Invalid value: "v1": no kind "Pod" is registered for version "v1"`},
		{
			"fields and plugins", head + "parallelism: 0\nprofiles:\n- plugins:\n    filter:\n      enabled:\n      - name: Nope\n      - name: ImageLocality\n",
			"3 parallelism: Invalid value: 0: should be an integer value greater than zero\n" +
				`8 profiles[0].plugins.filter.enabled[0]: FilterPlugin "Nope" does not exist` + "\n" +
				`9 profiles[0].plugins.filter.enabled[1]: plugin "ImageLocality" does not extend FilterPlugin plugin`,
		},
		{
			"a plugin twice", head + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeAffinity\n      - name: NodeAffinity\n",
			`8 profiles[0].plugins.score.enabled[1]: Duplicate value: "NodeAffinity"`,
		},
		{
			"a plugin at a point that it does not serve", head + "profiles:\n- plugins:\n    postBind: {enabled: [{name: VolumeBinding}]}\n",
			`5 profiles[0].plugins.postBind.enabled[0]: plugin "VolumeBinding" does not extend PostBindPlugin plugin`,
		},
		{
			"several profiles", head + "profiles:\n- schedulerName: a\n  plugins: {score: {enabled: [{name: NodeName}]}}\n" +
				"- schedulerName: b\n  plugins: {bind: {disabled: [{name: '*'}]}}\n",
			`5 profiles[0].plugins.score.enabled[0]: plugin "NodeName" does not extend ScorePlugin plugin` + "\n" +
				`7 profiles[1].plugins: at least one bind plugin is needed for profile with scheduler name "b"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reviewed(t, tt.text, "")
			if diff := cmp.Diff(tt.want, printed(r.Errors)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if r.Warnings != nil || r.Profiles != nil || r.Settings != nil {
				t.Errorf("there is more than errors: %+v", r)
			}
		})
	}
}

// Shows CONF-14.
func TestReview_Warnings(t *testing.T) {
	plugins := func(lists string) string { return head + "profiles:\n- plugins:\n" + lists }
	for _, tt := range []struct{ name, text, gates, want string }{
		{"nothing", head, "", ""},
		{
			"a weight of 0, and of no effect",
			plugins("    multiPoint:\n      enabled:\n      - {name: NodeAffinity, weight: 0}\n      - {name: NodeName, weight: 2}\n" +
				"    filter: {enabled: [{name: NodePorts}, {name: TaintToleration, weight: 7}]}\n"), "",
			"7 profiles[0].plugins.multiPoint.enabled[0].weight: a weight of 0 counts as 1: to switch the scores of NodeAffinity off, disable it at score\n" +
				"8 profiles[0].plugins.multiPoint.enabled[1].weight: NodeName does not score: its weight has no effect\n" +
				"9 profiles[0].plugins.filter.enabled[1].weight: a weight has an effect at score and multiPoint only: that of TaintToleration is 3",
		},
		{
			"two weights",
			plugins("    multiPoint: {enabled: [{name: NodeAffinity, weight: 3}]}\n    score: {enabled: [{name: NodeAffinity, weight: 5}]}\n"), "",
			"5 profiles[0].plugins.multiPoint.enabled[0].weight: NodeAffinity is enabled again at score, and its weight there counts: 5",
		},
		{
			"a weight of 0 at all points and another at one",
			plugins("    multiPoint: {enabled: [{name: NodeAffinity, weight: 0}]}\n    score: {enabled: [{name: NodeAffinity, weight: 5}]}\n"), "",
			"5 profiles[0].plugins.multiPoint.enabled[0].weight: NodeAffinity is enabled again at score, and its weight there counts: 5",
		},
		{
			"disabled and not there",
			plugins("    multiPoint:\n      disabled:\n      - name: ImageLocalty\n      - name: ImageLocality\n    permit:\n      disabled:\n      - name: Else\n      - name: '*'\n"), "",
			"7 profiles[0].plugins.multiPoint.disabled[0]: ImageLocalty is not enabled here by default: there is nothing to disable. Is it ImageLocality?\n" +
				"11 profiles[0].plugins.permit.disabled[0]: Else is not enabled here by default: there is nothing to disable",
		},
		{
			"args of a plugin that is not enabled",
			plugins("    multiPoint: {disabled: [{name: NodeAffinity}]}\n  pluginConfig:\n  - name: NodeAffinity\n  - name: Mine\n"), "",
			"7 profiles[0].pluginConfig[0]: the profile does not enable NodeAffinity: its args have no effect\n" +
				"8 profiles[0].pluginConfig[1]: the profile does not enable Mine: its args have no effect",
		},
		{
			"extenders",
			head + "extenders:\n- urlPrefix: http://a\n  filterVerb: f\n  weight: 2\n  enableHTTPS: true\n- urlPrefix: https://b\n" +
				"- urlPrefix: https://c\n  bindVerb: b\n  nodeCacheCapable: true\n  managedResources: [{name: a.b/c}]\n" +
				"- urlPrefix: https://d\n  preemptVerb: p\n  managedResources: [{name: a.b/d}]\n", "",
			"4 extenders[0]: it manages no resources: it is asked for every pod, which waits for its answer\n" +
				"6 extenders[0].weight: it has no prioritizeVerb: the weight has no effect\n" +
				"7 extenders[0].enableHTTPS: urlPrefix begins with http://: it is asked without TLS\n" +
				"8 extenders[1]: it has no verb: it is never asked\n" +
				"11 extenders[2].nodeCacheCapable: it is sent no nodes: this has no effect",
		},
		{
			"the lease of another scheduler", head + "profiles: [{schedulerName: mine}]\nleaderElection:\n  leaseDuration: 20s\n", "",
			"4 leaderElection.resourceName: no profile is default-scheduler, and the lease is that of the cluster's own kube-scheduler: " +
				"only one of the two schedules at a time. Give this one a lease of its own",
		},
		{"a lease of its own", head + "profiles: [{schedulerName: mine}]\nleaderElection: {resourceName: mine}\n", "", ""},
		{"no lease", head + "profiles: [{schedulerName: mine}]\nleaderElection: {leaderElect: false}\n", "", ""},
		{
			"gates", plugins("    multiPoint: {disabled: [{name: GangScheduling}]}\n"), "GenericWorkload=true,GangScheduling=true,KMSv1=true",
			"0 : feature gate GangScheduling is on, and no profile enables its plugin GangScheduling\n" +
				"0 : feature gate KMSv1 is of another component: it changes nothing here",
		},
		{
			"gates that are known and idle", head, "ResourceHealthStatus=true,SchedulerAsyncAPICalls=true,MutableCSINodeAllocatableCount=false,LoggingAlphaOptions=true",
			"0 : feature gate MutableCSINodeAllocatableCount changes nothing here: it is the API server's and the kubelets'\n" +
				"0 : feature gate ResourceHealthStatus is of another component: it changes nothing here\n" +
				"0 : feature gate SchedulerAsyncAPICalls changes nothing here: no cycle waits for a call, with it or without, and only metrics are added",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reviewed(t, tt.text, tt.gates)
			if len(r.Errors) > 0 {
				t.Fatal(printed(r.Errors))
			}
			if diff := cmp.Diff(tt.want, printed(r.Warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// A gate that can be switched is read somewhere, or said to be idle.
// Shows CONF-14.
func TestIdleGates_AreThoseThatNothingReads(t *testing.T) {
	sources := sourcesBeside(t, "../../..", "core/scheduler/config", "core/answers/review", "core/parity")
	for _, gate := range config.DefaultFeatures().List() {
		umbrella := gate.Name == config.AllAlpha || gate.Name == config.AllBeta
		if gate.Locked || gate.Foreign || umbrella || gate.Name == config.ContextualLogging { // which component-base reads
			continue
		}
		read := strings.Contains(sources, "config."+string(gate.Name))
		features, err := config.ParseFeatureFlag(fmt.Sprintf("%s=%t", gate.Name, !gate.Default))
		if err != nil {
			if !read {
				t.Errorf("nothing reads %s, and it cannot be switched alone: %v", gate.Name, err)
			}
			continue
		}
		idle := len(review.IdleGates(features)) > 0
		if !read && !idle || read && idle && gate.Name != config.SchedulerAsyncAPICalls { // which metrics read
			t.Errorf("the gate %s is read: %t, said to be idle: %t", gate.Name, read, idle)
		}
	}
}

// sourcesBeside returns the Go code of a module without its tests and without some folders.
func sourcesBeside(t *testing.T, root string, without ...string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(without, filepath.ToSlash(rel)) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestReview_Meaning(t *testing.T) {
	r := reviewed(t, head+`podMaxBackoffSeconds: 60
extenders: [{urlPrefix: "https://a", filterVerb: f}]
profiles:
- schedulerName: default-scheduler
  percentageOfNodesToScore: 50
  plugins:
    score:
      enabled: [{name: ImageLocality, weight: 4}]
      disabled: [{name: NodeAffinity}]
- schedulerName: plain
`, "")
	var differs []string
	for _, p := range r.Profiles {
		for _, point := range p.Points {
			if point.Differs() {
				differs = append(differs, fmt.Sprintf("%s %+v", p.Name, point))
			}
		}
	}
	want := []string{"default-scheduler {Name:score Plugins:[{Name:ImageLocality Weight:4 UsualWeight:1 Added:false} " +
		"{Name:TaintToleration Weight:3 UsualWeight:3 Added:false} {Name:NodeResourcesFit Weight:1 UsualWeight:1 Added:false} " +
		"{Name:VolumeBinding Weight:1 UsualWeight:1 Added:false} {Name:PodTopologySpread Weight:2 UsualWeight:2 Added:false} " +
		"{Name:InterPodAffinity Weight:2 UsualWeight:2 Added:false} {Name:DynamicResources Weight:2 UsualWeight:2 Added:false} " +
		"{Name:NodeResourcesBalancedAllocation Weight:1 UsualWeight:1 Added:false}] Removed:[NodeAffinity] Moved:true}"}
	if diff := cmp.Diff(want, differs); diff != "" {
		t.Errorf("points that differ from the default (-want +got):\n%s", diff)
	}
	settings := []review.Setting{
		{"extenders[0].filterVerb", "f", ""},
		{"extenders[0].httpTimeout", "0s", ""},
		{"extenders[0].urlPrefix", "https://a", ""},
		{"podMaxBackoffSeconds", "60", "10"},
		{"profiles[0].percentageOfNodesToScore", "50", ""},
	}
	if diff := cmp.Diff(settings, r.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// What the tests of package config accept has no errors, and what they refuse has all of theirs.
func TestReview_AgreesWithLoad(t *testing.T) {
	paths, err := filepath.Glob("../../scheduler/config/testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in core/scheduler/config/testdata: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parts := map[string]string{}
		for _, f := range archive.Files {
			parts[f.Name] = strings.TrimSpace(string(f.Data))
		}
		r := reviewed(t, parts["config"], parts["feature-gates"])
		features, _ := config.ParseFeatureFlag(parts["feature-gates"])
		c, err := config.Load([]byte(parts["config"]), features)
		if err == nil {
			if len(r.Errors) > 0 && !strings.Contains(printed(r.Errors), "does not exist") {
				t.Errorf("%s is loaded, and has errors:\n%s", path, printed(r.Errors))
			}
			if c == nil {
				t.Errorf("%s is neither loaded nor refused", path)
			}
			continue
		}
		for _, one := range err.(*config.Error).List {
			if !strings.Contains(printed(r.Errors), one.ErrorBody()) && !strings.Contains(printed(r.Errors), one.Detail) {
				t.Errorf("%s: %v is missing of\n%s", path, one, printed(r.Errors))
			}
		}
	}
}
