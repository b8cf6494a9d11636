package collect

import (
	"slices"
	"strings"
	"time"

	"orrery/core/evict"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

var phases = [...]views.EvictionPhase{
	evict.AtRisk: views.EvictionPredicted, evict.CountingDown: views.EvictionCountingDown, evict.Blocked: views.EvictionBlocked,
	evict.Terminating: views.EvictionTerminating, evict.Evicted: views.EvictionDone, evict.Cancelled: views.EvictionCancelled,
	evict.Killed: views.EvictionKilled,
}

// evictionCache keeps the sorted lists of the record of evictions, the blocked ones before those that are open.
type evictionCache struct {
	record      *evict.Record
	stamp       uint64
	at          time.Time
	open, ended []evict.Eviction
	// blocked and overdue count the open ones, blockedReason is the first's.
	blocked, overdue int
	blockedReason    string
}

// A long record is read again only after this much of the engine's time.
const (
	longRecord   = 512
	recordPeriod = 200 * time.Millisecond
)

// refresh reads the record, and which evictions are blocked.
func (m *evictionCache) refresh(c *Collector, e *engine.Engine) {
	ch, now := c.options.History, e.Now()
	record := ch.Evictions()
	passed := now.Sub(m.at)
	if m.record == record && (m.stamp == ch.stamp || (len(m.open) > longRecord && passed >= 0 && passed < recordPeriod)) {
		return
	}
	*m = evictionCache{record: record, stamp: ch.stamp, at: now, open: record.Open(), ended: record.Ended()}
	blocked := c.blocked(e, m.open, m.ended)
	m.open = slices.Concat(blocked, m.open)
	for i := range m.open {
		d := &m.open[i]
		if d.Phase == evict.Blocked && m.blocked == 0 {
			m.blockedReason = evictionReason(d)
		}
		if d.Phase == evict.Blocked {
			m.blocked++
		}
		if d.LongOverdue(now) {
			m.overdue++
		}
	}
}

// evictions returns blocked evictions, the other open ones, the earliest first, then ended ones, the latest first.
func (c *Collector) evictions(e *engine.Engine, query Query) *views.Evictions {
	if c.options.History == nil {
		return nil
	}
	c.evictionList.refresh(c, e)
	m := &c.evictionList
	v := &views.Evictions{}
	rows, total := []views.Eviction{}, 0
	for i := range len(m.open) + len(m.ended) {
		d := m.nth(i)
		if query.Namespace != "" && d.Pod.Namespace != query.Namespace {
			continue
		}
		row := briefEviction(d, e)
		v.Counts.Add(&row)
		if total++; query.Open == views.Overview && len(rows) < overviewRows {
			rows = append(rows, evictionRow(d, e))
		}
	}
	v.Outcomes = outcomesOf(c.options.History.Evictions().Outcomes())
	if query.Open == views.Overview {
		v.List = views.List[views.Eviction]{Total: total, Rows: rows}
	}
	return v
}

// nth returns the eviction at a position: open ones first, then ended ones, the latest first.
func (m *evictionCache) nth(i int) *evict.Eviction {
	if i < len(m.open) {
		return &m.open[i]
	}
	return &m.ended[len(m.open)+len(m.ended)-1-i]
}

// badOutcomes are the outcomes of predictions that were wrong or missing.
var badOutcomes = [...]evict.Outcome{evict.Late, evict.Early, evict.Missed, evict.Mispredicted}

// outcomesOf counts the outcomes of predictions.
func outcomesOf(all evict.OutcomeCounts) []views.NamedCount {
	if !all.Any() {
		return nil
	}
	var list []views.NamedCount
	for o := evict.OnTime; int(o) < len(all); o++ {
		if n := all.Count(o); n > 0 || o == evict.OnTime || o == evict.Late || o == evict.Missed {
			list = append(list, views.NamedCount{Name: o.String(), Count: int64(n), Bad: n > 0 && slices.Contains(badOutcomes[:], o)})
		}
	}
	return list
}

// briefEviction makes as much of a row as its state needs. A pod that is being deleted is terminating, whichever controller was predicted to
// evict it: its deletion timestamp is known.
func briefEviction(d *evict.Eviction, e *engine.Engine) views.Eviction {
	row := views.Eviction{Phase: phases[d.Phase], ByOther: d.Predicted, Overdue: d.LongOverdue(e.Now())}
	if pod := e.Store().Pod(d.Pod.Namespace, d.Pod.Name); pod != nil && pod.UID == d.Pod.UID && pod.DeletionTimestamp != nil && d.Phase <= evict.Terminating {
		row.Phase, row.ByOther = views.EvictionTerminating, false
	}
	return row
}

func evictionRow(d *evict.Eviction, e *engine.Engine) views.Eviction {
	now := e.Now()
	row := briefEviction(d, e)
	row.Pod, row.Key = podNames(d.Pod)
	row.Node, row.NodeKey, row.Cause, row.Initiator, row.Reason = printable.Text(d.Node), d.Node, string(d.Cause), printable.Text(d.Initiator), evictionReason(d)
	if d.Preemptor != (world.PodRef{}) {
		row.Preemptor = strings.TrimPrefix(podName(d.Preemptor), "default/")
	}
	row.Since, row.Deadline, row.Ended = d.FirstSeen, d.Deadline, d.Ended
	row.Budget, row.Allowed = printable.Text(d.Budget), d.DisruptionsAllowed
	row.Outcome, row.ShortOutcome, row.Mispredicted = d.PredictionText(now), d.PredictionBrief(now), slices.Contains(badOutcomes[:], d.Prediction.Outcome)
	if pod := e.Store().Pod(d.Pod.Namespace, d.Pod.Name); pod != nil {
		row.Labels = pod.Labels
	}
	return row
}

// evictionReason returns an eviction's reason without the domain of Kubernetes' own taints.
func evictionReason(d *evict.Eviction) string { return printable.Text(withoutDomain(d.Reason)) }
