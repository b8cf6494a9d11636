package views_test

import (
	"fmt"
	"time"

	"orrery/views"
	"orrery/views/draw"
)

var noon = time.Date(2026, 1, 1, 12, 0, 41, 230e6, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }
func in(d time.Duration) time.Time  { return noon.Add(d) }

const noMemory = "Insufficient memory"

// sample is a busy cluster with the given numbers of pending pods and nodes.
func sample(pods, nodes int) *views.Model {
	return &views.Model{
		Storage: sampleStorage(),
		Devices: sampleDevices(),
		Gangs:   sampleGangs(),
		Header: views.Header{
			Source: "rush-hour.trace", Mode: views.Shadow, Leader: "replica-b", LeaseLeft: 11 * time.Second,
			Generation: 48213, Rate: 1204, P99: 84 * time.Microsecond,
			Health: views.Health{
				Known: true, Nodes: nodes, Holder: "replica-b", Renewed: ago(4 * time.Second), Lease: 15 * time.Second, Retry: 2 * time.Second, NotReady: 1,
				Unplaced: pods - 76, Stuck: "ml/trainer-0", StuckKey: "ml/trainer-0", StuckReason: "Insufficient memory", StuckOn: 37, StuckSince: ago(7 * time.Minute),
			},
		},
		Queue: sampleQueue(pods), Journey: sampleJourney(), Snapshot: sampleSnapshot(nodes), Node: sampleNode(),
		Zones: sampleZones(nodes), Evictions: sampleEvictions(), Leader: sampleLeader(), Decisions: sampleDecisions(pods),
		Explain: sampleExplain(), Plugins: samplePlugins(), Metrics: sampleMetrics(), Timeline: sampleTimeline(), WhatIf: sampleWhatIf(), Comparison: sampleComparison(), Agreement: sampleAgreement(),
		Feed: sampleDecisions(pods).List.Rows, Pressure: samplePressure(), Pending: samplePending(), Orrery: sampleOrrery(nodes),
	}
}

func sampleComparison() *views.Comparison {
	c := &views.Comparison{Kind: "nodes", A: "ip-10-0-0-43.internal", B: "ip-10-0-0-82.internal", At: noon, Differ: 3}
	c.List.Rows = []views.CompareRow{
		{Name: "requested", Heading: true},
		{Name: "cpu", A: "11.8 of 16", B: "3.2 of 16"},
		{Name: "memory", A: "3.8Gi of 64Gi", B: "3.8Gi of 64Gi", Same: true},
		{Name: "node", Heading: true},
		{Name: "taints", A: "node.kubernetes.io/unschedulable:NoSchedule"},
		{Name: "for ml/trainer-0, pending", Heading: true},
		{Name: "NodeResourcesFit", A: "✗ Insufficient cpu", B: "✓ passes"},
		{Name: "TaintToleration", A: "✓ passes", B: "✓ passes", Same: true},
	}
	c.List.Total = len(c.List.Rows)
	return c
}

// depthCurve is two minutes in which pods come and go.
func depthCurve() []float64 {
	depth := make([]float64, 120)
	for i := range depth {
		depth[i] = float64(min(i*3, 330-i) + i*7%20)
	}
	return depth
}

