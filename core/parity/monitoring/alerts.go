package monitoring

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"
)

// evaluator evaluates alerts at one time after the other. An alert fires when its expression has had a series of the same labels at
// every evaluation for as long as its "for" says.
type evaluator struct {
	engine *promql.Engine
	store  *store
	rules  []Rule
	since  map[string]time.Time // of each alert's series
}

func newEvaluator(s *store, rules []Rule) *evaluator {
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: 5 * time.Minute})
	return &evaluator{engine, s, rules, map[string]time.Time{}}
}

// firing is an alert that fires, with its description.
type firing struct{ alert, description string }

// evaluate returns the alerts that fire at a time.
func (e *evaluator) evaluate(ctx context.Context, at time.Time) (all []firing, err error) {
	still := map[string]time.Time{}
	for _, rule := range e.rules {
		vector, err := e.query(ctx, rule.Expr, at)
		if err != nil {
			return nil, fmt.Errorf("evaluating %s: %w", rule.Alert, err)
		}
		wait, err := model.ParseDuration("0s")
		if rule.For != "" {
			wait, err = model.ParseDuration(rule.For)
		}
		if err != nil {
			return nil, fmt.Errorf("evaluating %s: %w", rule.Alert, err)
		}
		for _, sample := range vector {
			key := rule.Alert + sample.Metric.String()
			still[key] = at
			if since, ok := e.since[key]; ok {
				still[key] = since
			}
			if at.Sub(still[key]) < time.Duration(wait) {
				continue
			}
			text, err := e.expand(ctx, rule.Annotations["description"], sample, at)
			if err != nil {
				return nil, fmt.Errorf("describing %s: %w", rule.Alert, err)
			}
			all = append(all, firing{rule.Alert, text})
		}
	}
	e.since = maps.Clone(still)
	return all, nil
}

func (e *evaluator) query(ctx context.Context, expr string, at time.Time) (promql.Vector, error) {
	q, err := e.engine.NewInstantQuery(ctx, e.store, nil, expr, at)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	vector, err := q.Exec(ctx).Vector()
	return append(promql.Vector(nil), vector...), err
}

// expand fills in an annotation, with the variables that Prometheus gives it.
func (e *evaluator) expand(ctx context.Context, text string, sample promql.Sample, at time.Time) (string, error) {
	const variables = "{{$labels := .Labels}}{{$value := .Value}}"
	data := template.AlertTemplateData(sample.Metric.Map(), nil, "", sample)
	return template.NewTemplateExpander(ctx, variables+text, "alert", data, model.TimeFromUnixNano(at.UnixNano()), e.query, nil, nil).Expand()
}
