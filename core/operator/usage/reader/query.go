package reader

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/pressure"
	"orrery/core/operator/actions"
	"orrery/core/operator/usage"
	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

const metricsGroup, metricsVersion = "metrics.k8s.io", "v1beta1"

// maxConcurrentPods bounds the concurrent requests for one node, maxPods the pods of a node that are queried.
const (
	//orrery:limit kubelets; requests for the pods of a node at once; the others wait
	maxConcurrentPods = 8
	//orrery:limit kubelets; pods of a node that the metrics API is asked about; an error
	maxPods = 512
)

// nodeQuery reads the usage of one node and its pods.
type nodeQuery struct {
	apiClient
	node *v1.Node
	pods []world.PodRef
	// previous is the last reading; readSettings means that the kubelet's configuration is to be read too.
	previous     usage.Reading
	readSettings bool
	now          func() time.Time
}

// run queries the kubelet, and the metrics API if that fails.
func (q nodeQuery) run(ctx context.Context) usage.Reading {
	r := usage.Reading{
		Node: q.node.Name, Queried: true, Configuration: q.previous.Configuration, Configured: q.previous.Configured, WhyDefaults: q.previous.WhyDefaults,
	}
	summary, err := q.kubeletSummary(ctx)
	if err == nil {
		r.Source, r.Summary, r.At = usage.Kubelet, summary, q.now()
		if q.readSettings {
			q.configuration(ctx, &r)
		}
		return r
	}
	r.Problem = kubeletProblem(err)
	if forbidden(err) {
		r.MissingRules = append(r.MissingRules, proxyRule)
	}
	if !r.Configured {
		r.WhyDefaults = r.Problem
	}
	summary, missing, err := q.metrics(ctx)
	r.MissingRules = append(r.MissingRules, missing...)
	switch {
	case err == nil:
		r.Source, r.Summary, r.At = usage.Metrics, summary, q.now()
	case q.previous.Summary != nil && q.now().Sub(q.previous.At) < maxStale:
		r.Source, r.Summary, r.At = q.previous.Source, q.previous.Summary, q.previous.At
		r.Problem += ", and " + err.Error()
	default:
		r.Problem += ", and " + err.Error()
	}
	return r
}

func (q nodeQuery) kubeletSummary(ctx context.Context) (*pressure.Summary, error) {
	if err := checkNames(q.node.Name); err != nil {
		return nil, err
	}
	answer, err := q.get(ctx, "api", "v1", "nodes", q.node.Name, "proxy", "stats", "summary")
	if err != nil {
		return nil, err
	}
	return usage.Summary(answer, q.node.Name)
}

// kubeletProblem returns why the kubelet's summary is missing.
func kubeletProblem(err error) string {
	if forbidden(err) {
		return "may not " + proxyRule.String()
	}
	if r, ok := asResponseError(err, http.StatusForbidden); ok {
		return "the kubelet refuses the API server: " + printable.Line(r.text, usage.ReasonLength)
	}
	if r, ok := asResponseError(err, http.StatusNotFound); ok && !r.byAPIServer() {
		return "the kubelet does not serve its summary"
	}
	return "the kubelet's summary: " + err.Error()
}

// configuration reads the kubelet's eviction thresholds.
func (q nodeQuery) configuration(ctx context.Context, r *usage.Reading) {
	answer, err := q.get(ctx, "api", "v1", "nodes", q.node.Name, "proxy", "configz")
	var c pressure.Configuration
	if err == nil {
		c, err = usage.Thresholds(answer, systemOf(q.node))
	}
	if err != nil {
		if !r.Configured {
			r.WhyDefaults = err.Error()
		}
		return
	}
	r.Configuration, r.Configured, r.WhyDefaults = c, true, ""
}

// systemOf returns a node's operating system, as eviction thresholds name it.
func systemOf(node *v1.Node) string {
	if node.Status.NodeInfo.OperatingSystem == "windows" {
		return "windows"
	}
	return "linux"
}

// metrics reads the usage of the node and its pods from the metrics API.
func (q nodeQuery) metrics(ctx context.Context) (*pressure.Summary, []actions.Rule, error) {
	if _, err := q.get(ctx, "apis", metricsGroup, metricsVersion); err != nil {
		if _, absent := asResponseError(err, http.StatusNotFound); absent {
			return nil, nil, fmt.Errorf("no metrics API is served")
		}
		return nil, nil, fmt.Errorf("the metrics API: %w", err)
	}
	s, missing := &pressure.Summary{}, []actions.Rule(nil)
	answer, err := q.get(ctx, "apis", metricsGroup, metricsVersion, "nodes", q.node.Name)
	if err == nil {
		s.Node.Memory, err = usage.NodeMemory(answer, q.node)
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

// podMetrics reads the pods' usage. It leaves out pods without metrics and stops at the first error.
func (q nodeQuery) podMetrics(ctx context.Context) ([]pressure.PodStats, error) {
	if len(q.pods) > maxPods {
		return nil, fmt.Errorf("%d pods are on the node, which are too many to ask about", len(q.pods))
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	stats := make([]*pressure.PodStats, len(q.pods))
	next := make(chan int)
	var several sync.WaitGroup
	for range min(maxConcurrentPods, len(q.pods)) {
		several.Go(func() {
			for i := range next {
				var err error
				panicked := panics.Call("asking for the usage of a pod", func() { stats[i], err = q.podMetric(ctx, q.pods[i]) })
				if err := errors.Join(panicked, err); err != nil {
					giveUp(err)
				}
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

// podMetric reads one pod's usage; nil if there is none.
func (q nodeQuery) podMetric(ctx context.Context, pod world.PodRef) (*pressure.PodStats, error) {
	if err := checkNames(pod.Namespace, pod.Name); err != nil {
		return nil, err
	}
	answer, err := q.get(ctx, "apis", metricsGroup, metricsVersion, "namespaces", pod.Namespace, "pods", pod.Name)
	if _, absent := asResponseError(err, http.StatusNotFound); absent {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	one, err := usage.PodMemory(answer, pod)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable.Line(strings.TrimSpace(pod.String()), 120), err)
	}
	return &one, nil
}