func sampleQueue(total int) *views.Queue {
	q := &views.Queue{Depth: depthCurve(), Counts: views.QueueCounts{Active: 14, Backoff: 31, Unschedulable: total - 107, Gated: 59, InFlight: 3}}
	q.Next = []views.PodRow{
		{Name: "payments/ledger-0", State: views.InFlight, Priority: 100000, Attempts: 1, Since: ago(2 * time.Millisecond), Reason: "waits for Permit: gang"},
		{Name: "payments/ledger-1", State: views.Active, Priority: 100000, Since: ago(310 * time.Millisecond)},
		{Name: "shop/checkout-7d9f6c5b8-x2kqp", State: views.Active, Priority: 1000, Attempts: 2, Since: ago(1200 * time.Millisecond)},
		{Name: "shop/cart-6b7d54b7c9-8zv4m", State: views.Active, Priority: 1000, Since: ago(1400 * time.Millisecond)},
		{Name: "batch/report-28914-hj2lw", State: views.Active, Since: ago(9 * time.Second)},
	}
	q.Soon = []views.PodRow{
		{Name: "shop/search-5c9b8f4d77-2gnfr", State: views.Backoff, Priority: 1000, Attempts: 3, Since: ago(3100 * time.Millisecond), From: ago(3100 * time.Millisecond), Until: in(900 * time.Millisecond), Reason: noMemory},
		{Name: "ml/trainer-large-0", State: views.Backoff, Priority: 500, Attempts: 4, Since: ago(2 * time.Second), From: ago(2 * time.Second), Until: in(6 * time.Second), Reason: "Insufficient nvidia.com/gpu"},
		{Name: "batch/etl-7wq9x", State: views.Backoff, Attempts: 6, Since: ago(time.Second), From: ago(time.Second), Until: in(9 * time.Second), Reason: "node(s) didn't match Pod's node affinity/selector"},
	}
	reasons := []string{noMemory, "node(s) had untolerated taint(s)", "Insufficient cpu", "node(s) didn't match pod topology spread constraints"}
	for i := range 24 {
		q.Stuck = append(q.Stuck, views.PodRow{
			Name: fmt.Sprintf("ml/trainer-%d-%05x", i/4, 0x9a3f1+i*7919), State: views.Unschedulable, Priority: 500, Attempts: 5 + i%3,
			Since: ago(time.Duration(12-i/2)*time.Minute + time.Duration(i)*time.Second), Reason: reasons[i%4], Plugin: "NodeResourcesFit", RequeuesOn: "NodeAdd, AssignedPodDelete",
		})
	}
	q.Stuck[1].Nominated = "ip-10-0-3-85.internal"
	q.Held = []views.PodRow{
		{Name: "batch/nightly-0", State: views.Gated, Since: ago(3 * time.Hour), Reason: "waiting for scheduling gates: [kueue.x-k8s.io/admission]"},
		{Name: "batch/nightly-1", State: views.Gated, Since: ago(3 * time.Hour), Reason: "waiting for scheduling gates: [kueue.x-k8s.io/admission]"},
	}
	for _, rows := range [][]views.PodRow{q.Next, q.Soon, q.Stuck, q.Held} { // all were tried before
		for i := range rows {
			rows[i].Pending = rows[i].Since.Add(-time.Duration(rows[i].Attempts) * 17 * time.Second)
		}
	}
	q.Pods = views.List[views.PodRow]{Total: total}
	for _, part := range [][]views.PodRow{q.Next, q.Soon, q.Stuck, q.Held} {
		q.Pods.Rows = append(q.Pods.Rows, part...)
	}
	q.Transitions = []views.Transition{
		{At: ago(30 * time.Millisecond), Pod: "payments/ledger-0", From: views.Active, To: views.InFlight, Event: "Pop"},
		{At: ago(60 * time.Millisecond), Pod: "shop/cart-6b7d54b7c9-5kx2v", From: views.InFlight, To: views.Bound, Event: "Done", Node: "ip-10-0-3-85.internal"},
		{At: ago(90 * time.Millisecond), Pod: "shop/cart-6b7d54b7c9-q7wzz", From: views.InFlight, To: views.Bound, Event: "BoundByOther", Node: "ip-10-0-7-66.internal", By: "default-scheduler", Ours: "ip-10-0-2-26.internal", Comparison: "as good"},
		{At: ago(700 * time.Millisecond), Pod: "shop/checkout-7d9f6c5b8-x2kqp", From: views.Backoff, To: views.Active, Event: "BackoffComplete", Earlier: []views.PodState{views.Created, views.Active, views.InFlight, views.Unschedulable}},
		{At: ago(1900 * time.Millisecond), Pod: "ml/trainer-large-0", From: views.Unschedulable, To: views.Backoff, Event: "AssignedPodDelete", Earlier: []views.PodState{views.Active, views.InFlight}},
		{At: ago(2100 * time.Millisecond), Pod: "batch/etl-7wq9x", From: views.InFlight, To: views.Unschedulable, Event: "ScheduleAttemptFailure"},
	}
	return q
}

