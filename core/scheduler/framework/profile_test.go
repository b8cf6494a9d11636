package framework_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// cast are the plugins that the tables below pick from: F… filter, S… score, FS does both.
var cast = framework.Registry{
	"Sort":  made(sorter{fake{name: "Sort"}}),
	"Sort2": made(sorter{fake{name: "Sort2"}}),
	"Bind":  made(bind{fake: fake{name: "Bind"}}),
	"F1":    made(filter{fake: fake{name: "F1"}}),
	"F2":    made(filter{fake: fake{name: "F2"}}),
	"F3":    made(filter{fake: fake{name: "F3"}}),
	"S1":    made(score{fake: fake{name: "S1"}}),
	"S2":    made(score{fake: fake{name: "S2"}}),
	"FS": made(struct {
		filter
		score
		named
	}{named: "FS"}),
	"Alias": made(score{fake: fake{name: "Other"}}),
}

type named string

func (n named) Name() string { return string(n) }

// list reads "A B:3" as two plugins, the second with a weight.
func list(text string) []configv1.Plugin {
	var plugins []configv1.Plugin
	for _, word := range strings.Fields(text) {
		name, weight, weighted := strings.Cut(word, ":")
		p := configv1.Plugin{Name: name}
		if weighted {
			var w int32
			fmt.Sscan(weight, &w)
			p.Weight = &w
		}
		plugins = append(plugins, p)
	}
	return plugins
}

func set(enabled, disabled string) configv1.PluginSet {
	return configv1.PluginSet{Enabled: list(enabled), Disabled: list(disabled)}
}

// Shows FRAME-01, FRAME-30 and FRAME-31.
func TestNewProfile_MultiPoint(t *testing.T) {
	tests := []struct {
		name                string
		multi               string
		filter, score       configv1.PluginSet
		wantFilter, weights string
	}{
		{
			name:  "a plugin extends every point it implements",
			multi: "F1 S1 FS", wantFilter: "F1 FS", weights: "S1:1 FS:1",
		},
		{
			name:  "the order is that of MultiPoint",
			multi: "FS F2 S2 F1 S1", wantFilter: "FS F2 F1", weights: "FS:1 S2:1 S1:1",
		},
		{
			name:  "a plugin disabled at one point",
			multi: "F1 FS", filter: set("", "FS"), wantFilter: "F1", weights: "FS:1",
		},
		{
			name:  "a star disables MultiPoint's plugins, not the point's",
			multi: "F1 F2 FS", filter: set("F3", "*"), wantFilter: "F3", weights: "FS:1",
		},
		{
			name:  "plugins that both enable come first, in the point's order, those of the point alone last",
			multi: "F1 F2 FS", filter: set("F3 FS F1", ""), wantFilter: "FS F1 F2 F3", weights: "FS:1",
		},
		{
			name:  "the point's weight overrides MultiPoint's",
			multi: "S1:3 S2:5 FS", score: set("S2:7", ""), wantFilter: "FS", weights: "S2:7 S1:3 FS:1",
		},
		{
			name:  "no weight and a weight of zero count as one",
			multi: "S1:0 S2", weights: "S1:1 S2:1",
		},
		{
			name:   "points can do without MultiPoint",
			filter: set("F2 F1", ""), score: set("S1:2", ""), wantFilter: "F2 F1", weights: "S1:2",
		},
		{
			name:  "disabled and enabled at one point means enabled there, after the others",
			multi: "F1 F2", filter: set("F1", "F1"), wantFilter: "F2 F1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := config.Profile{SchedulerName: "test", Plugins: &configv1.Plugins{
				MultiPoint: set("Sort Bind "+tt.multi, ""), Filter: tt.filter, Score: tt.score,
			}}
			p, err := framework.NewProfile(ctx, cast, c, framework.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(p.Enabled(framework.Filter), " "); got != tt.wantFilter {
				t.Errorf("Filter plugins: got %q, want %q", got, tt.wantFilter)
			}
			var weights []string
			for _, name := range p.Enabled(framework.Score) {
				weights = append(weights, fmt.Sprintf("%s:%d", name, p.Weight(name)))
			}
			if got := strings.Join(weights, " "); got != tt.weights {
				t.Errorf("Score plugins: got %q, want %q", got, tt.weights)
			}
		})
	}
}

