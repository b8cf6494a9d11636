package usage

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/pressure"
	"orrery/core/operate"
	"orrery/core/printable"
	"orrery/core/world"
)

// podsAtOnce is how many pods of a node are asked about at the same time, podsAsked how many at all.
const (
	podsAtOnce = 8
	podsAsked  = 512
)

// question is about one node and what is on it.
type question struct {
	caller
	node *v1.Node
	pods []world.Ref
	// was is what was known before, and settings says that the kubelet is to be asked for its configuration.
	was      Reading
	settings bool
	now      func() time.Time
}

// ask asks the kubelet, and if that does not answer, the metrics API.
func (q question) ask(ctx context.Context) Reading {
	r := Reading{
		Node: q.node.Name, Asked: true, Configuration: q.was.Configuration, Configured: q.was.Configured, Unconfigured: q.was.Unconfigured,
	}
	summary, err := q.kubelet(ctx)
	if err == nil {
		r.Source, r.Summary, r.At = Kubelet, summary, q.now()
		if q.settings {
			q.configuration(ctx, &r)
		}
		return r
	}
	r.Trouble = kubeletTrouble(err)
	if forbidden(err) {
		r.Missing = append(r.Missing, proxyRule)
	}
	if !r.Configured {
		r.Unconfigured = r.Trouble
	}
	summary, missing, err := q.metrics(ctx)
	r.Missing = append(r.Missing, missing...)
	switch {
	case err == nil:
		r.Source, r.Summary, r.At = Metrics, summary, q.now()
	case q.was.Summary != nil && q.now().Sub(q.was.At) < staleMost:
		r.Source, r.Summary, r.At = q.was.Source, q.was.Summary, q.was.At
		r.Trouble += ", and " + err.Error()
	default:
		r.Trouble += ", and " + err.Error()
	}
	return r
}

func (q question) kubelet(ctx context.Context) (*pressure.Summary, error) {
	if err := proper(q.node.Name); err != nil {
		return nil, err
	}
	answer, err := q.get(ctx, "api", "v1", "nodes", q.node.Name, "proxy", "stats", "summary")
	if err != nil {
		return nil, err
	}
	return Summary(answer, q.node.Name)
}

// kubeletTrouble is why a kubelet did not tell, in words.
func kubeletTrouble(err error) string {
	if forbidden(err) {
		return "may not " + proxyRule.String()
	}
	if r, ok := refusedWith(err, http.StatusForbidden); ok {
		return "the kubelet refuses the API server: " + printable.Line(r.text, longestReason)
	}
	if r, ok := refusedWith(err, http.StatusNotFound); ok && !r.byAPIServer() {
		return "the kubelet does not serve its summary"
	}
	return "the kubelet's summary: " + err.Error()
}

// configuration asks the kubelet what it evicts by.
func (q question) configuration(ctx context.Context, r *Reading) {
	answer, err := q.get(ctx, "api", "v1", "nodes", q.node.Name, "proxy", "configz")
	var c pressure.Configuration
	if err == nil {
		c, err = Thresholds(answer, systemOf(q.node))
	}
	if err != nil {
		if !r.Configured {
			r.Unconfigured = err.Error()
		}
		return
	}
	r.Configuration, r.Configured, r.Unconfigured = c, true, ""
}

// systemOf is a node's operating system, as thresholds have it.
func systemOf(node *v1.Node) string {
	if node.Status.NodeInfo.OperatingSystem == "windows" {
		return "windows"
	}
	return "linux"
}

// metrics asks the metrics API about the node and its pods.
func (q question) metrics(ctx context.Context) (*pressure.Summary, []operate.Rule, error) {
	if _, err := q.get(ctx, "apis", metricsGroup, metricsVersion); err != nil {
		if _, absent := refusedWith(err, http.StatusNotFound); absent {
			return nil, nil, fmt.Errorf("no metrics API is served")
		}
		return nil, nil, fmt.Errorf("the metrics API: %w", err)
	}
	s, missing := &pressure.Summary{}, []operate.Rule(nil)
	answer, err := q.get(ctx, "apis", metricsGroup, metricsVersion, "nodes", q.node.Name)
	if err == nil {
		s.Node.Memory, err = nodeMemory(answer, q.node)
	}
	if forbidden(err) {
		missing = append(missing, nodeMetricsRule)
	}
	pods, err := q.podMetrics(ctx)
	switch {
	case forbidden(err):
		return nil, append(missing, podMetricsRule), fmt.Errorf("may not %s", podMetricsRule)
	case err != nil:
		return nil, missing, fmt.Errorf("the metrics API: %w", err)
	}
	s.Pods = pods
	return s, missing, nil
}

// podMetrics asks about each pod. One of which there are no metrics yet is left out; the first error ends it.
func (q question) podMetrics(ctx context.Context) ([]pressure.PodStats, error) {
	if len(q.pods) > podsAsked {
		return nil, fmt.Errorf("%d pods are on the node, which are too many to ask about", len(q.pods))
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	stats := make([]*pressure.PodStats, len(q.pods))
	next := make(chan int)
	var several sync.WaitGroup
	for range min(podsAtOnce, len(q.pods)) {
		several.Go(func() {
			for i := range next {
				one, err := q.podMetric(ctx, q.pods[i])
				if err != nil {
					giveUp(err)
				}
				stats[i] = one
			}
		})
	}
	for i := range q.pods {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	several.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var all []pressure.PodStats
	for _, one := range stats {
		if one != nil {
			all = append(all, *one)
		}
	}
	return all, nil
}

// podMetric asks about one pod; nil if nothing was measured of it.
func (q question) podMetric(ctx context.Context, pod world.Ref) (*pressure.PodStats, error) {
	if err := proper(pod.Namespace, pod.Name); err != nil {
		return nil, err
	}
	answer, err := q.get(ctx, "apis", metricsGroup, metricsVersion, "namespaces", pod.Namespace, "pods", pod.Name)
	if _, absent := refusedWith(err, http.StatusNotFound); absent {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	one, err := podMemory(answer, pod)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable.Line(strings.TrimSpace(pod.String()), 120), err)
	}
	return &one, nil
}