func samplePending() *views.Pending {
	p := &views.Pending{At: ago(3 * time.Second), Pods: 205, Capacity: "7 more nodes like ip-10-0-3-85.internal would place 180 of the 205 pods"}
	p.Groups.Rows = []views.PendingGroup{
		{Owner: "ml/job/trainer", Key: "ml/trainer-0", Pods: 120, Oldest: ago(42 * time.Minute), Cause: "Insufficient memory: the only blocker on 36 of 240 nodes; requests 4Gi, at most 2150Mi free there", Fix: "tolerate the taint dedicated=ml:NoSchedule", Places: 96},
		{Owner: "batch/cronjob/nightly-28914", Key: "batch/nightly-0", Pods: 59, Oldest: ago(3 * time.Hour), Cause: "held by the scheduling gate kueue.x-k8s.io/admission", Fix: "remove its scheduling gates", Places: 59},
		{Owner: "shop/deployment/search", Key: "shop/search-1", Pods: 18, Oldest: ago(5 * time.Minute), Cause: "node(s) didn't match pod topology spread constraints: the only blocker on 32 of 240 nodes", Fix: "add one more node like ip-10-0-1-56.internal", Places: 3},
		{Owner: "shop/statefulset/ledger", Key: "shop/ledger-0", Pods: 7, Oldest: ago(90 * time.Second), Cause: "Insufficient nvidia.com/gpu on 240 of 240 nodes"},
		{Owner: "default/pod/debug", Key: "default/debug", Pods: 1, Oldest: ago(8 * time.Second), Cause: "waits for scheduler \"mine\"; no profile here has that name"},
	}
	p.Groups.Total = len(p.Groups.Rows)
	return p
}

func sampleSnapshot(nodes int) *views.Snapshot {
	s := &views.Snapshot{Capacity: &views.Capacity{
		CPU: views.Amount{Fraction: 0.39, Used: "1,498", Most: "3,840"}, Memory: views.Amount{Fraction: 0.28, Used: "4.2Ti", Most: "15Ti"},
		PodCPU: "15.9", PodMemory: "61Gi", PodNode: "ip-10-0-0-12.internal",
	}, Generation: 48213, Nodes: nodes, Changed: 7, Taken: ago(40 * time.Millisecond), Compared: true}
	s.List.Total = nodes
	for z := range 3 {
		zone := views.HeatZone{Name: "eu-west-1" + string(rune('a'+z))}
		for i := z; i < nodes; i += 3 {
			c := views.HeatCell{Level: uint8((i*i*31 + i*17 + z*40) % 256)}
			switch {
			case i%97 == 11:
				c.Flags = views.Changed
			case i%61 == 7:
				c.Flags = views.Fading
			case i == 30:
				c.Flags = views.Cordoned
			case i == 71:
				c.Flags = views.NotReady
			}
			zone.Cells = append(zone.Cells, c)
		}
		s.Heat = append(s.Heat, zone)
	}
	for i := range min(nodes, 60) {
		s.List.Rows = append(s.List.Rows, sampleNodeRow(i))
	}
	s.Recent = s.List.Rows[:min(10, len(s.List.Rows))]
	return s
}

