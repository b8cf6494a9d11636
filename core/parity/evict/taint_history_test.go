package evict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/difftest"
)

// taintStep is one change of a node or a pod.
type taintStep struct {
	at     time.Duration
	what   string // setNode, dropNode, setPod, dropPod
	name   string
	node   string    // of a pod
	newUID types.UID // of a pod that does not exist yet
	taint  []v1.Taint
	tol    []v1.Toleration
	fails  int // how many deletions of this pod fail before one succeeds
}

func (s taintStep) String() string {
	text := fmt.Sprintf("%8.3fs %s %s", s.at.Seconds(), s.what, s.name)
	switch s.what {
	case "setPod":
		text += fmt.Sprintf(" node=%q fails=%d", s.node, s.fails)
		for _, t := range s.tol {
			text += fmt.Sprintf(" [%s %s %s:%s", t.Key, t.Operator, t.Value, t.Effect)
			if t.TolerationSeconds != nil {
				text += fmt.Sprintf(" %ds", *t.TolerationSeconds)
			}
			text += "]"
		}
	case "setNode":
		for _, t := range s.taint {
			text += " " + t.ToString()
		}
	}
	return text
}

// taintHistory is a sequence of steps, and when the comparison ends.
type taintHistory struct {
	steps []taintStep
	until time.Duration
}

func (h taintHistory) String() string {
	var text strings.Builder
	for _, s := range h.steps {
		fmt.Fprintln(&text, s)
	}
	return text.String()
}

// drawTaintHistory draws the history of a seed and a number. Steps have different milliseconds, unless they are simultaneous
// on purpose, so that no timer expires at the time of another step, and no series of attempts lasts until the next.
func drawTaintHistory(seed uint64, number int) taintHistory {
	draw := rand.New(rand.NewPCG(seed, uint64(number)))
	simultaneous, failing := draw.IntN(2) == 0, draw.IntN(4) == 0
	var h taintHistory
	at := time.Duration(0)
	nodes := map[string]string{}
	steps, apart := 4+draw.IntN(30), 7*time.Millisecond
	if failing {
		steps, apart = 4+draw.IntN(16), 45*time.Millisecond
	}
	for i := range steps {
		if i == 0 || !simultaneous || failing || draw.IntN(4) > 0 {
			at = at.Truncate(time.Second) + time.Duration(1+draw.IntN(40))*time.Second + time.Duration(i+1)*apart
		}
		s := taintStep{at: at, what: pick(draw, "setNode", "setNode", "setNode", "dropNode", "setPod", "setPod", "setPod", "dropPod")}
		switch s.what {
		case "setNode", "dropNode":
			s.name = pick(draw, "n1", "n2")
			s.taint = drawTaints(draw)
		case "setPod":
			s.name = pick(draw, "a", "b", "c", "d")
			if nodes[s.name] == "" {
				nodes[s.name] = pick(draw, "n1", "n1", "n2", "")
			}
			s.newUID, s.node, s.tol = types.UID(fmt.Sprint(s.name, i)), nodes[s.name], drawTolerations(draw)
			if failing {
				s.fails = draw.IntN(5)
			}
		case "dropPod":
			s.name = pick(draw, "a", "b", "c", "d")
			delete(nodes, s.name)
		}
		h.steps = append(h.steps, s)
	}
	h.until = at + 200*time.Second
	return h
}

func drawTaints(draw *rand.Rand) []v1.Taint {
	var taints []v1.Taint
	for _, key := range []string{"bad", "worse", "node.kubernetes.io/unreachable"} {
		if draw.IntN(3) > 0 {
			continue
		}
		taints = append(taints, v1.Taint{
			Key: key, Value: pick(draw, "", "1", "2"),
			Effect: pick(draw, v1.TaintEffectNoExecute, v1.TaintEffectNoExecute, v1.TaintEffectNoExecute, v1.TaintEffectNoSchedule),
		})
		if draw.IntN(4) == 0 {
			taints[len(taints)-1].TimeAdded = &metav1.Time{Time: time.Unix(draw.Int64N(3), 0)}
		}
	}
	return taints
}

func drawTolerations(draw *rand.Rand) []v1.Toleration {
	var tolerations []v1.Toleration
	for range draw.IntN(5) {
		t := v1.Toleration{
			Key:      pick(draw, "bad", "bad", "worse", "node.kubernetes.io/unreachable", ""),
			Operator: pick(draw, v1.TolerationOpExists, v1.TolerationOpExists, v1.TolerationOpEqual, "", v1.TolerationOpGt),
			Effect:   pick(draw, v1.TaintEffectNoExecute, v1.TaintEffectNoExecute, "", v1.TaintEffectNoSchedule),
		}
		if t.Operator != v1.TolerationOpExists {
			t.Value = pick(draw, "", "1", "2")
		}
		if t.Operator == v1.TolerationOpGt && t.Value == "" {
			t.Value = "0" // no API server admits anything but a number
		}
		if draw.IntN(4) > 0 {
			seconds := pick[int64](draw, -1, 0, 1, 5, 30, 60, 120)
			t.TolerationSeconds = &seconds
		}
		tolerations = append(tolerations, t)
	}
	return tolerations
}

// reduceTaintHistory removes steps, and tolerations of the remaining ones.
func reduceTaintHistory(h taintHistory, differ func(taintHistory) string) taintHistory {
	with := func(steps []taintStep) taintHistory { return taintHistory{steps, h.until} }
	h.steps = difftest.Pieces(h.steps, func(steps []taintStep) string { return differ(with(steps)) })
	return difftest.Smallest(h, withoutToleration, differ)
}

// withoutToleration returns the histories with one toleration removed.
func withoutToleration(h taintHistory) (all []taintHistory) {
	for i := range h.steps {
		for j := range h.steps[i].tol {
			less := taintHistory{slices.Clone(h.steps), h.until}
			less.steps[i].tol = slices.Delete(slices.Clone(h.steps[i].tol), j, j+1)
			all = append(all, less)
		}
	}
	return all
}

// The objects of a step.

func (s taintStep) nodeObject() *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: s.name, UID: types.UID(s.name)}, Spec: v1.NodeSpec{Taints: s.taint}}
}

func (s taintStep) podObject(uid types.UID) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: s.name, UID: uid},
		Spec:       v1.PodSpec{NodeName: s.node, Tolerations: s.tol},
	}
}
