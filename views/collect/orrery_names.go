package collect

import (
	"cmp"
	"slices"
	"strconv"

	"orrery/core/evict"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/views"
)

// The nodes that the orrery calls by their names: the worst ones, of which a full one counts from almostFull on.
const (
	worstNodes = 3
	almostFull = 230 // of 255
)

// named are the node that the last search chose, and the worst nodes: those that are lost, under pressure or cordoned, and the fullest.
func (m *nodeTable) named(v *views.Orrery) []views.NamedBody {
	var list, worst []views.NamedBody
	badness := func(i int) int {
		b := &v.Bodies[i]
		switch {
		case b.Flags&views.NotReady != 0:
			return 1000
		case b.Flags&views.Pressed != 0:
			return 900
		case b.Flags&views.Cordoned != 0:
			return 800
		case b.Level >= almostFull:
			return int(b.Level)
		}
		return 0
	}
	at := make([]int, 0, worstNodes+1)
	for i := range v.Bodies {
		if badness(i) == 0 || len(at) == worstNodes && badness(i) <= badness(at[worstNodes-1]) {
			continue
		}
		place, _ := slices.BinarySearchFunc(at, i, func(a, b int) int { return cmp.Compare(badness(b), badness(a)) })
		for place < len(at) && badness(at[place]) == badness(i) { // the first in order stays the first
			place++
		}
		at = slices.Insert(at, place, i)
		at = at[:min(len(at), worstNodes)]
	}
	for _, i := range at {
		worst = append(worst, views.NamedBody{Node: i, Name: printable.Text(m.known[i].node.Name), Fact: factOf(&v.Bodies[i]), Bad: v.Bodies[i].Flags&^views.Changed != 0})
	}
	if v.Last != nil {
		for i := range v.Bodies {
			if v.Bodies[i].Result == views.Chosen {
				list = append(list, views.NamedBody{Node: i, Name: printable.Text(m.known[i].node.Name), Fact: "chosen"})
			}
		}
	}
	return append(list, worst...)
}

// factOf is why a node is among the worst.
func factOf(b *views.OrreryBody) string {
	switch {
	case b.Flags&views.NotReady != 0:
		return "not ready"
	case b.Flags&views.Pressed != 0:
		return "under pressure"
	case b.Flags&views.Cordoned != 0:
		return "cordoned"
	}
	return strconv.Itoa((int(b.Level)*100+127)/255) + "%"
}

// maxReturning bounds the back-offs that are drawn one by one.
//
//orrery:limit screen; pods that the orrery draws on their back-off; the others are counted
const maxReturning = 48

// returning are the back-offs that end first.
func (c *Collector) returning(e *engine.Engine) []views.BackoffSpan {
	c.pods = e.Queue().Window(c.pods[:0], queue.Backoff, 0, maxReturning)
	list := make([]views.BackoffSpan, len(c.pods))
	for i, p := range c.pods {
		list[i] = views.BackoffSpan{From: p.Since(), Until: p.GetBackoffExpiration()}
	}
	return list
}

// maxLeaving bounds the evictions that the orrery tells of in words.
//
//orrery:limit screen; evictions under way that the orrery lists; the others are counted
const maxLeaving = 8

// leaving are the evictions under way, in the order of the evictions pane.
func (c *Collector) leaving(e *engine.Engine, namespace string) []views.Eviction {
	var list []views.Eviction
	for i := range c.evictionList.open {
		d := &c.evictionList.open[i]
		if under := d.Phase == evict.Terminating || d.Phase == evict.CountingDown; under && (namespace == "" || d.Pod.Namespace == namespace) && len(list) < maxLeaving {
			list = append(list, evictionRow(d, e))
		}
	}
	return list
}

// countLeaving counts the terminating pods of every node.
func (c *Collector) countLeaving(v *views.Orrery) {
	for i := range c.evictionList.open {
		d := &c.evictionList.open[i]
		if at, ok := c.nodes.positions[d.Node]; ok && d.Phase == evict.Terminating {
			v.Bodies[at].Leaving++
		}
	}
}

// flights are the ways of the pods in a what-if. A node that is not in the picture is one that the what-if would add.
func (m *nodeTable) flights(w *views.WhatIf) []views.Flight {
	byName := make(map[string]int, len(m.known))
	for i := range m.known {
		byName[printable.Text(m.known[i].node.Name)] = i
	}
	index := func(node string) (at int, is bool) {
		if at, is = byName[node]; !is {
			at = -1
		}
		return at, is
	}
	var list []views.Flight
	for i := range w.Changes.Rows {
		change := &w.Changes.Rows[i]
		if change.Unchanged || len(list) == maxFlights {
			continue
		}
		f := views.Flight{Pod: change.Pod, Gone: change.To == views.Deleted || change.To == views.Evicted}
		f.From, _ = index(change.Without)
		to, known := index(change.With)
		f.To, f.New = to, !known && change.With != ""
		list = append(list, f)
	}
	return list
}

// maxFlights bounds the pods that fly in a what-if that is played.
//
//orrery:limit screen; pods whose ways the orrery plays in a what-if; its table has all
const maxFlights = 400