func sampleNodeRow(i int) views.NodeRow {
	cpu, memory := float64(i*37%100)/100, float64(i*53%100)/100
	n := views.NodeRow{
		Name: fmt.Sprintf("ip-10-0-%d-%d.internal", i/8, 17+i*13%230), Zone: "eu-west-1" + string(rune('a'+i%3)), Generation: int64(48213 - i*3),
		CPU:    views.Amount{Fraction: cpu, Used: fmt.Sprintf("%.1f", cpu*16), Most: "16"},
		Memory: views.Amount{Fraction: memory, Used: fmt.Sprintf("%.1fGi", memory*64), Most: "64Gi"},
		Pods:   views.Amount{Fraction: 0.2, Used: fmt.Sprint(i*7%40 + 3), Most: "110"},
	}
	if i < 7 {
		n.Flags = views.Changed
	}
	n.Affine, n.Repelling, n.Claims, n.Images, n.Ports = i%5, i%3/2, i%4*2, 12+i%9, i%2
	switch i {
	case 2:
		n.Flags |= views.Cordoned
	case 4:
		n.Taints = "dedicated=ml:NoSchedule"
	case 5:
		n.Flags |= views.NotReady
	}
	return n
}

func sampleZones(nodes int) *views.Zones {
	rounds := (nodes + 2) / 3
	z := &views.Zones{
		Nodes: nodes, Start: 46, Pod: "shop/cart-6b7d54b7c9-5kx2v", Examined: 37, Feasible: 24, Rejected: 13,
		Chosen: "ip-10-0-3-85.internal", Passes: rounds, StartLane: 1, StartPass: 15, WindowPass: 3, WindowPasses: 13,
	}
	for lane := range 3 {
		l := views.Lane{Zone: "eu-west-1" + string(rune('a'+lane)), Nodes: nodes / 3, Feasible: 7 + lane, Rejected: 6 - lane, Allocated: 0.46 + 0.2*float64(lane)}
		for c := range rounds {
			cell, i := views.NotVisited, c*3+lane
			switch {
			case i == 31:
				cell = views.Chosen
			case i >= 9 && i < 46 && (i*i+i/2)%11 < 4:
				cell = views.Rejected
			case i >= 9 && i < 46:
				cell = views.Feasible
			}
			l.Cells = append(l.Cells, cell)
		}
		z.Lanes = append(z.Lanes, l)
	}
	for i := range 30 {
		q := views.Search{At: ago(time.Duration(i*83) * time.Millisecond), Pod: fmt.Sprintf("shop/cart-6b7d54b7c9-%05x", 0x3a1f0+i*4421), Start: (9 + nodes*40 - i*37) % nodes, Examined: min(37, nodes), Feasible: 24 - i%5, Nodes: nodes, Place: -1}
		if q.Feasible -= i % 7 / 6 * 30; q.Feasible > 0 {
			q.Place, q.Chosen = (q.Start+7+i%20)%nodes, fmt.Sprintf("ip-10-0-%d-%d.internal", i%9, 17+i*29%200)
		}
		q.Feasible = max(q.Feasible, 0)
		z.Searches = append(z.Searches, q)
	}
	return z
}

