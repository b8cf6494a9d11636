package framework_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// blinkingLights is the normaliser of the documentation's BlinkingLightScorer: the node that blinks most gets 100. The
// documentation divides by the highest score; with no blinking light that is zero.
func blinkingLights(scores fwk.NodeScoreList) *fwk.Status {
	var highest int64
	for _, s := range scores {
		highest = max(highest, s.Score)
	}
	for i := range scores {
		if highest > 0 {
			scores[i].Score = scores[i].Score * fwk.MaxScore / highest
		}
	}
	return nil
}

// table prints scores as "n1 = A 50 + B 20 = 70", a line for each node.
func table(scores []fwk.NodePluginScores) string {
	var b strings.Builder
	for _, n := range scores {
		var parts []string
		for _, s := range n.Scores {
			parts = append(parts, fmt.Sprintf("%s %d", s.Name, s.Score))
		}
		fmt.Fprintf(&b, "%s = %s = %d\n", n.Name, strings.Join(parts, " + "), n.TotalScore)
	}
	return b.String()
}

// Shows FRAME-14, FRAME-15, FRAME-16, FRAME-17, C-25 and NODE-10.
func TestRunScorePlugins_NormalizesWeighsAndSums(t *testing.T) {
	world := nodes("a", "b")
	tests := []struct {
		name    string
		plugins []fwk.Plugin
		weights string
		want    string
	}{
		{
			"blinking lights: 2 and 4 become 50 and 100",
			[]fwk.Plugin{score{fake: fake{name: "Light"}, scores: map[string]int64{"a": 2, "b": 4}, normalize: blinkingLights}},
			"Light",
			"a = Light 50 = 50\nb = Light 100 = 100\n",
		},
		{
			"no light blinks",
			[]fwk.Plugin{score{fake: fake{name: "Light"}, normalize: blinkingLights}},
			"Light",
			"a = Light 0 = 0\nb = Light 0 = 0\n",
		},
		{
			"weights multiply normalised scores; a plugin without NormalizeScore is not normalised",
			[]fwk.Plugin{
				score{fake: fake{name: "Light"}, scores: map[string]int64{"a": 2, "b": 4}, normalize: blinkingLights},
				score{fake: fake{name: "Plain"}, scores: map[string]int64{"a": 100, "b": 7}},
			},
			"Light:3 Plain:2",
			"a = Light 150 + Plain 200 = 350\nb = Light 300 + Plain 14 = 314\n",
		},
		{
			"a plugin whose PreScore skips does not score",
			[]fwk.Plugin{
				struct {
					preScore
					score
					named
				}{preScore: preScore{answer: answer{fwk.Skip, ""}}, score: score{scores: map[string]int64{"a": 50}}, named: "Skips"},
				score{fake: fake{name: "Plain"}, scores: map[string]int64{"a": 1, "b": 2}},
			},
			"Skips Plain",
			"a = Plain 1 = 1\nb = Plain 2 = 2\n",
		},
		{"no Score plugins", nil, "", "a =  = 0\nb =  = 0\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := weighted(t, tt.weights, tt.plugins...)
			for _, state := range []fwk.CycleState{framework.NewCycleState(), foreign{framework.NewCycleState()}} {
				if status := p.RunPreScorePlugins(ctx, state, web, world); !status.IsSuccess() {
					t.Fatalf("PreScore: %s", describe(status))
				}
				scores, status := p.RunScorePlugins(ctx, state, web, world)
				if !status.IsSuccess() {
					t.Fatalf("Score: %s", describe(status))
				}
				if diff := cmp.Diff(tt.want, table(scores)); diff != "" {
					t.Errorf("%T (-want +got):\n%s", state, diff)
				}
			}
		})
	}
}

// weighted makes a profile whose Score plugins have weights, given as "A:3 B".
func weighted(t *testing.T, weights string, plugins ...fwk.Plugin) *framework.Profile {
	t.Helper()
	registry := framework.Registry{"Sort": cast["Sort"], "Bind": cast["Bind"]}
	for _, p := range plugins {
		registry[p.Name()] = made(p)
	}
	c := config.Profile{SchedulerName: "test", Plugins: &configv1.Plugins{MultiPoint: set("Sort Bind "+weights, "")}}
	p, err := framework.NewProfile(ctx, registry, c, framework.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Shows FRAME-14 and FRAME-16.
func TestRunScorePlugins_Errors(t *testing.T) {
	normalizes := func(s answer) func(fwk.NodeScoreList) *fwk.Status {
		return func(fwk.NodeScoreList) *fwk.Status { return s.status() }
	}
	tests := []struct {
		name   string
		plugin score
		want   string
	}{
		{"Score returns an error", score{answer: answer{fwk.Error, "lost"}}, `Error: running Score plugins: plugin "A" failed with: lost`},
		{"Score rejects, which is invalid", score{answer: answer{fwk.Unschedulable, "no"}}, `Error: running Score plugins: plugin "A" failed with: no`},
		{"Score skips, which is invalid", score{answer: answer{fwk.Skip, ""}}, `Error: running Score plugins: plugin "A" failed with: unexpected status Skip`},
		{"normalising fails", score{normalize: normalizes(answer{fwk.Error, "lost"})}, `Error: running Normalize on Score plugins: plugin "A" failed with: lost`},
		{
			"a score is above the range",
			score{scores: map[string]int64{"b": 101}},
			`Error: applying score defaultWeights on Score plugins: plugin "A" returns an invalid score 101, it should in the range of [0, 100] after normalizing`,
		},
		{
			"a score is below the range",
			score{scores: map[string]int64{"a": -1}},
			`Error: applying score defaultWeights on Score plugins: plugin "A" returns an invalid score -1, it should in the range of [0, 100] after normalizing`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.plugin.fake = fake{name: "A"}
			scores, status := weighted(t, "A", tt.plugin).RunScorePlugins(ctx, framework.NewCycleState(), web, nodes("a", "b"))
			if got := describe(status); got != tt.want || scores != nil {
				t.Errorf("got %q and %d scores\nwant %q and none", got, len(scores), tt.want)
			}
		})
	}
}

// Shows FRAME-13.
func TestRunPreScorePlugins_Errors(t *testing.T) {
	var log []string
	p := profile(t, framework.Options{}, preScore{fake{"A", &log}, answer{fwk.Skip, ""}}, preScore{fake{"B", &log}, answer{fwk.Unschedulable, "no"}}, preScore{fake{"C", &log}, answer{}})
	state := framework.NewCycleState()
	status := p.RunPreScorePlugins(ctx, state, web, nodes("a"))
	if got, want := describe(status), `Error: running PreScore plugin "B": no`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := strings.Join(log, ", "); got != "PreScore A, PreScore B" {
		t.Errorf("called %q", got)
	}
	if !state.GetSkipScorePlugins().Has("A") {
		t.Error("A's Skip is not in the state")
	}
}

// reentrant runs the Score plugins again from within its own Score.
type reentrant struct {
	score
	profile *framework.Profile
	inner   string
	deep    bool
}

func (n *reentrant) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	if !n.deep {
		n.deep = true
		scores, _ := n.profile.RunScorePlugins(ctx, state, pod, nodes("x", "y", "z"))
		n.inner = table(scores)
	}
	return 1, nil
}

