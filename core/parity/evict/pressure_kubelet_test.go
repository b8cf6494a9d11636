package evict

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	clocktesting "k8s.io/utils/clock/testing"

	"orrery/core/evict"
	"orrery/core/evict/pressure"
	"orrery/core/world"
)

// upstreamKubelet is upstream's eviction manager, with the log of its last pass.
type upstreamKubelet struct {
	manager eviction.Manager
	admit   lifecycle.PodAdmitHandler
	clock   *clocktesting.FakeClock
	layout  pressure.Layout

	summary, after *statsapi.Summary
	log            []string
}

// upstreamSummary converts a summary to upstream's type, whose fields have the same names in the summary API.
func upstreamSummary(s *pressure.Summary) *statsapi.Summary {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	var out statsapi.Summary
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return &out
}

func signalTexts(list map[pressure.Signal]string) map[string]string {
	out := map[string]string{}
	for k, v := range list {
		out[string(k)] = v
	}
	return out
}

func newUpstreamKubelet(h *nodeHistory) (*upstreamKubelet, error) {
	var enforce []string
	if h.Config.EnforceAllocatable {
		enforce = []string{"pods"}
	}
	c := h.Config
	thresholds, err := eviction.ParseThresholdConfig(enforce, signalTexts(c.Hard), signalTexts(c.Soft), signalTexts(c.SoftGrace), signalTexts(c.MinimumReclaim))
	if err != nil {
		return nil, err
	}
	t := &upstreamKubelet{clock: clocktesting.NewFakeClock(nodeEpoch), layout: h.Layout}
	config := eviction.Config{PressureTransitionPeriod: c.PressureTransition, MaxPodGracePeriodSeconds: c.MaxPodGraceSeconds, Thresholds: thresholds}
	t.manager, t.admit = eviction.NewManager(t, config, t.kill, t, t, t, &v1.ObjectReference{Kind: "Node", Name: "n1"}, t.clock, c.LocalStorageIsolation)
	return t, nil
}

func (t *upstreamKubelet) Get(context.Context, bool) (*statsapi.Summary, error) {
	return t.summary, nil
}

func (t *upstreamKubelet) GetCPUAndMemoryStats(context.Context) (*statsapi.Summary, error) {
	return t.summary, nil
}

func (t *upstreamKubelet) HasDedicatedImageFs(context.Context) (bool, error) {
	return t.layout != pressure.OneFs, nil
}

func (t *upstreamKubelet) HasDedicatedContainerFs(context.Context) (bool, error) {
	return t.layout == pressure.SplitImageFs, nil
}

func (t *upstreamKubelet) DeleteUnusedImages(context.Context) error {
	t.summary = t.after
	t.log = append(t.log, "reclaims images")
	return nil
}

func (t *upstreamKubelet) DeleteAllUnusedContainers(context.Context) error {
	t.summary = t.after
	t.log = append(t.log, "reclaims containers")
	return nil
}

func (t *upstreamKubelet) kill(pod *v1.Pod, _ bool, grace *int64, change func(*v1.PodStatus)) error {
	var status v1.PodStatus
	change(&status)
	t.log = append(t.log, evictionText(pod.Name, *grace, status))
	return nil
}

func evictionText(name string, grace int64, status v1.PodStatus) string {
	text := fmt.Sprintf("evicts %s with grace period %ds: %s %s %q", name, grace, status.Phase, status.Reason, status.Message)
	for _, c := range status.Conditions {
		text += fmt.Sprintf(" [%s %s %s %q %d]", c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration)
	}
	return text
}

func (t *upstreamKubelet) Event(runtime.Object, string, string, string) {}
func (t *upstreamKubelet) Eventf(_ runtime.Object, kind, reason, format string, args ...any) {
	t.log = append(t.log, fmt.Sprintf("%s %s ", kind, reason)+fmt.Sprintf(format, args...))
}

func (t *upstreamKubelet) AnnotatedEventf(_ runtime.Object, annotations map[string]string, _, _, _ string, _ ...any) {
	t.log = append(t.log, annotationText(annotations))
}

func annotationText(annotations map[string]string) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(annotations)) {
		all = append(all, k+"="+annotations[k])
	}
	return "notes " + strings.Join(all, " ")
}

func (t *upstreamKubelet) conditions() (all []v1.NodeConditionType) {
	for _, c := range []struct {
		name v1.NodeConditionType
		on   bool
	}{
		{v1.NodeMemoryPressure, t.manager.IsUnderMemoryPressure()},
		{v1.NodeDiskPressure, t.manager.IsUnderDiskPressure()},
		{v1.NodePIDPressure, t.manager.IsUnderPIDPressure()},
	} {
		if c.on {
			all = append(all, c.name)
		}
	}
	return all
}

// orreryKubelet is Orrery's kubelet, with the log of its last pass.
type orreryKubelet struct {
	kubelet *pressure.Kubelet
	pods    map[string]*v1.Pod
	log     []string
	victims []string
	starved pressure.Signal
}