func sampleEvictions() *views.Evictions {
	e := &views.Evictions{}
	e.List.Rows = []views.Eviction{
		{Pod: "batch/report-28914-q8mzp", Node: "ip-10-0-1-121.internal", Cause: "preemption", Phase: views.EvictionTerminating, Deadline: in(12 * time.Second), Initiator: "payments/ledger-0", Reason: "priority 100,000 over 0", Budget: "batch/report", Allowed: 2},
		{Pod: "shop/cart-6b7d54b7c9-r9d7c", Node: "ip-10-0-0-82.internal", Cause: "taint", Phase: views.EvictionCountingDown, Deadline: in(41 * time.Second), Initiator: "node controller", Reason: "node.kubernetes.io/unreachable:NoExecute", Budget: "shop/cart", Allowed: 1},
		{Pod: "shop/cart-6b7d54b7c9-tt5nb", Node: "ip-10-0-0-82.internal", Cause: "taint", Phase: views.EvictionCountingDown, ByOther: true, Deadline: in(71 * time.Second), Initiator: "node controller", Reason: "node.kubernetes.io/unreachable:NoExecute", Budget: "shop/cart", Allowed: 0},
		{Pod: "shop/checkout-7d9f6c5b8-lm4xk", Node: "ip-10-0-2-30.internal", Cause: "eviction API", Phase: views.EvictionBlocked, Initiator: "kubectl drain", Reason: "The disruption budget does not allow evicting pods currently", Budget: "shop/checkout", Allowed: 0},
		{Pod: "ml/trainer-2-b91c4", Node: "ip-10-0-4-69.internal", Cause: "node pressure", Phase: views.EvictionPredicted, ByOther: true, Deadline: in(4 * time.Minute), Initiator: "kubelet", Reason: "memory.available below 100Mi soon"},
		{Pod: "ml/trainer-3-c01d2", Node: "ip-10-0-4-69.internal", Cause: "node pressure", Phase: views.EvictionPredicted, ByOther: true, Initiator: "kubelet", Reason: "next in eviction order"},
		{Pod: "batch/etl-2lq8s", Node: "ip-10-0-1-121.internal", Cause: "preemption", Phase: views.EvictionDone, Initiator: "payments/ledger-1", Reason: "priority 100,000 over 0", Ended: ago(20 * time.Second)},
	}
	e.List.Rows[1].Outcome, e.List.Rows[2].Outcome = "predicted 12:01:22", "predicted 12:01:52"
	e.List.Rows = append(e.List.Rows,
		views.Eviction{Pod: "shop/search-5c9b8f4d77-0aa1x", Node: "ip-10-0-0-82.internal", Cause: "taint", Phase: views.EvictionTerminating, ByOther: true, Deadline: ago(44 * time.Second), Initiator: "taint-eviction-controller", Reason: "repair:NoExecute is not tolerated", Overdue: true, ShortOutcome: "overdue 44s", Outcome: "predicted 11:59:57, overdue by 44s: is taint eviction running?"},
		views.Eviction{Pod: "shop/search-5c9b8f4d77-1bb2y", Node: "ip-10-0-0-82.internal", Cause: "taint", Phase: views.EvictionDone, Initiator: "taint-eviction-controller", Reason: "repair:NoExecute, tolerated for 30s", Ended: ago(25 * time.Second), ShortOutcome: "on time +200ms", Outcome: "predicted 12:00:10, evicted 12:00:10 (+200ms)"},
		views.Eviction{Pod: "shop/search-5c9b8f4d77-2cc3z", Node: "ip-10-0-0-82.internal", Cause: "taint", Phase: views.EvictionDone, Initiator: "taint-eviction-controller", Reason: "repair:NoExecute, tolerated for 30s", Ended: ago(25 * time.Second), ShortOutcome: "late +12s", Mispredicted: true, Outcome: "predicted 12:00:10, evicted 12:00:22 (+12s)"},
	)
	e.Outcomes = []views.NamedCount{{Name: "on time", Count: 1204}, {Name: "late", Count: 1, Bad: true}, {Name: "missed"}, {Name: "superseded", Count: 3}, {Name: "cancelled", Count: 17}}
	for i := range e.List.Rows {
		e.List.Rows[i].Since = ago(time.Duration(18+i*2) * time.Second)
		e.Counts.Add(&e.List.Rows[i])
	}
	e.List.Total = len(e.List.Rows)
	return e
}

func sampleLeader() *views.Leader {
	l := &views.Leader{
		Holder: "replica-b", Acquired: ago(47 * time.Minute), Renewed: ago(4 * time.Second),
		Lease: 15 * time.Second, Deadline: 10 * time.Second, Retry: 2 * time.Second, Transitions: 7, MaxClockSkew: 1.5, ObservedClockSkew: 1.02, State: "held", FailoverAt: in(11 * time.Second),
		Candidates: []views.Candidate{{Name: "replica-a", Note: "this one"}, {Name: "replica-c"}},
		History: []views.LeaderTransition{
			{At: ago(47 * time.Minute), From: "replica-a", To: "replica-b", Why: "taken over after expiry"},
			{At: ago(3 * time.Hour), From: "replica-c", To: "replica-a", Why: "released"},
		},
	}
	for i := range 90 {
		interval := 2 * time.Second
		if i%23 == 7 {
			interval = 6 * time.Second
		}
		l.RenewIntervals = append(l.RenewIntervals, interval+time.Duration(i%5)*100*time.Millisecond)
	}
	return l
}

