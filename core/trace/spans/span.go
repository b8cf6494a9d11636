package spans

import (
	"strings"
	"time"

	corev1 "k8s.io/component-helpers/scheduling/corev1"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"orrery/core/objects/owners"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/journey"
)

func resourceSpans(version string, spans []*tracepb.Span) *tracepb.ResourceSpans {
	return &tracepb.ResourceSpans{
		Resource:   &resourcepb.Resource{Attributes: []*commonpb.KeyValue{text("service.name", "orrery"), text("service.version", version)}},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "orrery/journey", Version: version}, Spans: spans}},
	}
}

// spansOf are the spans of a journey, the journey itself first.
func spansOf(j *podJourney) []*tracepb.Span {
	trace := traceID(j.pod.PodRef)
	root := rootOf(trace, j)
	all := []*tracepb.Span{root}
	for i := range j.stages {
		s := &j.stages[i]
		span := stageSpan(trace, root.SpanId, s)
		if i == len(j.stages)-1 && j.merged > 0 {
			span.Attributes = append(span.Attributes, number("orrery.merged_stages", j.merged))
		}
		all = append(all, span)
		for k := range s.Steps {
			all = append(all, stepSpan(trace, span.SpanId, s.Number, k+1, &s.Steps[k]))
		}
	}
	return all
}

// rootOf is the span of the whole journey.
func rootOf(trace []byte, j *podJourney) *tracepb.Span {
	p, last := j.pod, &j.stages[len(j.stages)-1]
	root := newSpan(trace, nil, 0, 0, "pod journey", p.Created, last.End)
	root.Attributes = []*commonpb.KeyValue{
		text("k8s.namespace.name", p.Namespace), text("k8s.pod.name", p.Name), text("k8s.pod.uid", string(p.UID)), text("orrery.owner", owners.Of(p.Object)),
		text("orrery.scheduler", p.Object.Spec.SchedulerName), number("orrery.priority", int(corev1.PodPriority(p.Object))), number("orrery.attempts", p.Attempts),
	}
	if p.Node != "" {
		root.Attributes = append(root.Attributes, text("k8s.node.name", p.Node))
	}
	if !p.Bound.IsZero() {
		root.Events = append(root.Events, event(p.Bound, "bound"))
		return root
	}
	message := "no node: " + last.State.String()
	if p.Ending != "" {
		message = string(p.Ending) + " without a node"
	}
	if len(p.HeldBy) > 0 {
		message += ", rejected by " + printable.Line(p.HeldBy[0].Plugin, 200)
	}
	root.Status = failure(message)
	return root
}

func stageSpan(trace, parent []byte, s *journey.Stage) *tracepb.Span {
	span := newSpan(trace, parent, s.Number, 0, s.State.String(), s.Begin, s.End)
	if s.Open {
		span.Attributes = append(span.Attributes, flag("orrery.unfinished"))
	}
	if s.Event != "" {
		span.Attributes = append(span.Attributes, text("orrery.event", s.Event))
	}
	if len(s.Plugins) > 0 {
		span.Attributes = append(span.Attributes, text("orrery.plugins", strings.Join(s.Plugins, ",")))
	}
	if s.Node != "" {
		span.Attributes = append(span.Attributes, text("k8s.node.name", s.Node))
	}
	if s.State == journey.Attempt {
		span.Attributes = append(span.Attributes, number("orrery.attempt", s.Attempt))
	}
	if s.Decision != nil {
		decided(span, s.Decision)
	}
	return span
}

// decided adds a decision to the span of its attempt.
func decided(span *tracepb.Span, d *engine.Decision) {
	span.Attributes = append(span.Attributes,
		text("orrery.verdict", d.Verdict.String()), number("orrery.nodes", d.Nodes), number("orrery.nodes_examined", d.Examined), number("orrery.nodes_feasible", d.Feasible))
	if d.Node != "" {
		span.Attributes = append(span.Attributes, text("k8s.node.name", d.Node), number("orrery.score", int(d.Score)))
	}
	if d.Nominated != "" {
		span.Attributes = append(span.Attributes, text("orrery.nominated_node", d.Nominated))
	}
	for i := range d.Rejections[:min(len(d.Rejections), maxRejections)] {
		r := &d.Rejections[i]
		span.Events = append(span.Events, event(d.At, "rejected", text("orrery.plugin", r.Plugin), text("orrery.reason", r.Reason), number("orrery.nodes", r.Nodes)))
	}
	if d.Preemption != nil {
		for i := range d.Preemption.Victims[:min(len(d.Preemption.Victims), maxRejections)] {
			victim := d.Preemption.Victims[i]
			span.Events = append(span.Events, event(d.At, "preempted", text("orrery.victim", victim.Namespace+"/"+victim.Name), text("orrery.victim_uid", string(victim.UID))))
		}
	}
	if d.Verdict == engine.Failed {
		span.Status = failure(d.Message)
	}
}

// maxRejections bounds the events of a span, as OpenTelemetry's own default does.
//
//orrery:limit recordings; reasons and victims of an attempt in a span; the others are left out
const maxRejections = 128

func stepSpan(trace, parent []byte, stage, number int, s *journey.Step) *tracepb.Span {
	span := newSpan(trace, parent, stage, number, s.Name, s.Begin, s.End)
	if s.Detail != "" {
		span.Attributes = append(span.Attributes, text("orrery.of", s.Detail))
	}
	if s.Open {
		span.Attributes = append(span.Attributes, flag("orrery.unfinished"))
	}
	if s.Failure != "" {
		span.Status = failure(s.Failure)
	}
	return span
}

func newSpan(trace, parent []byte, stage, step int, name string, begin, end time.Time) *tracepb.Span {
	return &tracepb.Span{
		TraceId: trace, SpanId: spanID(trace, stage, step), ParentSpanId: parent, Name: name, Kind: tracepb.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: uint64(begin.UnixNano()), EndTimeUnixNano: uint64(end.UnixNano()),
	}
}

func event(at time.Time, name string, attributes ...*commonpb.KeyValue) *tracepb.Span_Event {
	return &tracepb.Span_Event{TimeUnixNano: uint64(at.UnixNano()), Name: name, Attributes: attributes}
}

func failure(message string) *tracepb.Status {
	return &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: printable.Line(message, 1000)}
}

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: printable.Line(value, 1000)}}}
}

func number(key string, value int) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(value)}}}
}

func flag(key string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: true}}}
}