func newOrreryKubelet(h *nodeHistory) (*orreryKubelet, error) {
	k, err := pressure.New(pressure.Options{Node: "n1", Configuration: h.Config, Layout: h.Layout, Start: nodeEpoch.Add(time.Second)}, evict.NewRecord())
	if err != nil {
		return nil, err
	}
	o := &orreryKubelet{kubelet: k, pods: map[string]*v1.Pod{}}
	for _, pod := range h.Pods {
		o.pods[pod.Name] = pod
		k.Apply(world.Input{At: nodeEpoch, Event: world.Changed{Object: pod}})
	}
	return o, nil
}

// synchronize runs one pass. Evicted pods are removed at once.
func (o *orreryKubelet) synchronize(at time.Time, before, after *pressure.Summary) {
	o.log, o.victims, o.starved = nil, nil, ""
	o.kubelet.Observe(at, before)
	o.kubelet.Apply(world.Input{At: at, Event: world.Tick{}})
	for log := o.kubelet.Actions(); len(log) > 0; log = o.kubelet.Actions() {
		for _, s := range log {
			switch act := s.Action.(type) {
			case pressure.ThresholdMet:
				o.log = append(o.log, "Warning EvictionThresholdMet "+act.Note())
			case pressure.ReclaimResources:
				if act.Containers {
					o.log = append(o.log, "reclaims containers")
				}
				if act.Images {
					o.log = append(o.log, "reclaims images")
				}
				o.kubelet.Reclaimed(at, after)
			case pressure.EvictPod:
				pod := o.pods[act.Pod.Name].DeepCopy()
				pod.Status = v1.PodStatus{}
				o.log = append(o.log, annotationText(act.Annotations), evictionText(act.Pod.Name, act.GraceSeconds, act.Status(pod, at)))
				o.victims, o.starved = append(o.victims, act.Pod.Name), act.Threshold.Signal
				o.kubelet.Gone(at, act.Pod.UID)
			}
		}
	}
}

// ownLimits is the key for pods that exceeded their own limits; other keys are signals.
const ownLimits = "its own limits"

// playNode runs a history on both and returns the difference. tied is set if upstream evicted another pod of equal rank:
// from there on the histories diverge. evictions counts the evictions by signal.
func playNode(h *nodeHistory, evictions map[string]int) (difference string, tied bool) {
	o, errO := newOrreryKubelet(h)
	t, errT := newUpstreamKubelet(h)
	if (errO == nil) != (errT == nil) {
		return fmt.Sprintf("configuration: theirs %v, ours %v", errT, errO), false
	}
	if errO != nil {
		return "", false
	}
	active := slices.SortedFunc(slices.Values(h.Pods), func(a, b *v1.Pod) int { return strings.Compare(a.Namespace+a.Name, b.Namespace+b.Name) })
	at := nodeEpoch.Add(time.Second)
	for i, before := range h.Summaries {
		o.synchronize(at, before, h.Reclaim[i])
		t.clock.SetTime(at)
		t.log, t.summary, t.after = nil, upstreamSummary(before), upstreamSummary(h.Reclaim[i])
		victims, err := synchronizeOnce(t.manager, t, slices.Clone(active))
		if err != nil {
			return fmt.Sprintf("pass %d: theirs failed: %v", i, err), false
		}
		if tiedPods(h, before, o, victims, active) {
			return "", true
		}
		theirs, ours := strings.Join(t.log, "\n  "), strings.Join(o.log, "\n  ")
		if theirs != ours {
			return fmt.Sprintf("pass %d: theirs\n  %s\nours\n  %s", i, theirs, ours), false
		}
		if theirs, ours := t.conditions(), o.kubelet.Conditions(); !slices.Equal(theirs, ours) {
			return fmt.Sprintf("pass %d: conditions: theirs %v, ours %v", i, theirs, ours), false
		}
		for _, pod := range h.Pods {
			theirs := t.admit.Admit(context.Background(), &lifecycle.PodAdmitAttributes{Pod: pod})
			ok, message := pressure.Admit(pod, o.kubelet.Conditions())
			if theirs.Admit != ok || len(o.kubelet.Conditions()) == 1 && theirs.Message != message {
				return fmt.Sprintf("pass %d: %s admitted: theirs %v %q, ours %v %q", i, pod.Name, theirs.Admit, theirs.Message, ok, message), false
			}
		}
		evictions[cmp.Or(string(o.starved), ownLimits)] += len(victims)
		step := 10 * time.Second
		if len(victims) > 0 {
			step = time.Second
		}
		active = slices.DeleteFunc(active, func(pod *v1.Pod) bool { return slices.Contains(o.victims, pod.Name) })
		at = at.Add(step)
	}
	return "", false
}

// tiedPods reports whether the two evicted different pods of equal rank.
func tiedPods(h *nodeHistory, s *pressure.Summary, o *orreryKubelet, victims, active []*v1.Pod) bool {
	if len(victims) != 1 || len(o.victims) != 1 || o.starved == "" || victims[0].Name == o.victims[0] {
		return false
	}
	ranked := pressure.Rank(o.starved, h.Layout, active, s)
	find := func(name string) *pressure.RankedPod {
		return &ranked[slices.IndexFunc(ranked, func(r pressure.RankedPod) bool { return r.Pod.Name == name })]
	}
	return pressure.Compare(o.starved, find(victims[0].Name), find(o.victims[0])) == 0
}
