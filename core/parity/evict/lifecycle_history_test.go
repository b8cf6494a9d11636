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

	ours "orrery/core/evict/lifecycle"
	"orrery/core/parity/difftest"
)

// zoneStep is one change in a zone.
type zoneStep struct {
	at   time.Duration
	verb zoneVerb
	zone int
	// n is how many nodes change, or which one.
	n int
	// status is the Ready status of failing nodes.
	status v1.ConditionStatus
}

type zoneVerb string

const (
	falls    zoneVerb = "fall"    // so many more nodes are not ready
	turns    zoneVerb = "turn"    // all that are not ready are unreachable instead, or the other way round
	recovers zoneVerb = "recover" // all are ready again
	beats    zoneVerb = "beat"    // all but the last so many renew their leases
	cordons  zoneVerb = "cordon"  // one node is cordoned, or no longer
	presses  zoneVerb = "press"   // one node runs out of memory, or no longer
)

func (s zoneStep) String() string {
	return fmt.Sprintf("%10.4fs zone %d: %s %d %s", s.at.Seconds(), s.zone, s.verb, s.n, s.status)
}

// zoneHistory is a sequence of steps for zones of given sizes.
type zoneHistory struct {
	sizes      []int
	excluded   int // how many nodes of each zone have the label node.kubernetes.io/exclude-disruption
	heartbeats bool
	settings   ours.Settings
	steps      []zoneStep
	until      time.Duration
}

func (h zoneHistory) String() string {
	text := fmt.Sprintf("zones of %v nodes, %d excluded, heartbeats: %t, %+v\n", h.sizes, h.excluded, h.heartbeats, h.settings)
	for _, s := range h.steps {
		text += fmt.Sprintln(s)
	}
	return text
}

// drawZoneHistory draws the history of a seed and a number. No step is at the time of a pass.
func drawZoneHistory(seed uint64, number int) zoneHistory {
	draw := rand.New(rand.NewPCG(seed, uint64(number)))
	h := zoneHistory{heartbeats: draw.IntN(2) == 0, settings: ours.DefaultSettings()}
	h.settings.GracePeriod, h.settings.StartupGracePeriod = 48*time.Second, 58*time.Second
	if draw.IntN(4) > 0 { // large zones are rare; else a low threshold makes small ones large
		h.settings.LargeClusterSizeThreshold = 5
	}
	for range 1 + draw.IntN(3) {
		size := 1 + draw.IntN(9)
		if h.settings.LargeClusterSizeThreshold == 50 && draw.IntN(3) == 0 {
			size = 45 + draw.IntN(15)
		}
		h.sizes = append(h.sizes, size)
	}
	if slices.Min(h.sizes) > 1 && draw.IntN(8) == 0 {
		h.excluded = 1
	}
	at := time.Duration(0)
	for i := range 3 + draw.IntN(20) {
		at = at.Truncate(time.Second) + time.Duration(1+draw.IntN(30))*time.Second + time.Duration(i+1)*time.Millisecond
		s := zoneStep{at: at, zone: draw.IntN(len(h.sizes)), status: v1.ConditionUnknown}
		s.verb = pick(draw, falls, falls, falls, recovers, cordons, presses)
		if h.heartbeats {
			s.verb = pick(draw, falls, recovers, recovers, cordons, beats, beats, beats, beats, beats, beats)
		} else {
			s.verb = pick(draw, s.verb, s.verb, s.verb, turns)
			s.status = pick(draw, v1.ConditionFalse, v1.ConditionUnknown)
		}
		if i > 0 && (s.verb == turns || h.steps[i-1].verb == turns || h.steps[i-1].verb == recovers) {
			at += 6 * time.Second // a pass lies between the two
			s.at = at
		}
		size := h.sizes[s.zone]
		switch s.verb {
		case falls:
			s.n = 1 + draw.IntN(size)
		case beats:
			s.n = max(0, draw.IntN(2*size)-size)
		default:
			s.n = draw.IntN(size)
		}
		h.steps = append(h.steps, s)
	}
	h.until = at + 250*time.Second
	return h
}

func nodeName(zone, i int) string { return fmt.Sprintf("z%d-n%02d", zone, i) }

func zoneOf(node string) string { return node[:strings.Index(node, "-")] }

// node returns a ready node as it is at the start.
func (h zoneHistory) node(zone, i int) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: nodeName(zone, i), UID: types.UID(nodeName(zone, i)), CreationTimestamp: metav1.Time{Time: difftest.SynctestStart},
		Labels: map[string]string{v1.LabelTopologyZone: fmt.Sprint("z", zone)},
	}}
	if i < h.excluded {
		n.Labels["node.kubernetes.io/exclude-disruption"] = ""
	}
	for _, c := range []v1.NodeConditionType{v1.NodeReady, v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure} {
		status := v1.ConditionFalse
		if c == v1.NodeReady {
			status = v1.ConditionTrue
		}
		n.Status.Conditions = append(n.Status.Conditions, v1.NodeCondition{Type: c, Status: status, LastHeartbeatTime: metav1.Time{Time: difftest.SynctestStart}})
	}
	return n
}