func sampleDecisions(total int) *views.Decisions {
	d := &views.Decisions{Placed: 40211, Unschedulable: 1204}
	d.List.Total = total
	for i := range min(total, 60) {
		r := views.DecisionRow{
			Seq: uint64(41415 - i), At: ago(time.Duration(i*830) * time.Microsecond), Pod: fmt.Sprintf("shop/cart-6b7d54b7c9-%05x", 0x3a1f0+i*4421),
			Node: fmt.Sprintf("ip-10-0-%d-%d.internal", i%9, 17+i*29%200), Examined: 37, Feasible: 24 - i%5, Nodes: 240, Score: int64(312 - i%40),
			Duration: time.Duration(41+i*7%60) * time.Microsecond, Attempt: 1,
		}
		switch i % 9 {
		case 4:
			r.Verdict, r.Node, r.Score, r.Feasible, r.Examined, r.Attempt = views.VerdictUnschedulable, "", 0, 0, 240, 4
			r.Pod, r.Reason = fmt.Sprintf("ml/trainer-%d-%05x", i/4, 0x9a3f1+i*7919), "203 of 240 nodes: Insufficient memory"
		case 7:
			r.Verdict, r.Score, r.Feasible, r.Examined = views.VerdictUnschedulable, 0, 0, 240
			r.Pod, r.Reason = "payments/ledger-0", "preempts 1 pod"
		}
		r.Why = r.Reason
		d.List.Rows = append(d.List.Rows, r)
	}
	return d
}

func samplePlugins() *views.Plugins {
	p := &views.Plugins{Profile: "default-scheduler"}
	for i, name := range sampleExplain().Plugins {
		p.List.Rows = append(p.List.Rows, views.PluginRow{Point: "Filter", Plugin: name, Calls: int64(1482044 - i*71000), Mean: time.Duration(80+i*37%300) * time.Nanosecond, P99: time.Duration(2+i) * time.Microsecond, Share: float64(i*7%20) / 60, Rejections: int64(i * 3171 % 9000)})
	}
	for _, name := range []string{"NodeResourcesFit", "InterPodAffinity", "PodTopologySpread"} {
		p.List.Rows = append(p.List.Rows, views.PluginRow{Point: "Score", Plugin: name, Weight: 2, Calls: 512044, Mean: 210 * time.Nanosecond, P99: 3 * time.Microsecond, Share: 0.04})
	}
	p.List.Total = len(p.List.Rows)
	return p
}

func sampleMetrics() *views.Metrics {
	m := &views.Metrics{Step: time.Second, CachePods: 4218, AssumedPods: 3}
	for i := range 300 {
		wave := float64((i*i/7+i*13)%400) / 400
		m.Rate = append(m.Rate, 600+600*wave)
		m.P99 = append(m.P99, (60+80*wave*wave)*1e-6)
		m.Depth = append(m.Depth, 100+float64(i)*0.7+60*wave)
	}
	m.Attempts = []views.NamedCount{{Name: "placed", Count: 40211}, {Name: "unschedulable", Count: 1204, Bad: true}, {Name: "failed", Bad: true}}
	m.Latency = []views.Quantile{{"p50", 41 * time.Microsecond}, {"p90", 63 * time.Microsecond}, {"p99", 84 * time.Microsecond}, {"slowest", 3 * time.Millisecond}}
	return m
}

