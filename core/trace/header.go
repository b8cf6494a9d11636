package trace

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/release"
)

// Version is the newest version of the format, which has everything. This package writes each trace in the oldest version that has what
// is in it, and reads all three.
const (
	Version         = versionUsage
	versionNoStates = 2
	versionStates   = 3
	versionUsage    = 4
	oldestReadable  = versionNoStates
)

// Origin says how a trace begins.
type Origin string

const (
	// FromStart is a trace from the scheduler's first input: its replay makes the same decisions.
	FromStart Origin = "start"
	// FromSnapshot is a trace that begins with lists of all objects. It lacks the scheduler's own state (back-off,
	// attempts, the next start index, the random source), so a replay may decide differently.
	FromSnapshot Origin = "snapshot"
	// FromState is a trace that begins with a [State] of the scheduler, in the middle of its life: its replay makes the same
	// decisions.
	FromState Origin = "state"
	// FromImport is a trace made of other data, of a cluster without a scheduler: pods are added and deleted, and none
	// is bound. In its replay every effect of the scheduler succeeds at once.
	FromImport Origin = "import"
)

// Header holds the data that a replay needs. Everything except Start and Origin is optional.
type Header struct {
	// Program is the name and version of the recording program.
	Program     string `json:"program,omitempty"`
	Description string `json:"description,omitempty"`
	// Start is no later than the first record; timers count from it. A trace without it begins with its first record.
	Start  time.Time `json:"startTime"`
	Origin Origin    `json:"origin"`

	// Seed, TieBreak, RequeueRule and PodMaxInUnschedulablePodsDuration are the engine's options of these names; empty
	// means the default.
	Seed                              uint64          `json:"seed"`
	TieBreak                          string          `json:"tieBreak,omitempty"`
	RequeueRule                       string          `json:"requeueRule,omitempty"`
	PodMaxInUnschedulablePodsDuration metav1.Duration `json:"podMaxInUnschedulablePodsDuration,omitzero"`
	// Shadow says that another scheduler bound the pods, and the engine decided beside it.
	Shadow bool `json:"shadow,omitempty"`
	// ExtendersUnasked says that the configuration's extenders were not called.
	ExtendersUnasked bool `json:"extendersUnasked,omitempty"`
	// Kubernetes is the release that the scheduler decided as. Recordings without it are of 1.35.
	Kubernetes release.Release `json:"kubernetes,omitzero"`
	// Configuration is the KubeSchedulerConfiguration in YAML; empty means the default one. FeatureGates are all gates
	// it was read under.
	Configuration string          `json:"configuration,omitempty"`
	FeatureGates  map[string]bool `json:"featureGates,omitempty"`

	// Kubelet is the configuration of the nodes' kubelets, as far as it is about evictions: a KubeletConfiguration in JSON. Only a
	// trace with it has readings of [Usage].
	Kubelet json.RawMessage `json:"kubelet,omitempty"`

	// NamesHashed says that names were replaced, so that digests are not comparable. See [NameHasher].
	NamesHashed bool `json:"namesHashed,omitempty"`
}

// maxHeaderBytes bounds the header in bytes. A configuration is at most 1 MiB, which JSON may double.
//
//orrery:limit recordings; the header of a recording, in bytes; refused
const maxHeaderBytes = 4 << 20

// Exact says that a replay makes the decisions of the recorded scheduler.
func (o Origin) Exact() bool { return o == FromStart || o == FromState }

// HasUsage reports whether a trace may have readings of usage.
func (h *Header) HasUsage() bool { return len(h.Kubelet) > 0 }

// version returns the version of the format in which a trace with this header is written.
func (h *Header) version() byte {
	switch {
	case h.HasUsage():
		return versionUsage
	case h.Origin == FromState:
		return versionStates
	}
	return versionNoStates
}

func (h *Header) encode() ([]byte, error) {
	if h.Origin == "" {
		h.Origin = FromStart
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("writing a trace's header: %w", err)
	}
	if len(text) > maxHeaderBytes {
		return nil, fmt.Errorf("writing a trace's header: it has %d bytes, and at most %d are allowed; shorten the configuration", len(text), maxHeaderBytes)
	}
	return text, nil
}

func decodeHeader(text []byte) (Header, error) {
	var h Header
	if err := json.Unmarshal(text, &h); err != nil {
		return Header{}, fmt.Errorf("the header is not valid JSON of a header: %s", printable.Line(err.Error(), 200))
	}
	if !slices.Contains([]Origin{FromStart, FromSnapshot, FromState, FromImport}, h.Origin) {
		return Header{}, fmt.Errorf("the header has the origin %q, which this program does not know: use a newer one", printable.Line(string(h.Origin), 40))
	}
	if h.Start = h.Start.UTC(); !isRecordable(h.Start) {
		return Header{}, fmt.Errorf("the header's start, %v, is in none of the years from 1 to 9999", h.Start)
	}
	return h, nil
}
