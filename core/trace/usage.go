package trace

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict/pressure"
	"orrery/core/scheduler/codec"
)

// Usage is what a node and its pods used at a time, as the node's kubelet measured it. No scheduler is told, so it decides nothing; it
// says who is evicted next. The summary's own times are not recorded: all of it is of the record's.
type Usage struct {
	Node    string
	Summary pressure.Summary
}

func (Usage) body() {}

// usageMemory is what a byte of an encoded summary takes once it is decoded: a pod has 8 at least and takes 120, or twice that while
// the list of pods grows.
const usageMemory = 32

var errNoUsage = errors.New("there is a reading of usage, and the header has no kubelet's configuration")

func (w *Writer) writeUsage(r Record, u *Usage) error {
	if !w.header.HasUsage() {
		return fmt.Errorf("recording usage: %w", errNoUsage)
	}
	return w.block.usage(r.At, u)
}

func (e *encoder) usage(at time.Time, u *Usage) error {
	coded, err := codec.Write(func(c *codec.Coder) { codeSummary(c, &u.Summary) })
	if size := len(coded.Data) + len(u.Node); err == nil && size > maxObjectBytes {
		err = fmt.Errorf("it takes %d bytes, and at most %d are allowed", size, maxObjectBytes)
	}
	if err != nil {
		return fmt.Errorf("recording the usage of a node: %w", err)
	}
	e.beginEntry(usageEntry, at)
	e.entry = append(codec.AppendText(e.entry, u.Node), coded.Data...)
	e.endEntry()
	e.memory += usageMemory * int64(len(coded.Data))
	return nil
}

func (c *entryReader) usage() Usage {
	u := Usage{Node: c.text()}
	if err := c.memory.spend(usageMemory * int64(len(c.Rest))); err != nil {
		c.Fail(err)
	}
	if c.Err != nil {
		return u
	}
	if err := codec.Read(codec.State{Data: c.Rest}, func(c *codec.Coder) { codeSummary(c, &u.Summary) }); err != nil {
		c.Fail(fmt.Errorf("reading the usage of a node: %w", err))
	}
	c.Rest = nil
	return u
}

// codeSummary names the fields of a summary once, in the order in which they are written and read.
func codeSummary(c *codec.Coder, s *pressure.Summary) {
	n := &s.Node
	codeMemory(c, &n.Memory)
	codeFs(c, &n.Fs)
	codec.Optional(c, &n.Runtime, func(r *pressure.RuntimeStats) {
		codeFs(c, &r.ImageFs)
		codeFs(c, &r.ContainerFs)
	})
	codec.Optional(c, &n.Rlimit, func(r *pressure.RlimitStats) {
		codec.Optional(c, &r.MaxPID, func(n *int64) { codec.Int(c, n) })
		codec.Optional(c, &r.Running, func(n *int64) { codec.Int(c, n) })
	})
	codeContainers(c, &n.SystemContainers)
	codec.Slice(c, &s.Pods, func(p *pressure.PodStats) { codePod(c, p) })
}

func codePod(c *codec.Coder, p *pressure.PodStats) {
	codec.Text(c, &p.PodRef.Namespace)
	codec.Text(c, &p.PodRef.Name)
	codec.Text(c, &p.PodRef.UID)
	codeMemory(c, &p.Memory)
	codeFs(c, &p.EphemeralStorage)
	codec.Optional(c, &p.Processes, func(n *pressure.ProcessStats) { codeAmounts(c, &n.Count) })
	codeContainers(c, &p.Containers)
	codec.Slice(c, &p.Volumes, func(v *pressure.VolumeStats) {
		codec.Text(c, &v.Name)
		codeDisk(c, &v.FsStats)
	})
}

func codeContainers(c *codec.Coder, all *[]pressure.ContainerStats) {
	codec.Slice(c, all, func(of *pressure.ContainerStats) {
		codec.Text(c, &of.Name)
		codeMemory(c, &of.Memory)
		codeFs(c, &of.Rootfs)
		codeFs(c, &of.Logs)
	})
}

func codeMemory(c *codec.Coder, m **pressure.MemoryStats) {
	codec.Optional(c, m, func(m *pressure.MemoryStats) { codeAmounts(c, &m.AvailableBytes, &m.UsageBytes, &m.WorkingSetBytes) })
}

func codeFs(c *codec.Coder, f **pressure.FsStats) {
	codec.Optional(c, f, func(f *pressure.FsStats) { codeDisk(c, f) })
}

func codeDisk(c *codec.Coder, f *pressure.FsStats) {
	codeAmounts(c, &f.AvailableBytes, &f.CapacityBytes, &f.UsedBytes, &f.InodesFree, &f.Inodes, &f.InodesUsed)
}

func codeAmounts(c *codec.Coder, amounts ...**uint64) {
	for _, amount := range amounts {
		codec.Optional(c, amount, func(n *uint64) { codec.Uint(c, n) })
	}
}

// usage replaces the names in a reading. The container of all pods is one of the kubelet's own, by a name that it looks for.
func (h *NameHasher) usage(u Usage) Usage {
	u.Node = h.Name(u.Node)
	u.Summary.Pods = mapEach(u.Summary.Pods, func(p pressure.PodStats) pressure.PodStats {
		p.PodRef = pressure.PodReference{Namespace: h.Name(p.PodRef.Namespace), Name: h.Name(p.PodRef.Name), UID: types.UID(h.Name(string(p.PodRef.UID)))}
		p.Containers = mapEach(p.Containers, func(c pressure.ContainerStats) pressure.ContainerStats {
			c.Name = h.Name(c.Name)
			return c
		})
		p.Volumes = mapEach(p.Volumes, func(v pressure.VolumeStats) pressure.VolumeStats {
			v.Name = h.Name(v.Name)
			return v
		})
		return p
	})
	return u
}