func TestRunScorePlugins_IsReentrant(t *testing.T) {
	n := &reentrant{score: score{fake: fake{name: "Nosy"}}}
	n.profile = profile(t, framework.Options{}, score{fake: fake{name: "Plain"}, scores: map[string]int64{"a": 5, "x": 6}}, n)
	outer, _ := n.profile.RunScorePlugins(ctx, framework.NewCycleState(), web, nodes("a", "b"))
	if want := "a = Plain 5 + Nosy 1 = 6\nb = Plain 0 + Nosy 1 = 1\n"; table(outer) != want {
		t.Errorf("outer scores:\n%swant:\n%s", table(outer), want)
	}
	if want := "x = Plain 6 + Nosy 1 = 7\ny = Plain 0 + Nosy 1 = 1\nz = Plain 0 + Nosy 1 = 1\n"; n.inner != want {
		t.Errorf("inner scores:\n%swant:\n%s", n.inner, want)
	}
}

func TestRunScorePlugins_ReusesMemory(t *testing.T) {
	p := profile(t, framework.Options{}, score{fake: fake{name: "A"}, scores: map[string]int64{"a": 9}})
	first, _ := p.RunScorePlugins(ctx, framework.NewCycleState(), web, nodes("a", "b", "c"))
	first[0].Randomizer = 7
	second, _ := p.RunScorePlugins(ctx, framework.NewCycleState(), web, nodes("b"))
	if &first[0] != &second[0] {
		t.Error("the scores were not reused")
	}
	if diff := cmp.Diff([]fwk.NodePluginScores{{Name: "b", Scores: []fwk.PluginScore{{Name: "A"}}}}, second); diff != "" {
		t.Errorf("the scores have data of the previous cycle (-want +got):\n%s", diff)
	}
}

// Scores that are kept before normalization, and those of one more node, are normalized to what scoring all of them gives.
func TestNormalizeScores_AgreesWithScoringAll(t *testing.T) {
	p := weighted(
		t, "Skips Light:3 Plain",
		struct {
			preScore
			score
			named
		}{preScore: preScore{answer: answer{fwk.Skip, ""}}, score: score{scores: map[string]int64{"a": 1, "b": 2, "c": 3}}, named: "Skips"},
		score{fake: fake{name: "Light"}, scores: map[string]int64{"a": 2, "b": 4, "c": 8}, normalize: blinkingLights},
		score{fake: fake{name: "Plain"}, scores: map[string]int64{"a": 100, "b": 7}},
	)
	world, state := nodes("a", "b", "c"), framework.NewCycleState()
	p.RunPreScorePlugins(ctx, state, web, world)
	scores, status := p.RunScorePlugins(ctx, state, web, world)
	want := table(scores)
	var raw framework.RawScores
	if !status.IsSuccess() || raw.Rows() != 0 {
		t.Fatalf("scoring all: %v", status)
	}
	if scores, status = p.RunScorePluginsKeepingRaw(ctx, state, web, world[:2], &raw); !status.IsSuccess() || raw.Rows() != 2 {
		t.Fatalf("scoring two: %v, %d rows", status, raw.Rows())
	}
	if two := table(scores); strings.HasPrefix(want, two) {
		t.Fatalf("the third node changes nothing:\n%s", two)
	}
	if status = p.RunRawScorePlugins(ctx, state, web, world[2], &raw); !status.IsSuccess() || raw.Rows() != 3 {
		t.Fatalf("scoring the third: %v, %d rows", status, raw.Rows())
	}
	scores, status = p.NormalizeScores(ctx, state, web, world, &raw)
	if diff := cmp.Diff(want, table(scores)); diff != "" || !status.IsSuccess() {
		t.Errorf("%v (-all at once +one later):\n%s", status, diff)
	}
}
