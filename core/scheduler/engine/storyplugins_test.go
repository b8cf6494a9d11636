package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// pluginSpec is a plugin of a story: its extension points and results.
type pluginSpec struct {
	name    string
	points  []string
	answers map[string][]string // by extension point; the default is success
}

func (s *storyRun) plugin(name string) *pluginSpec {
	i := slices.IndexFunc(s.plugins, func(p *pluginSpec) bool { return p.name == name })
	if i < 0 {
		s.t.Fatalf("no plugin %q", name)
	}
	return s.plugins[i]
}

// configuration is the default one with the plugins of the story. Bind plugins come before the default one, unless it is disabled.
func (s *storyRun) configuration() *config.Configuration {
	byPoint := map[string]string{}
	for _, p := range s.plugins {
		for _, point := range p.points {
			byPoint[point] += fmt.Sprintf("{name: %s},", p.name)
		}
	}
	points := []string{fmt.Sprintf("multiPoint: {disabled: [%s]}", s.without)}
	for point, list := range byPoint {
		disabled := ""
		if point == "bind" {
			disabled = `disabled: [{name: "*"}],`
			if !strings.Contains(s.without, "DefaultBinder") {
				list += "{name: DefaultBinder}"
			}
		}
		points = append(points, fmt.Sprintf("%s: {%s enabled: [%s]}", point, disabled, list))
	}
	slices.Sort(points)
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
	for _, name := range append([]string{v1.DefaultSchedulerName}, s.others...) {
		text += fmt.Sprintf("- schedulerName: %s\n  plugins: {%s}\n", name, strings.Join(points, ", "))
	}
	if s.extenders != "" {
		text += "extenders:\n" + s.extenders
	}
	features, err := config.ParseFeaturesOf(s.release, s.gates)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := config.Load([]byte(text), features)
	if err != nil {
		s.t.Fatalf("%v, in:\n%s", err, text)
	}
	return c
}

func (s *storyRun) registry() framework.Registry {
	registry := framework.Registry{}
	for _, p := range s.plugins {
		registry[p.name] = func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			s.building.handle = h
			return storyPlugin{spec: p, handle: h, player: s.building}, nil
		}
	}
	return registry
}

// storyPlugin implements every extension point. It logs every call, and returns the results in the story.
type storyPlugin struct {
	spec   *pluginSpec
	handle fwk.Handle
	player *player
}

func (a storyPlugin) Name() string { return a.spec.name }

// answer logs a call and returns its result. The first word is the kind of result, the others are the reason.
//
//	ok | skip | error | unschedulable | unresolvable | pending <reason>
//	only <nodes>              in PreFilter: restricts the search to these nodes
//	wait <duration>           Permit returns Wait
//	release                   allows all pods that wait for this plugin, and this one
//	activate <pod>            success, and activates another pod
func (a storyPlugin) answer(point string, state fwk.CycleState, pod *v1.Pod, node string) (*fwk.Status, time.Duration) {
	a.player.logf("%s.%s %s on %s", a.spec.name, point, pod.Name, node)
	result := append(slices.Clone(a.spec.answers[point]), "", "")
	reason := strings.TrimSpace(strings.Join(result[1:], " "))
	switch result[0] {
	case "", "ok", "only":
		return nil, 0
	case "wait":
		d, err := time.ParseDuration(result[1])
		if err != nil {
			panic(err)
		}
		return fwk.NewStatus(fwk.Wait), d
	case "release":
		a.handle.IterateOverWaitingPods(func(w fwk.WaitingPod) { w.Allow(a.spec.name) })
		return nil, 0
	case "activate":
		data, err := state.Read(framework.PodsToActivateKey)
		if err != nil {
			panic(err)
		}
		other, err := a.handle.SharedInformerFactory().Core().V1().Pods().Lister().Pods(pod.Namespace).Get(result[1])
		if err != nil {
			panic(err)
		}
		data.(*framework.PodsToActivate).Map[other.Namespace+"/"+other.Name] = other
		return nil, 0
	}
	codes := map[string]fwk.Code{
		"skip": fwk.Skip, "error": fwk.Error, "unschedulable": fwk.Unschedulable,
		"unresolvable": fwk.UnschedulableAndUnresolvable, "pending": fwk.Pending,
	}
	return fwk.NewStatus(codes[result[0]], reason), 0
}

func (a storyPlugin) status(point string, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	status, _ := a.answer(point, state, pod, node)
	return status
}

func (a storyPlugin) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	status := a.status("PreFilter", state, pod, "any node")
	if result := a.spec.answers["PreFilter"]; len(result) > 0 && result[0] == "only" {
		return &fwk.PreFilterResult{NodeNames: sets.New(strings.Split(result[1], ",")...)}, status
	}
	return nil, status
}

func (a storyPlugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (a storyPlugin) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	return a.status("Filter", state, pod, node.Node().Name)
}

func (a storyPlugin) Reserve(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return a.status("Reserve", state, pod, node)
}

func (a storyPlugin) Unreserve(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	a.status("Unreserve", state, pod, node)
}

func (a storyPlugin) Permit(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) (*fwk.Status, time.Duration) {
	return a.answer("Permit", state, pod, node)
}

func (a storyPlugin) PreBindPreFlight(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, a.status("PreBindPreFlight", state, pod, node)
}

func (a storyPlugin) PreBind(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return a.status("PreBind", state, pod, node)
}

func (a storyPlugin) Bind(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return a.status("Bind", state, pod, node)
}

func (a storyPlugin) PostBind(_ context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	a.status("PostBind", state, pod, node)
}

// EventsToRegister: a new node helps the pods that the plugin rejected.
func (a storyPlugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}}}, nil
}