// Shows QUEUE-03 and FRAME-09.
func TestNewProfile_Errors(t *testing.T) {
	registry := framework.Registry{}
	if err := registry.Merge(cast); err != nil {
		t.Fatal(err)
	}
	registry["Broken"] = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
		return nil, errors.New("want args to be of type X")
	}
	registry["Missing"] = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return nil, nil }
	tests := []struct {
		name    string
		plugins configv1.Plugins
		want    string
	}{
		{
			"an unknown plugin, at one point",
			configv1.Plugins{MultiPoint: set("Sort Bind", ""), Score: set("Nope", "")},
			`ScorePlugin "Nope" does not exist`,
		},
		{
			"an unknown plugin in MultiPoint is reported at the first point",
			configv1.Plugins{MultiPoint: set("Sort Bind Nope", ""), PreFilter: set("", "*")},
			`FilterPlugin "Nope" does not exist`,
		},
		{
			"a plugin at a point that it does not implement",
			configv1.Plugins{MultiPoint: set("Sort Bind", ""), Filter: set("S1", "")},
			`plugin "S1" does not extend FilterPlugin plugin`,
		},
		{
			"a plugin twice at one point",
			configv1.Plugins{MultiPoint: set("Sort Bind", ""), Filter: set("F1 F2 F1", "")},
			`plugin "F1" already registered as "FilterPlugin"`,
		},
		{
			"a plugin twice in MultiPoint",
			configv1.Plugins{MultiPoint: set("Sort Bind F1 F1", "")},
			`plugin "F1" already registered as "FilterPlugin"`,
		},
		{
			"mistakes at points come before those in MultiPoint",
			configv1.Plugins{MultiPoint: set("Sort Bind Nope", ""), QueueSort: set("F1", "")},
			`plugin "F1" does not extend QueueSortPlugin plugin` + "\n" + `PreFilterPlugin "Nope" does not exist`,
		},
		{
			"all mistakes, one for each plugin",
			configv1.Plugins{MultiPoint: set("Bind Nope Broken", ""), Filter: set("S1 Nope", ""), Score: set("F1 S1 S1", "")},
			"initializing plugin \"Broken\": want args to be of type X\n" +
				"plugin \"S1\" does not extend FilterPlugin plugin\n" +
				"FilterPlugin \"Nope\" does not exist\n" +
				"plugin \"F1\" does not extend ScorePlugin plugin",
		},
		{
			"what is missing, if all that is there could be made",
			configv1.Plugins{MultiPoint: set("F1", ""), Filter: set("S1", "")},
			"plugin \"S1\" does not extend FilterPlugin plugin\n" +
				"only one queue sort plugin required for profile with scheduler name \"test\", but got 0\n" +
				"at least one bind plugin is needed for profile with scheduler name \"test\"",
		},
		{
			"no QueueSort plugin",
			configv1.Plugins{MultiPoint: set("Bind", "")},
			`only one queue sort plugin required for profile with scheduler name "test", but got 0`,
		},
		{
			"two that sort the queue",
			configv1.Plugins{MultiPoint: set("Bind Sort Sort2", "")},
			`only one queue sort plugin required for profile with scheduler name "test", but got 2`,
		},
		{
			"no Bind plugin",
			configv1.Plugins{MultiPoint: set("Sort", "")},
			`at least one bind plugin is needed for profile with scheduler name "test"`,
		},
		{
			"a factory that fails",
			configv1.Plugins{MultiPoint: set("Sort Bind Broken", "")},
			`initializing plugin "Broken": want args to be of type X`,
		},
		{
			"a factory that returns neither plugin nor error",
			configv1.Plugins{MultiPoint: set("Sort Bind Missing", "")},
			`initializing plugin "Missing": its factory returned no plugin`,
		},
		{
			"a Score plugin that calls itself something else has no weight",
			configv1.Plugins{MultiPoint: set("Sort Bind Alias", "")},
			`score plugin "Other" is not configured with weight`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := framework.NewProfile(ctx, registry, config.Profile{SchedulerName: "test", Plugins: &tt.plugins}, framework.Options{})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error  %v\nwant error %s", err, tt.want)
			}
		})
	}
}

