package queue_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

var update = flag.Bool("update", false, "rewrite the stories in testdata")

// The stories in testdata are lists of commands, each followed, indented, by what the queue did: one line per record.
func TestQueue_Scripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runScript(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the queue did something else (-story +now); run with -update if that is right:\n%s", diff)
			}
		})
	}
}

// runScript plays a story, and returns it with what the queue did this time.
func runScript(t *testing.T, story string) string {
	s := &script{t: t, opts: queue.DefaultOptions(), now: clock("12:00:00"), pods: map[string]*v1.Pod{}, inFlight: map[string]*queue.Pod{}}
	var out strings.Builder
	for line := range strings.Lines(story) {
		if strings.HasPrefix(line, "  ") {
			continue
		}
		out.WriteString(line)
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		s.output = nil
		s.command(words[0], words[1:])
		if s.queue != nil {
			if err := s.queue.Check(); err != nil {
				t.Errorf("after %q: %v", line, err)
			}
		}
		for _, l := range s.output {
			fmt.Fprintf(&out, "  %s\n", l)
		}
	}
	return out.String()
}

// script is the world of one story.
type script struct {
	t        *testing.T
	opts     queue.Options
	plugins  []fwk.EnqueueExtensions
	gates    []fwk.PreEnqueuePlugin
	queue    *queue.Queue
	journal  *queue.Journal
	now      time.Time
	pods     map[string]*v1.Pod
	inFlight map[string]*queue.Pod
	output   []string
}

func clock(s string) time.Time {
	t, err := time.Parse("15:04:05.999999999", s)
	if err != nil {
		panic(err)
	}
	return t.AddDate(2026, 0, 0)
}

func (s *script) say(format string, args ...any) {
	s.output = append(s.output, fmt.Sprintf(format, args...))
}

func (s *script) command(verb string, args []string) {
	switch verb {
	case "queue":
		s.options(args)
		return
	case "plugin", "gate":
		s.register(verb, args)
		return
	}
	s.open()
	now := s.now
	switch verb {
	case "at":
		s.now = clock(args[0])
		s.queue.Flush(s.now)
	case "add":
		pod := s.build(args)
		s.pods[args[0]] = pod
		s.queue.Add(pod, now)
	case "update":
		old := s.pods[args[0]]
		s.pods[args[0]] = s.change(old.DeepCopy(), args[1:])
		s.queue.Update(old, s.pods[args[0]], now)
	case "delete":
		s.queue.Delete(s.pods[args[0]], now)
	case "pop":
		s.pop()
	case "fail":
		s.fail(args)
	case "done":
		s.queue.Done(s.pods[args[0]].UID)
	case "activate":
		s.queue.Activate([]*v1.Pod{s.pods[args[0]]}, now)
	case "event":
		s.event(args)
	default:
		s.inspect(verb, args)
	}
}

// inspect are the commands that only print.
func (s *script) inspect(verb string, args []string) {
	switch verb {
	case "queues":
		s.list("active", sortedPods(s.queue, queue.Active))
		s.list("backoff", sortedPods(s.queue, queue.Backoff))
		s.list("unschedulable", sortedPods(s.queue, queue.Unschedulable))
		s.list("gated", sortedPods(s.queue, queue.Gated))
		s.list("in flight", s.queue.InFlight())
	case "wake":
		if at, ok := s.queue.NextWake(s.now); ok {
			s.say("%s", at.Format("15:04:05.999"))
		} else {
			s.say("never")
		}
	case "awaits":
		p, _ := s.queue.Get("default", args[0])
		for _, e := range s.queue.RequeuesOn(p) {
			s.say("%s", e.Label())
		}
	case "journey":
		for _, t := range s.journal.Of(s.pods[args[0]].UID) {
			s.say("%s %s", t.At.Format("15:04:05.999"), describe(t))
		}
	case "cycle":
		s.say("%d", s.queue.SchedulingCycle())
	case "nominated":
		for _, node := range s.queue.NominatedNodes() {
			var names []string
			for _, p := range s.queue.NominatedPodsForNode(node) {
				names = append(names, fmt.Sprintf("%s(%d containers)", p.GetPod().Name, len(p.GetPod().Spec.Containers)))
			}
			s.say("%s: %s", node, strings.Join(names, " "))
		}
	case "nominate", "withdraw":
		pod := s.pods[args[0]]
		info, _ := s.queue.Get("default", pod.Name)
		if verb == "withdraw" {
			s.queue.DeleteNominatedPodIfExists(pod)
		} else {
			s.queue.AddNominatedPod(klog.Logger{}, info.GetPodInfo(), &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: args[1]})
		}
	default:
		s.t.Fatalf("there is no command %q", verb)
	}
}