func sampleTimeline() *views.Timeline {
	start := ago(41230 * time.Millisecond)
	t := &views.Timeline{Title: "A rush over three zones", Start: start, End: start.Add(3 * time.Minute), At: noon, Speed: "2.0x", Step: 500 * time.Millisecond, Marks: []views.Mark{
		{At: start.Add(38 * time.Second), Label: "Zone b is full, and with it everybody who is spread evenly", Kind: "note", Annotated: true},
		{At: start.Add(70 * time.Second), Label: "preemption by ledger-0", Kind: "preemption"},
		{At: start.Add(84 * time.Second), Label: "zone b lost", Kind: "first failure", Bad: true, Glyph: '✗'},
		{At: start.Add(150 * time.Second), Label: "new leader", Kind: "leader change", Annotated: true},
	}}
	t.Listed = views.List[views.Mark]{Total: len(t.Marks), Rows: t.Marks}
	for i := range 360 {
		t.Rate = append(t.Rate, float64(600+i*i%701))
		if i < 300 { // replayed so far
			t.Depth = append(t.Depth, float64(min(i, 420-i)+i*7%40))
		}
	}
	return t
}

func sampleStorage() *views.Storage {
	v := &views.Storage{Size: "42Ti", MoreSegments: 0, MoreLimits: 231}
	v.Claims = [len(v.Claims)]int{1, 1, 1, 2, 1, 1, 1, 1, 12, 1204}
	v.Volumes = [len(v.Volumes)]int{1, 1, 1, 1, 1, 8, 1191}
	for i, place := range []string{"in eu-west-1b", "in eu-west-1a", "in eu-west-1c", "on node ip-10-0-3-85.internal"} {
		g := views.StorageSegment{Class: "fast", Place: place, Volumes: 100 + i, Left: fmt.Sprintf("%dGi", 50+i*1000), Amount: views.Amount{Fraction: 0.96 - float64(i)/4, Used: "1.9Ti", Most: "2Ti"}}
		if i == 0 {
			g.Asked = "100Gi"
		}
		v.Segments = append(v.Segments, g)
	}
	for i := range 9 {
		v.Limits = append(v.Limits, views.AttachLimit{Node: fmt.Sprintf("ip-10-0-%d-85.internal", i), Driver: "ebs.csi.aws.com", Attached: int64(25 - 3*i), Limit: 25})
	}
	notes := [...]string{
		"was bound to pv-0007, which no longer exists; its data may be gone", "does not exist", "is bound to pv-0009, which does not exist",
		"waits for provisioner ebs.csi.aws.com, for ip-10-0-3-85.internal", "waits for the pods that use it to end: shop/cart-0 on ip-10-0-1-85.internal",
		"is not bound: class gone does not exist; waits for the class, or a PersistentVolume of it", "12 node(s) did not have enough free storage",
		"on ip-10-0-3-17.internal (NotReady)", "gets its volume when its pod has a node", "on ip-10-0-2-85.internal",
	}
	for i := range 40 {
		state := views.ClaimState(min(i, int(views.ClaimBound)))
		row := views.ClaimRow{
			Name: fmt.Sprintf("shop/data-cart-%d", i), Key: fmt.Sprintf("shop/data-cart-%d", i), State: state, Since: ago(time.Duration(i*i+7) * 3 * time.Second), Size: fmt.Sprintf("%dGi", 10+i), Class: "fast",
			Pod: fmt.Sprintf("shop/cart-%d", i), PodKey: fmt.Sprintf("shop/cart-%d", i), Pods: 1 + i%2, Note: notes[state],
		}
		if state == views.ClaimStuck || state == views.ClaimBound {
			row.Volume, row.Place = fmt.Sprintf("pvc-1129a36f-ba04-460e-8c6d-7a18c244%04d", i), "in eu-west-1"+string(rune('a'+i%3))
		}
		v.ClaimList.Rows = append(v.ClaimList.Rows, row)
		volume := views.VolumeRow{
			Name: fmt.Sprintf("pvc-1129a36f-ba04-460e-8c6d-7a18c244%04d", i), State: views.VolumeState(min(i, int(views.VolumeBound))), Since: row.Since, Size: row.Size, Class: "fast", Place: "in eu-west-1b",
			Claim: row.Name, Policy: "Delete", Attached: "ip-10-0-2-85.internal",
		}
		if i == 0 {
			volume.Attached = "ip-10-0-3-17.internal (NotReady, being detached)"
		}
		v.VolumeList.Rows = append(v.VolumeList.Rows, volume)
	}
	v.ClaimList.Total, v.VolumeList.Total = 1225, 1204
	return v
}

