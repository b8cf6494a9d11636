package app_test

import (
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// hostile clears the screen, renames the window, and turns the reading direction around; hostileResource does so with
// controls of eight bits and isolates.
const (
	hostile         = "\x1b[2J\x1b]0;owned\a\u202egnp.exe\r\nsecond line"
	hostileResource = "gpu\u009b2J\u009d0;owned\u009c\u2066gnp.exe\x7f\b" + hostile
)

// makeTrace writes traces to the standard output that no recording would make.
func makeTrace(kind string) {
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	pod := mk.Pod("web").CPU("1").Obj()
	told := func(o world.Object) trace.Body { return trace.Input{Event: world.Changed{Op: world.Added, Object: o}} }
	node := mk.Node("node-1").CPU("4").Memory("8Gi").Pods("10").Obj()
	moment := func(i int) time.Time { return start.Add(time.Duration(i) * time.Second) }
	header, bodies := trace.Header{Start: start}, []trace.Body{told(node), told(pod)}
	switch kind {
	case "hostile":
		header.Description, header.Program = hostile, hostile
		node.Name, pod.Name = "node"+hostile, "web"+hostile
		pod.Spec.NodeSelector = map[string]string{"a": hostile}
		bodies = append(bodies, trace.Mark{Kind: trace.Note, Pod: world.PodRefOf(pod), Text: hostile})
		for _, o := range []world.Object{ // those above are refused for their names
			mk.Node("plain").CPU("4").Pods("10").Resource(hostileResource, "4").Label(hostile, hostile).Obj(),
			mk.Node("tainted").CPU("4").Pods("10").Resource(hostileResource, "40").Taint(hostile, hostile, v1.TaintEffectNoSchedule).Obj(),
			mk.Pod("runs").Request(hostileResource, "1").Node("plain").Obj(),
			mk.Pod("waits").CPU("9").Request(hostileResource, "9").Obj(),
			mk.Pod("selects").NodeSelector(hostile, "other"+hostile).Obj(),
			mk.Pod("gated").Gate(hostile).Obj(),
		} {
			bodies = append(bodies, told(o))
		}
	case "different":
		bodies = append(bodies, trace.Decision{Seq: 1, Pod: world.PodRefOf(pod), Attempt: 1, Verdict: trace.Placed, Node: "node-2"})
	case "timeless":
		header.Start = time.Time{}
	case "ages": // the records are 2,000 years apart
		header.Start = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
		moment = func(i int) time.Time { return header.Start.AddDate(2000*i, 0, 0) }
		bodies = append(bodies, trace.Mark{Kind: trace.Note, Pod: world.PodRefOf(pod), Text: "at last"})
	case "early":
		moment = func(int) time.Time { return start.AddDate(-2000, 0, 0) }
		bodies = append(bodies, trace.Mark{Kind: trace.Note, Pod: world.PodRefOf(pod), Text: "at first"})
	}
	w, err := trace.NewWriter(os.Stdout, header)
	for i, body := range bodies {
		if err == nil {
			err = w.Write(trace.Record{At: moment(i), Body: body})
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