// No realistic configuration overflows the total: it takes 42,949,674 plugins of the maximum weight. But the
// check subtracts from the maximum, and a negative weight, which validation accepts, breaks it for the plugins
// after it.
func TestNewProfile_ScoreWeights(t *testing.T) {
	tests := []struct {
		name, score, want string
	}{
		{"the maximum weights", fmt.Sprintf("S1:%d S2:%d", math.MaxInt32, math.MaxInt32), ""},
		{"a negative weight at the end", "S1:1 S2:-1", ""},
		{"a negative weight, and one more plugin", "S1:-1 S2:1", "total score of Score plugins could overflow"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := config.Profile{SchedulerName: "test", Plugins: &configv1.Plugins{MultiPoint: set("Sort Bind", ""), Score: set(tt.score, "")}}
			_, err := framework.NewProfile(ctx, cast, c, framework.Options{})
			if (err == nil) != (tt.want == "") || (err != nil && err.Error() != tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

// Shows FRAME-29.
func TestNewProfile_MakesOnlyEnabledPlugins(t *testing.T) {
	var order []string
	registry := framework.Registry{}
	for name, factory := range cast {
		registry[name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			order = append(order, name)
			if name == "F3" && args.(*configv1.NodeAffinityArgs).AddedAffinity == nil {
				t.Error("F3 got no args")
			}
			return factory(ctx, args, h)
		}
	}
	c := config.Profile{
		SchedulerName: "test",
		Plugins:       &configv1.Plugins{MultiPoint: set("Sort F3 Bind", ""), Score: set("S2 FS", ""), Filter: set("F1", "")},
		Args:          map[string]runtime.Object{"F3": &configv1.NodeAffinityArgs{AddedAffinity: &v1.NodeAffinity{}}},
	}
	p, err := framework.NewProfile(ctx, registry, c, framework.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Sort", "F3", "Bind", "F1", "S2", "FS"}, order); diff != "" {
		t.Errorf("order of creation (-want +got):\n%s", diff)
	}
	if _, ok := p.Plugin("F2"); ok {
		t.Error("F2 was created although it is not enabled")
	}
}

// extender is there to be counted, not to be called.
type extender struct{ fwk.Extender }

// Shows QUEUE-26 and FRAME-07.
func TestEnqueueExtensions_ListsPluginsThatCanReject(t *testing.T) {
	all := []fwk.Plugin{
		tracerOnly{},
		sorter{fake{name: "Sort"}},
		preFilter{fake: fake{name: "PreFilter"}},
		score{fake: fake{name: "Score"}},
		filter{fake: fake{name: "Filter"}},
		postFilter{fake: fake{name: "PostFilter"}},
		preScore{fake: fake{name: "PreScore"}},
		reserve{fake: fake{name: "Reserve"}},
		permit{fake: fake{name: "Permit"}},
		preBind{fake: fake{name: "PreBind"}},
		bind{fake: fake{name: "Bind"}},
	}
	p := profile(t, framework.Options{Extenders: []fwk.Extender{extender{}}}, all...)
	var got []string
	for _, plugin := range p.EnqueueExtensions() {
		got = append(got, plugin.Name())
	}
	if diff := cmp.Diff([]string{"Extender", "PreEnqueue", "PreFilter", "Filter", "Reserve", "Permit"}, got); diff != "" {
		t.Errorf("plugins whose events matter (-want +got):\n%s", diff)
	}
}

type tracerOnly struct{}

func (tracerOnly) Name() string                                    { return "PreEnqueue" }
func (tracerOnly) PreEnqueue(context.Context, *v1.Pod) *fwk.Status { return nil }

// Shows QUEUE-03.
func TestNewProfiles(t *testing.T) {
	one := func(name, plugins string) config.Profile {
		return config.Profile{SchedulerName: name, Plugins: &configv1.Plugins{MultiPoint: set(plugins, "")}}
	}
	withArgs := func(c config.Profile, args runtime.Object) config.Profile {
		c.Args = map[string]runtime.Object{"Sort": args}
		return c
	}
	tests := []struct {
		name     string
		profiles []config.Profile
		want     string // the error; none if empty
	}{
		{"two with different Filter plugins", []config.Profile{one("a", "Sort Bind F1"), one("b", "Sort Bind F2")}, ""},
		{"none", nil, "at least one profile is required"},
		{"no name", []config.Profile{one("", "Sort Bind")}, "scheduler name is needed"},
		{"no plugins", []config.Profile{{SchedulerName: "a"}}, `plugins required for profile with scheduler name "a"`},
		{"one name twice", []config.Profile{one("a", "Sort Bind"), one("a", "Sort Bind")}, `duplicate profile with scheduler name "a"`},
		{
			"different queue sorts",
			[]config.Profile{one("a", "Sort Bind"), one("b", "Sort2 Bind")},
			`different queue sort plugins for profile "b": "Sort2", first: "Sort"`,
		},
		{
			"different args of the queue sort",
			[]config.Profile{one("a", "Sort Bind"), withArgs(one("b", "Sort Bind"), &configv1.InterPodAffinityArgs{})},
			`different queue sort plugin args for profile "b"`,
		},
		{
			"several that fail",
			[]config.Profile{one("a", "Sort"), one("b", "Sort Bind"), one("c", "Bind")},
			`creating profile for scheduler name a: at least one bind plugin is needed for profile with scheduler name "a"` + "\n" +
				`creating profile for scheduler name c: only one queue sort plugin required for profile with scheduler name "c", but got 0`,
		},
		{"one that fails", []config.Profile{one("a", "Sort")}, `creating profile for scheduler name a: at least one bind plugin is needed for profile with scheduler name "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, err := framework.NewProfiles(ctx, cast, tt.profiles, func(string) framework.Options { return framework.Options{} })
			if tt.want != "" {
				if err == nil || err.Error() != tt.want {
					t.Errorf("got error  %v\nwant error %s", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if all.ByName("b") != all.List[1] || all.ByName("c") != nil {
				t.Error("profiles are not found by scheduler name")
			}
		})
	}
}

func TestRegistry_RejectsDuplicateNames(t *testing.T) {
	r := framework.Registry{}
	if err := r.Merge(framework.Registry{"A": nil, "B": nil}); err != nil {
		t.Fatal(err)
	}
	if err := r.Merge(framework.Registry{"C": nil, "B": nil, "A": nil}); err == nil || err.Error() != "a plugin named A already exists" {
		t.Errorf("merging the same names again: got error %v", err)
	}
}

// counter counts something from one cycle to the next.
type counter struct {
	filter
	count  int
	closed bool
}

func (c *counter) ForkFrom(old fwk.Plugin) { c.count = old.(*counter).count }

func (c *counter) Close() error {
	c.closed = true
	return errors.New("stuck")
}

func TestProfile_ForkFromCopiesPluginState(t *testing.T) {
	original, copied := &counter{filter: filter{fake: fake{name: "C"}}, count: 3}, &counter{filter: filter{fake: fake{name: "C"}}}
	clone := profile(t, framework.Options{}, copied)
	clone.ForkFrom(profile(t, framework.Options{}, original))
	original.count++
	if copied.count != 3 {
		t.Errorf("the copy remembers %d, want 3", copied.count)
	}
	if err := clone.Close(); err == nil || err.Error() != "C failed to close: stuck" || !copied.closed {
		t.Errorf("closing: got error %v", err)
	}
}

type recordingEmitter []string

func (a *recordingEmitter) Emit(act world.Action, plugin string) world.EffectID {
	*a = append(*a, fmt.Sprintf("%s %v", plugin, act))
	return world.EffectID(len(*a))
}

func TestHandle_EmitsEffects(t *testing.T) {
	var called recordingEmitter
	var h fwk.Handle = profile(t, framework.Options{Emitter: &called})
	id := h.(framework.Emitter).Emit(world.Delete{Pod: world.PodRef{Namespace: "default", Name: "victim"}}, "Preemption")
	if id != 1 || len(called) != 1 || called[0] != "Preemption {default/victim}" {
		t.Errorf("effect %d, emitted %q", id, called)
	}
	var alone fwk.Handle = profile(t, framework.Options{})
	if id := alone.(framework.Emitter).Emit(world.Delete{}, "Preemption"); id != 0 {
		t.Errorf("a profile without an engine promised effect %d", id)
	}
}
