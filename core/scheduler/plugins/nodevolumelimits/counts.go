package nodevolumelimits

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
)

// Count is how many volumes of a driver a node has, how many it can have, and how many a pod would add.
type Count struct {
	Driver                 string
	Attached, Limit, Added int64
}

// Exceeded reports whether the driver cannot attach the pod's volumes.
func (c Count) Exceeded() bool { return c.Added > 0 && c.Attached+c.Added > c.Limit }

// counter counts for explanations: it measures every node anew and keeps nothing.
type counter struct {
	objects  *objects
	attached attachments
	wanted   *request
}

// on returns the counts of the drivers of the pod's volumes that have a limit on a node.
func (c *counter) on(node fwk.NodeInfo) []Count {
	u := c.objects.measure(node, c.attached.onNode[node.Node().Name], nil)
	var counts []Count
	for _, d := range u.drivers {
		if added := u.added(d.name, c.wanted[u.scope].volumes); added > 0 {
			counts = append(counts, Count{d.name, d.attached, d.limit, added})
		}
	}
	return counts
}

// Meter measures nodes for a screen.
type Meter struct{ objects *objects }

// NewMeter returns a meter of the objects that a handle knows.
func NewMeter(h fwk.Handle, features config.Features) *Meter { return &Meter{objectsOf(h, features)} }

// On returns the counts of the drivers that have a limit on a node. attached names the node's VolumeAttachments.
func (m *Meter) On(node fwk.NodeInfo, attached []string) []Count {
	u := m.objects.measure(node, attached, nil)
	counts := make([]Count, len(u.drivers))
	for i, d := range u.drivers {
		counts[i] = Count{Driver: d.name, Attached: d.attached, Limit: d.limit}
	}
	return counts
}
