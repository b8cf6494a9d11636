package framework

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
)

func number(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func TestBothRuntimesDoTheSame(t *testing.T) {
	seed, count := number(t, "ORRERY_SEED", 1), number(t, "ORRERY_CASES", 5000)
	names := []string{"n1", "n2", "n3"}
	snapshot := newNodes(names...)
	list, err := snapshot.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	high, _ := upframework.NewPodInfo(newPod("high", 5))
	low, _ := upframework.NewPodInfo(newPod("low", -5))
	s := stage{snapshot, list, nominator{"n2": {low, high}, "n3": {low}}}
	profiles, refused := 0, 0
	for i := range count {
		d := drawer{rand.New(rand.NewPCG(seed, i))}
		var log []string
		var plugins []fwk.Plugin
		called := []string{"Sort"}
		for j := range 1 + d.IntN(4) {
			name := string(rune('A' + j))
			plugins = append(plugins, d.plugin(name, names, &log))
			called = append(called, name)
		}
		theirs, ours, theirErr, ourErr := s.build(append(plugins, sorter{}), d.configuration(called))
		if fmt.Sprint(theirErr) != fmt.Sprint(ourErr) {
			t.Fatalf("case %d of seed %d: kube-scheduler says %v, Orrery %v", i, seed, theirErr, ourErr)
		}
		if theirErr != nil {
			refused++
			continue
		}
		profiles++
		if diff := cmp.Diff(s.play(theirs, high, &log), s.play(ours, high, &log)); diff != "" {
			t.Fatalf("case %d of seed %d (-kube-scheduler +Orrery):\n%s", i, seed, diff)
		}
	}
	t.Logf("%d profiles from seed %d, and %d more that both refuse with the same words", profiles, seed, refused)
	if count > 100 && (profiles == 0 || refused == 0) {
		t.Error("all configurations were accepted, or none: the test shows little")
	}
}

// play runs every extension point once, and writes down what was said and who was called.
func (s stage) play(r running, other fwk.PodInfo, log *[]string) []string {
	*log = nil
	pod, state := newPod("in", 0), r.newState()
	filters, scorers := r.enabled()
	told := []string{fmt.Sprint(filters, scorers)}
	told = append(told, s.search(r, state, pod, other)...)
	told = append(told, words(r.RunPreScorePlugins(ctx, state, pod, s.nodes)), fmt.Sprint(sets.List(state.GetSkipScorePlugins())))
	scores, status := r.RunScorePlugins(ctx, state, pod, s.nodes)
	told = append(told, words(status), fmt.Sprint(scores), words(r.reserve(state, pod)), words(r.permit(state, pod)))
	if waiting := r.GetWaitingPod("in"); waiting != nil {
		pending := waiting.GetPendingPlugins()
		slices.Sort(pending)
		told = append(told, fmt.Sprint(pending))
		waiting.Reject("test", "is over") // ends upstream's timers
	}
	told = append(told, words(r.RunPreBindPreFlights(ctx, state, pod, "n1")), words(r.RunPreBindPlugins(ctx, state, pod, "n1")),
		words(r.RunBindPlugins(ctx, state, pod, "n1")))
	r.RunPostBindPlugins(ctx, state, pod, "n1")
	r.unreserve(state, pod)
	return append(told, *log...)
}

func (s stage) search(r running, state fwk.CycleState, pod *v1.Pod, other fwk.PodInfo) (told []string) {
	result, status, narrowing := r.RunPreFilterPlugins(ctx, state, pod)
	told = append(told, words(status), fmt.Sprint(sets.List(narrowing), sets.List(state.GetSkipFilterPlugins())))
	if !result.AllNodes() {
		told = append(told, fmt.Sprint(sets.List(result.NodeNames)))
	}
	for _, node := range s.nodes {
		told = append(told, words(r.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)))
	}
	told = append(told, words(r.RunPreFilterExtensionRemovePod(ctx, state, pod, other, s.nodes[0])))
	made, status := r.RunPostFilterPlugins(ctx, state, pod, nil)
	told = append(told, words(status))
	if made != nil && made.NominatingInfo != nil {
		told = append(told, fmt.Sprint(*made.NominatingInfo))
	}
	return told
}

func words(s *fwk.Status) string {
	if s.IsSuccess() {
		return "Success"
	}
	return s.Code().String() + " by " + s.Plugin() + ": " + s.Message()
}