func (s *script) list(name string, pods []*queue.Pod) {
	if len(pods) == 0 {
		return
	}
	var names []string
	for _, p := range pods {
		names = append(names, p.Pod().Name)
	}
	s.say("%s: %s", name, strings.Join(names, " "))
}

// open makes the queue once it is first needed.
func (s *script) open() {
	if s.queue != nil {
		return
	}
	hints, err := queue.NewHints(s.plugins...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.journal = queue.NewJournal()
	s.opts.Profiles = map[string]queue.Profile{v1.DefaultSchedulerName: {PreEnqueue: s.gates, Hints: hints}}
	s.opts.Observe = func(t queue.Transition) {
		s.journal.Add(&t)
		s.say("%s", describe(t))
	}
	s.opts.Start = s.now
	s.queue = queue.New(s.opts)
}

// describe is a record in words.
func describe(t queue.Transition) string {
	var b strings.Builder
	switch t.Kind {
	case queue.Moved:
		fmt.Fprintf(&b, "%s: %s -> %s (%s)", t.Name, t.From, t.To, t.Event)
	case queue.HintRun:
		return fmt.Sprintf("%s of %s on %s? %s", t.Plugin, t.Name, t.Event, t.HintResult)
	case queue.InFlightEventAdded:
		return fmt.Sprintf("kept for those in flight: %s", t.Event)
	case queue.InFlightEventsReleased:
		return fmt.Sprintf("let go: %d %s", t.Count, t.Event)
	}
	if t.Plugin != "" {
		fmt.Fprintf(&b, " by %s", t.Plugin)
	}
	if t.Note != "" {
		fmt.Fprintf(&b, " %q", t.Note)
	}
	if t.To == queue.InFlight {
		fmt.Fprintf(&b, " attempt %d", t.Attempts)
	}
	if t.To == queue.Backoff || t.To == queue.ErrorBackoff {
		fmt.Fprintf(&b, " until %s", t.Until.Format("15:04:05.999"))
	}
	if len(t.NewRejectors) > 0 {
		fmt.Fprintf(&b, " +%s", strings.Join(t.NewRejectors, "+"))
	}
	if len(t.ClearedRejectors) > 0 {
		fmt.Fprintf(&b, " -%s", strings.Join(t.ClearedRejectors, "-"))
	}
	return b.String()
}

func (s *script) options(args []string) {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		d, _ := time.ParseDuration(value)
		switch key {
		case "early":
			s.opts.PopFromBackoff = value == "yes"
		case "flush":
			s.opts.FlushGated = value == "gated"
		case "rule":
			s.opts.RequeueRule = map[string]queue.RequeueRule{"hints": queue.QueueingHints, "cycles": queue.MoveRequestCycle}[value]
		case "initial":
			s.opts.InitialBackoff = d
		case "max":
			s.opts.MaxBackoff = d
		case "stay":
			s.opts.MaxInUnschedulable = d
		case "from":
			s.now = clock(value)
		}
	}
}

var resources = map[string]fwk.EventResource{
	"Pod": fwk.Pod, "Node": fwk.Node, "PVC": fwk.PersistentVolumeClaim, "PV": fwk.PersistentVolume, "StorageClass": fwk.StorageClass,
	"CSINode": fwk.CSINode, "Claim": fwk.ResourceClaim, "Service": "Service", "AssignedPod": fwk.AssignedPod, "*": fwk.WildCard,
}