func sampleWhatIf() *views.WhatIf {
	w := &views.WhatIf{
		Verdict: "blocked: 1 of 22 pods cannot be evicted (budget shop/cart allows 0 disruptions); 4 evicted and left pending, 17 moved", Bad: true,
		Tried: "drain ip-10-0-0-82.internal", Command: "orrery whatif --trace rush-hour.trace --at +41.23s drain ip-10-0-0-82.internal",
		Without: views.Totals{Placed: 4218, Pending: 312, CPU: 0.61, Memory: 0.72, Spread: 0.4}, With: views.Totals{Placed: 4214, Pending: 316, Evicted: 21, Moved: 17, CPU: 0.61, Memory: 0.73, Spread: 0.44},
	}
	for i := range 6 {
		w.Changes.Rows = append(w.Changes.Rows, views.WhatIfChange{Pod: fmt.Sprintf("shop/cart-6b7d54b7c9-%05x", 0x3a1f0+i*4421), From: views.Bound, To: views.Bound, Without: "ip-10-0-0-82.internal", With: fmt.Sprintf("ip-10-0-%d-17.internal", i)})
	}
	w.Changes.Rows[5].To, w.Changes.Rows[5].With, w.Changes.Rows[5].Reason = views.Unschedulable, "", noMemory
	w.Changes.Rows = append(w.Changes.Rows,
		views.WhatIfChange{Pod: "shop/checkout-7d9f6c5b8-lm4xk", From: views.Bound, To: views.Bound, Without: "ip-10-0-0-82.internal", With: "ip-10-0-0-82.internal", Reason: "blocked: shop/checkout allows 0 disruptions", Unchanged: true},
		views.WhatIfChange{Pod: "ml/trainer-2-b91c4", From: views.Unschedulable, To: views.Unschedulable, Reason: noMemory, Unchanged: true})
	w.HeldByBudget, w.StillPending, w.Notes = 1, 14, []string{"draining ip-10-0-0-82.internal: ignoring DaemonSet-managed Pods: monitoring/node-agent-xgmh9"}
	w.Changes.Total = 21
	return w
}

var sampleKeys = []views.KeyGroup{
	{Name: "Navigation", Keys: []draw.Hint{{Key: "1–9", Action: "open a pane"}, {Key: "tab", Action: "next pane"}, {Key: "j k ↑ ↓", Action: "up and down"}, {Key: "enter esc", Action: "in and out"}}},
	{Name: "Time", Keys: []draw.Hint{{Key: "space", Action: "pause"}, {Key: "[ ]", Action: "step"}, {Key: "{ }", Action: "mark"}}},
	{Name: "View", Keys: []draw.Hint{{Key: "/", Action: "filter"}, {Key: "z", Action: "zoom"}, {Key: "t", Action: "theme"}}},
}

func sampleState(open views.PaneID) *views.State {
	s := &views.State{Open: open, Focus: views.QueuePane, Keys: sampleKeys, Hints: []draw.Hint{
		{Key: "/", Action: "filter"}, {Key: ":", Action: "command"}, {Key: "enter", Action: "open"}, {Key: "e", Action: "explain"}, {Key: "z", Action: "zoom"}, {Key: "?", Action: "help"},
	}}
	if open != views.Overview {
		s.Cursor.Selected = 2
	}
	return s
}
