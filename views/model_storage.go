package views

import (
	"time"

	"orrery/themes"
)

// Storage is the cluster's persistent storage.
type Storage struct {
	// Reading means that not everything was read: the next model has more.
	Reading bool
	// Claims and Volumes count by state; Size is the sum of the volumes' sizes.
	Claims  [claimStates]int
	Volumes [volumeStates]int
	Size    string
	// Segments is the capacity of classes by place, and Limits the attach limits of nodes, the most pressing first;
	// the More are left out.
	Segments                 []StorageSegment
	Limits                   []AttachLimit
	MoreSegments, MoreLimits int
	ClaimList                List[ClaimRow]
	VolumeList               List[VolumeRow]
}

// StorageSegment is what the driver of a class says it has left in a place.
type StorageSegment struct {
	Class, Place string
	// Volumes of the class there have the size Amount.Used, of Amount.Most with what is left.
	Amount
	Volumes int
	Left    string
	// Asked is the size of the largest claim that waits, if no volume of it can be made here; else empty.
	Asked string
}

// AttachLimit is how many volumes of a driver a node has, and may have.
type AttachLimit struct {
	Node, Driver    string
	Attached, Limit int64
}

// ClaimState is what a claim is, and what it waits for.
type ClaimState uint8

// The states, the worst first. A missing claim is named by a pod and does not exist; the pod of one that is PodPending
// was rejected; Delayed ones wait for a pod, or for its turn.
const (
	ClaimLost ClaimState = iota
	ClaimMissing
	ClaimNoVolume
	ClaimProvisioning
	ClaimTerminating
	ClaimUnbound
	ClaimNoNode
	ClaimStuck
	ClaimDelayed
	ClaimBound

	claimStates
)

var claimStyles = [claimStates]glyphStyle{
	ClaimLost:         {'☠', "lost", "lost", themes.Bad},
	ClaimMissing:      {'○', "missing", "missing", themes.Bad},
	ClaimNoVolume:     {'⊘', "no volume", "no vol.", themes.Bad},
	ClaimProvisioning: {'◔', "provisioning", "waiting", themes.Warn},
	ClaimTerminating:  {'▼', "terminating", "term.", themes.Terminating},
	ClaimUnbound:      {'✗', "unbound", "unbound", themes.Bad},
	ClaimNoNode:       {'◌', "no node", "no node", themes.Warn},
	ClaimStuck:        {'◆', "stuck", "stuck", themes.Bad},
	ClaimDelayed:      {'·', "delayed", "delayed", themes.Dim},
	ClaimBound:        {'✓', "bound", "bound", themes.Good},
}

func (s ClaimState) style() *glyphStyle { return &claimStyles[s] }

// Word returns the state's name.
func (s ClaimState) Word() string { return claimStyles[s].word }

// ClaimRow is one claim.
type ClaimRow struct {
	Name, Key string
	State     ClaimState
	// Since is when the claim came into its state, or was created if that is not known.
	Since       time.Time
	Size, Class string
	Bytes       int64
	// Volume is the volume it is bound to, Place where that is.
	Volume, Place string
	// Pod uses the claim; Pods is how many do.
	Pod, PodKey string
	Pods        int
	// Note describes what the claim waits for, or what is wrong; of one without a node, why its pod was rejected.
	Note   string
	Labels map[string]string
}

// VolumeState is what a volume is.
type VolumeState uint8

// The states, the worst first. A stuck volume is attached to a node that is not ready, or its attacher reports an error.
const (
	VolumeStuck VolumeState = iota
	VolumeFailed
	VolumeTerminating
	VolumeReleased
	VolumePending
	VolumeAvailable
	VolumeBound

	volumeStates
)

var volumeStyles = [volumeStates]glyphStyle{
	VolumeStuck:       {'◆', "stuck", "stuck", themes.Bad},
	VolumeFailed:      {'☠', "failed", "failed", themes.Bad},
	VolumeTerminating: {'▼', "terminating", "term.", themes.Terminating},
	VolumeReleased:    {'○', "released", "freed", themes.Warn},
	VolumePending:     {'◔', "pending", "pending", themes.Warn},
	VolumeAvailable:   {'◌', "available", "avail.", themes.Text},
	VolumeBound:       {'✓', "bound", "bound", themes.Good},
}

func (s VolumeState) style() *glyphStyle { return &volumeStyles[s] }

// Word returns the state's name.
func (s VolumeState) Word() string { return volumeStyles[s].word }

// VolumeRow is one volume.
type VolumeRow struct {
	Name, Key   string
	State       VolumeState
	Since       time.Time // as of a claim
	Size, Class string
	Bytes       int64
	// Place is where it is, Claim the claim that has it, and Policy what happens when that is deleted.
	Place, Claim, Policy string
	// PodKey is of the pod that uses the claim.
	PodKey string
	// Attached is where it is attached, and what is wrong there.
	Attached string
	Labels   map[string]string
}