var actions = map[string]fwk.ActionType{
	"Add": fwk.Add, "Delete": fwk.Delete, "Update": fwk.Update, "All": fwk.All, "Taint": fwk.UpdateNodeTaint,
	"Label": fwk.UpdatePodLabel, "Gates": fwk.UpdatePodSchedulingGatesEliminated, "Toleration": fwk.UpdatePodToleration,
}

func parseEvent(s string) fwk.ClusterEvent {
	r, a, _ := strings.Cut(s, "/")
	return fwk.ClusterEvent{Resource: resources[r], ActionType: actions[a]}
}

// testPlugin registers events; as a gate it also holds back pods that have a label of its name.
type testPlugin struct {
	name   string
	events []fwk.ClusterEventWithHint
}

func (p testPlugin) Name() string { return p.name }

func (p testPlugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return p.events, nil
}

func (p testPlugin) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if _, closed := pod.Labels[p.name]; closed {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, p.name+" is closed")
	}
	return nil
}

// register takes in a plugin: its name, and its events as Node/Add=queue, with an answer or none.
func (s *script) register(verb string, args []string) {
	p := testPlugin{name: args[0]}
	for _, arg := range args[1:] {
		event, answer, _ := strings.Cut(arg, "=")
		p.events = append(p.events, fwk.ClusterEventWithHint{Event: parseEvent(event), QueueingHintFn: answers[answer]})
	}
	s.plugins = append(s.plugins, p)
	if verb == "gate" {
		s.gates = append(s.gates, p)
	}
}

var answers = map[string]fwk.QueueingHintFn{
	"queue": func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.Queue, nil },
	"skip":  func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.QueueSkip, nil },
	"error": func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) {
		return fwk.QueueSkip, errors.New("broken")
	},
	"own": func(_ klog.Logger, pod *v1.Pod, _, updated any) (fwk.QueueingHint, error) {
		if p, ok := updated.(*v1.Pod); ok && p.UID == pod.UID {
			return fwk.Queue, nil
		}
		return fwk.QueueSkip, nil
	},
}

func (s *script) build(args []string) *v1.Pod {
	return s.change(mk.Pod(args[0]).CPU("1").Obj(), args[1:])
}

func (s *script) change(pod *v1.Pod, args []string) *v1.Pod {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "priority":
			n, _ := strconv.Atoi(value)
			priority := int32(n)
			pod.Spec.Priority = &priority
		case "label":
			pod.Labels = map[string]string{value: ""}
		case "unlabel":
			pod.Labels = nil
		case "nominated":
			pod.Status.NominatedNodeName = value
		case "scheduler":
			pod.Spec.SchedulerName = value
		case "node":
			pod.Spec.NodeName = value
		case "uid":
			pod.UID = "uid-" + pod.UID
		case "toleration":
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: value})
		case "cpu":
			pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse(value)}
		case "message":
			pod.Status.Message = value
		default:
			s.t.Fatalf("a pod has no %q here", key)
		}
	}
	return pod
}

func (s *script) pop() {
	p, ok := s.queue.Pop(s.now)
	if !ok {
		s.say("nothing")
		return
	}
	s.inFlight[p.Pod().Name] = p
}

func (s *script) fail(args []string) {
	p := s.inFlight[args[0]]
	unschedulable, pending := sets.New[string](), sets.New[string]()
	for _, arg := range args[1:] {
		key, names, _ := strings.Cut(arg, "=")
		switch key {
		case "by":
			unschedulable.Insert(strings.Split(names, ",")...)
		case "pending":
			pending.Insert(strings.Split(names, ",")...)
		}
	}
	p.Reject(unschedulable, pending)
	p.Update(s.pods[args[0]])
	cycle := s.queue.SchedulingCycle()
	if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "cycle=") }); i >= 0 {
		cycle, _ = strconv.ParseInt(strings.TrimPrefix(args[i], "cycle="), 10, 64)
	}
	if err := s.queue.AddUnschedulableIfNotPresent(p, cycle, s.now); err != nil {
		s.say("error: %v", err)
	}
}

// event sends an event: about nothing, or about a pod that is named.
func (s *script) event(args []string) {
	var updated any
	if len(args) > 1 {
		updated = s.pods[args[1]]
	}
	s.queue.Move(parseEvent(args[0]), nil, updated, s.now, nil)
}
