package monitoring

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Job is the job of the series in the printed manifests.
const Job = "orrery"

// Rule is an alert as printed.
type Rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// Printed are the alerts, their groups as Prometheus reads them from a file, and the queries of the dashboard by the titles of the panels.
type Printed struct {
	Rules     []Rule
	RulesFile []byte
	Dashboard map[string][]string
}

// ReadPrinted reads what the command printed to a file. A test of cmd/app holds that to what it prints now.
func ReadPrinted(file string) (p Printed, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	p.Dashboard = map[string][]string{}
	for _, part := range strings.Split(string(text), "\n---\n") {
		var kind struct {
			Kind string         `json:"kind"`
			Spec map[string]any `json:"spec"`
		}
		if err := yaml.Unmarshal([]byte(part), &kind); err != nil {
			return p, fmt.Errorf("reading %s: %w", file, err)
		}
		switch {
		case kind.Kind == "PrometheusRule":
			p.RulesFile, err = yaml.Marshal(kind.Spec)
		case kind.Kind == "ConfigMap" && strings.Contains(part, "grafana_dashboard"):
			err = p.readDashboard(part)
		}
		if err != nil {
			return p, fmt.Errorf("reading %s: %w", file, err)
		}
	}
	var groups struct {
		Groups []struct {
			Rules []Rule `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.Unmarshal(p.RulesFile, &groups); err != nil {
		return p, fmt.Errorf("reading the rules of %s: %w", file, err)
	}
	for _, g := range groups.Groups {
		p.Rules = append(p.Rules, g.Rules...)
	}
	return p, nil
}

// readDashboard sets Grafana's variables in the queries to what Grafana sets them to.
func (p *Printed) readDashboard(configMap string) error {
	var c v1.ConfigMap
	if err := yaml.Unmarshal([]byte(configMap), &c); err != nil {
		return err
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(c.Data["orrery.json"]), &board); err != nil {
		return err
	}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			expr := strings.NewReplacer("$job", Job, "$__rate_interval", "2m").Replace(target.Expr)
			p.Dashboard[panel.Title] = append(p.Dashboard[panel.Title], expr)
		}
	}
	return nil
}

// Queries returns every query, by the name of its alert or panel.
func (p *Printed) Queries() map[string][]string {
	all := map[string][]string{}
	for _, r := range p.Rules {
		all["alert "+r.Alert] = []string{r.Expr}
	}
	for title, queries := range p.Dashboard {
		all["panel "+title] = queries
	}
	return all
}

// Uses returns the metrics that a query reads, each with the labels that it selects, sums or joins by.
func Uses(query string) (map[string][]string, error) {
	expr, err := parser.ParseExpr(query)
	if err != nil {
		return nil, err
	}
	uses := map[string][]string{}
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		for _, m := range selector.LabelMatchers {
			if m.Name != labels.MetricName {
				uses[selector.Name] = append(uses[selector.Name], m.Name)
			}
		}
		for _, above := range path {
			switch above := above.(type) {
			case *parser.AggregateExpr:
				uses[selector.Name] = append(uses[selector.Name], above.Grouping...)
			case *parser.BinaryExpr:
				if above.VectorMatching != nil {
					uses[selector.Name] = append(uses[selector.Name], above.VectorMatching.MatchingLabels...)
				}
			}
		}
		return nil
	})
	for name := range uses {
		slices.Sort(uses[name])
		uses[name] = slices.Compact(uses[name])
	}
	return uses, nil
}
