package collect

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/answers/diagnose"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
	"orrery/views"
)

// storageOf returns the counts of claims and volumes, and for the pane of the claims the capacity and the attach limits.
func (c *Collector) storageOf(e *engine.Engine, query Query) *views.Storage {
	x := &c.storage
	x.refresh(e)
	v := &views.Storage{Size: bytesText(x.totals.size), Reading: x.reading()}
	x.claims.counts(v.Claims[:])
	x.volumes.counts(v.Volumes[:])
	if query.Open == views.StoragePane {
		v.Segments, v.MoreSegments = x.segmentsOf(), x.moreSegments()
		if !v.Reading { // while claims are read, every node changes again and again
			v.Reading = !x.measureNodes(&c.nodes, nodevolumelimits.NewMeter(e.Profile(e.Profiles()[0]), e.Features()))
		}
		v.Limits = x.limits.rows
		v.MoreLimits = x.limits.total - len(v.Limits)
	}
	return v
}

// Claims are all claims, and those that pods name and do not exist.
func (s source) Claims() views.Rows[views.ClaimRow] {
	x := &s.storage
	return views.Rows[views.ClaimRow]{
		Stamp: x.stamp, Total: len(x.claims.list),
		Window: func(first, n int) []views.ClaimRow { return rowsOf(x.claims.list[first:first+n], x.claimRow) },
		Lazy: lazyRows(&x.claims, x.claimRow, func(o *storageObject) views.ClaimRow {
			row := views.ClaimRow{Key: o.name.String(), State: views.ClaimState(o.state), Class: o.class, Bytes: o.bytes}
			row.Since = timeOf(o.since)
			if claim := x.claim(o.name); claim != nil {
				row.Labels, row.Volume = claim.Labels, claim.Spec.VolumeName
				if row.Since.IsZero() {
					row.Since = claim.CreationTimestamp.Time
				}
			}
			if users := x.users.pods[o.name]; len(users) > 0 {
				row.PodKey = users[0].String()
			}
			return row
		}),
	}
}

// Volumes are all persistent volumes.
func (s source) Volumes() views.Rows[views.VolumeRow] {
	x := &s.storage
	return views.Rows[views.VolumeRow]{
		Stamp: x.stamp, Total: len(x.volumes.list),
		Window: func(first, n int) []views.VolumeRow { return rowsOf(x.volumes.list[first:first+n], x.volumeRow) },
		Lazy: lazyRows(&x.volumes, x.volumeRow, func(o *storageObject) views.VolumeRow {
			row := views.VolumeRow{Key: o.name.Name, State: views.VolumeState(o.state), Class: o.class, Bytes: o.bytes, Place: o.where}
			if o.claim.Name != "" {
				row.Claim = o.claim.String()
			}
			if pv := x.volume(o.name.Name); pv != nil {
				row.Labels = pv.Labels
			}
			return row
		}),
	}
}

func (x *storageIndex) claimRow(o *storageObject) views.ClaimRow {
	row := views.ClaimRow{
		Name: printable.Text(o.name.String()), Key: o.name.String(), State: views.ClaimState(o.state), Class: printable.Text(o.class), Bytes: o.bytes,
		Pods: len(x.users.pods[o.name]), Since: timeOf(o.since),
	}
	pod := x.users.first(o.name)
	if pod != nil {
		row.Pod, row.PodKey = podNames(world.PodRefOf(pod))
	}
	c := x.claim(o.name)
	if c == nil {
		row.Note = "does not exist"
		return row
	}
	r := volumes.ClaimReader{State: x.engine.Volumes(), Users: func(string) []string { return x.usersText(o) }}
	l := r.Of(c)
	if row.Since.IsZero() {
		row.Since = c.CreationTimestamp.Time
	}
	row.Size, row.Volume, row.Labels = printable.Text(l.Requested), printable.Text(c.Spec.VolumeName), c.Labels
	if pv := x.volumes.byName[types.NamespacedName{Name: c.Spec.VolumeName}]; pv != nil {
		row.Place = printable.Text(pv.where)
	}
	row.Note = printable.Text(x.claimNote(row.State, &l, c, pod))
	return row
}

// usersText names the pods on nodes that use a claim.
func (x *storageIndex) usersText(o *storageObject) []string {
	var users []string
	for _, name := range x.users.pods[o.name] {
		if pod := x.engine.Store().Pod(name.Namespace, name.Name); pod != nil && pod.Spec.NodeName != "" {
			users = append(users, name.String()+" on "+pod.Spec.NodeName)
		}
	}
	slices.Sort(users)
	return users
}

// claimNote returns what a claim waits for, or what is wrong. What the other columns say is left out.
func (x *storageIndex) claimNote(state views.ClaimState, l *volumes.ClaimLink, c *v1.PersistentVolumeClaim, pod *v1.Pod) string {
	switch state {
	case views.ClaimStuck, views.ClaimBound:
		if text := x.attachedTo(c.Spec.VolumeName); text != "" {
			return "on " + text
		}
		return ""
	case views.ClaimNoNode:
		return diagnose.StorageFirst(world.PendingMessage(pod))
	case views.ClaimTerminating:
		if l.WaitsFor != "" {
			return "waits for " + l.WaitsFor
		}
	case views.ClaimProvisioning:
		if node := c.Annotations[volume.AnnSelectedNode]; node != "" {
			return "waits for " + l.WaitsFor + ", for " + node
		}
		return "waits for " + l.WaitsFor
	}
	if l.WaitsFor != "" {
		return l.Says + "; waits for " + l.WaitsFor
	}
	return l.Says
}

func (x *storageIndex) volumeRow(o *storageObject) views.VolumeRow {
	row := views.VolumeRow{
		Name: printable.Text(o.name.Name), Key: o.name.Name, State: views.VolumeState(o.state), Class: printable.Text(o.class), Bytes: o.bytes,
		Place: printable.Text(o.where), Since: timeOf(o.since), Attached: printable.Text(x.attachedTo(o.name.Name)),
	}
	if o.claim.Name != "" {
		row.Claim = printable.Text(o.claim.String())
		if pod := x.users.first(o.claim); pod != nil {
			row.PodKey = world.PodRefOf(pod).String()
		}
	}
	if pv := x.volume(o.name.Name); pv != nil {
		size := pv.Spec.Capacity[v1.ResourceStorage]
		row.Size, row.Labels, row.Policy = printable.Text(size.String()), pv.Labels, printable.Text(string(pv.Spec.PersistentVolumeReclaimPolicy))
		if row.Since.IsZero() {
			row.Since = pv.CreationTimestamp.Time
		}
		if row.State == views.VolumeFailed && row.Attached == "" {
			row.Attached = printable.Text(pv.Status.Message)
		}
	}
	return row
}

// attachedTo returns where a volume is attached, and what is wrong there: "n1 (NotReady)"; empty if it is nowhere.
func (x *storageIndex) attachedTo(volume string) string {
	var parts []string
	for _, name := range x.ofVolume[volume] {
		a := x.attachment(name)
		if a == nil {
			continue
		}
		var notes []string
		if trouble := x.attachmentTrouble(a); trouble != "" {
			notes = append(notes, trouble)
		}
		switch {
		case a.DeletionTimestamp != nil:
			notes = append(notes, "being detached")
		case !a.Status.Attached:
			notes = append(notes, "being attached")
		}
		text := a.Spec.NodeName
		if len(notes) > 0 {
			text += " (" + strings.Join(notes, ", ") + ")"
		}
		parts = append(parts, text)
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// timeOf is the opposite of micro.
func timeOf(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro).UTC()
}
