package engine

import (
	"fmt"
	"time"

	"orrery/core/world"
)

// Digest is a running hash over every decision and every effect of an engine, in order. Engines with the same inputs
// have the same digest; a difference means that an earlier decision or effect differs.
//
// It is FNV-1a over 64 bits: not secret, only stable across machines and versions of Go.
type Digest uint64

const (
	fnvOffset Digest = 14695981039346656037
	fnvPrime  Digest = 1099511628211
)

func (d Digest) String() string { return fmt.Sprintf("%016x", uint64(d)) }

func (d *Digest) text(s string) {
	h := *d
	for i := range len(s) {
		h = (h ^ Digest(s[i])) * fnvPrime
	}
	*d = (h ^ 0xff) * fnvPrime // no valid UTF-8 holds this byte, so "ab","c" differs from "a","bc"
}

func (d *Digest) number(n int64) {
	h, u := *d, uint64(n)
	for range 8 {
		h = (h ^ Digest(u&0xff)) * fnvPrime
		u >>= 8
	}
	*d = h
}

func (d *Digest) moment(t time.Time) { d.number(t.UnixNano()) }

func (d *Digest) ref(r world.PodRef) {
	d.text(r.Namespace)
	d.text(r.Name)
	d.text(string(r.UID))
}

// decision adds a decision to the digest, without its duration, which is not deterministic.
func (d *Digest) decision(x *Decision) {
	d.number(int64(x.Seq))
	d.moment(x.At)
	d.ref(x.Pod)
	d.text(x.Profile)
	d.number(int64(x.Attempt))
	d.number(int64(x.Verdict))
	d.text(x.Node)
	d.text(x.Nominated)
	d.text(x.Message)
	d.number(int64(x.Start))
	d.number(int64(x.Examined))
	d.number(int64(x.Feasible))
	d.number(int64(x.Nodes))
	d.number(x.Score)
	if x.Preemption != nil {
		for _, victim := range x.Preemption.Victims {
			d.ref(world.PodRefOf(victim))
		}
	}
}

func (d *Digest) effect(e world.Effect) {
	d.number(int64(e.ID))
	d.moment(e.At)
	switch a := e.Action.(type) {
	case world.Bind:
		d.text("bind")
		d.ref(a.Pod)
		d.text(a.Node)
	case world.PatchStatus:
		d.text("patch")
		d.ref(a.Pod)
		if c := a.Condition; c != nil {
			d.text(string(c.Type))
			d.text(string(c.Status))
			d.text(c.Reason)
			d.text(c.Message)
		}
		if a.NominatedNode != nil {
			d.text(*a.NominatedNode)
		}
		if a.ExtendedResources != nil {
			d.text(a.ExtendedResources.ResourceClaimName)
		}
	case world.Delete:
		d.text("delete")
		d.ref(a.Pod)
	case world.EmitEvent:
		d.text("announce")
		d.ref(a.Regarding)
		if a.Related != nil {
			d.ref(*a.Related)
		}
		d.text(a.Reason)
		d.text(a.Note)
	case world.RunPlugin:
		d.text("run")
		d.ref(a.Pod)
		d.text(a.Node)
		d.text(a.Plugin)
		d.text(a.Point)
	case world.ClaimVolume:
		d.text("claim volume")
		d.ref(a.Pod)
		d.text(a.Node)
		d.text(a.Volume.Name)
		d.text(a.Claim.Name)
	case world.SelectNode:
		d.text("select node")
		d.ref(a.Pod)
		d.text(a.Node)
		d.text(a.Claim.Name)
	case world.CallExtender:
		d.extenderCall(a)
	case world.CancelExtenderCalls:
		d.text("cancel extender calls")
		d.ref(a.Pod)
	default:
		d.resourceClaim(a)
	}
}

// extenderCall adds a question to an extender: what it is asked about, but not the objects.
func (d *Digest) extenderCall(a world.CallExtender) {
	d.text("call extender")
	d.ref(a.Pod)
	d.text(a.URL)
	d.text(a.Verb.String())
	d.number(int64(a.Request.Names.Len()))
	for i := range a.Request.Names.Len() {
		d.text(a.Request.Names.Name(i))
	}
	for _, on := range a.Request.Victims {
		d.text(on.Node)
		for _, victim := range on.Pods {
			d.ref(world.PodRefOf(victim))
		}
	}
	d.text(a.Request.Node)
}

// resourceClaim adds a write of a ResourceClaim, with the devices that it allocates.
func (d *Digest) resourceClaim(act world.Action) {
	switch a := act.(type) {
	case world.ReserveResourceClaim:
		d.text("reserve resource claim")
		d.ref(a.Pod)
		d.text(a.Node)
		d.text(a.Claim.Name)
		if a.Allocation == nil {
			return
		}
		for _, device := range a.Allocation.Devices.Results {
			d.text(device.Request)
			d.text(device.Driver)
			d.text(device.Pool)
			d.text(device.Device)
		}
	case world.UnreserveResourceClaim:
		d.text("unreserve resource claim")
		d.ref(a.Pod)
		d.text(a.Claim.Name)
	case world.DeallocateResourceClaim:
		d.text("deallocate resource claim")
		d.ref(a.Pod)
		d.text(a.Claim.Name)
	case world.CreateResourceClaim:
		d.text("create resource claim")
		d.ref(a.Pod)
		d.text(a.Node)
		d.text(a.Claim.Name)
	case world.DeleteResourceClaim:
		d.text("delete resource claim")
		d.ref(a.Pod)
		d.text(a.Claim.Name)
	}
}
