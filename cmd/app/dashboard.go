package app

import (
	"encoding/json"
	"fmt"
)

// pane is a row of the dashboard: one of the screen's five panes.
type pane struct {
	title  string
	graphs []graph
}

// graph is a panel of the dashboard, with its unit in Grafana's words.
type graph struct {
	title, unit string
	queries     []query
}

// query is a PromQL query with the legend of its series.
type query struct{ expr, legend string }

// onLeader keeps the series of the instance that leads, be that Orrery or kube-scheduler. A standby's queue holds what it never tried.
func onLeader(selector string) string {
	return selector + ` and on (job, instance) leader_election_master_status{job="$job",name="kube-scheduler"} == 1`
}

// perSecond is the rate of a counter, summed by labels.
func perSecond(counter, by string) string {
	return fmt.Sprintf(`sum by (%s) (rate(%s{job="$job"}[$__rate_interval]))`, by, counter)
}

// quantile is a quantile of a histogram, by labels.
func quantile(q, histogram, by string) string {
	return fmt.Sprintf(`histogram_quantile(%s, sum by (%s) (rate(%s_bucket{job="$job"}[$__rate_interval])))`, q, by, histogram)
}

// dashboardPanes are the figures of the screen's five panes, as far as /metrics has them.
func dashboardPanes() []pane {
	return []pane{
		{"Queue", []graph{
			{"Pending pods", "short", []query{{`sum by (queue) (` + onLeader(`scheduler_pending_pods{job="$job"}`) + `)`, "{{queue}}"}}},
			{"Pending for more than 15 minutes", "short", []query{{`sum by (queue, plugin) (` + onLeader(`orrery_overdue_pods{job="$job"}`) + `)`, "{{queue}} {{plugin}}"}}},
			{"Unschedulable pods by plugin", "short", []query{{`sum by (plugin) (` + onLeader(`scheduler_unschedulable_pods{job="$job"}`) + `)`, "{{plugin}}"}}},
			{"Pods that come into a queue", "ops", []query{{perSecond("scheduler_queue_incoming_pods_total", "queue, event"), "{{queue}} {{event}}"}}},
			{"Attempts", "ops", []query{{perSecond("scheduler_schedule_attempts_total", "result"), "{{result}}"}}},
			{"Duration of an attempt", "s", []query{
				{quantile("0.5", "scheduler_scheduling_attempt_duration_seconds", "le, result"), "p50 {{result}}"},
				{quantile("0.99", "scheduler_scheduling_attempt_duration_seconds", "le, result"), "p99 {{result}}"},
			}},
			{"From the first attempt to the binding", "s", []query{{quantile("0.99", "scheduler_pod_scheduling_sli_duration_seconds", "le"), "p99"}}},
		}},
		{"Snapshot", []graph{
			{"In the cache", "short", []query{{`sum by (type) (` + onLeader(`scheduler_cache_size{job="$job"}`) + `)`, "{{type}}"}}},
			{"Verdicts and scores that were reused", "percentunit", []query{{
				`rate(orrery_reused_nodes_total{job="$job"}[$__rate_interval]) / (rate(orrery_reused_nodes_total{job="$job"}[$__rate_interval]) + rate(orrery_computed_nodes_total{job="$job"}[$__rate_interval]))`, "{{instance}}",
			}}},
			{"Inputs", "ops", []query{{perSecond("orrery_inputs_total", "instance"), "{{instance}}"}}},
			{"Time to take in an event", "s", []query{{quantile("0.99", "scheduler_event_handling_duration_seconds", "le, event"), "p99 {{event}}"}}},
			{"Drift and contradictions", "short", []query{
				{`increase(orrery_relist_drift_total{job="$job"}[$__rate_interval])`, "changes missed by a watch, {{instance}}"},
				{`increase(orrery_inputs_refused_total{job="$job"}[$__rate_interval])`, "inputs refused, {{instance}}"},
				{`increase(orrery_problems_total{job="$job"}[$__rate_interval])`, "internal errors, {{instance}}"},
			}},
		}},
		{"Zones", []graph{
			{"Nodes", "short", []query{{`sum by (region, zone) (` + onLeader(`orrery_zone_nodes{job="$job"}`) + `)`, "{{region}} {{zone}}"}}},
			{"Duration of a search for a node", "s", []query{
				{quantile("0.5", "scheduler_scheduling_algorithm_duration_seconds", "le"), "p50"},
				{quantile("0.99", "scheduler_scheduling_algorithm_duration_seconds", "le"), "p99"},
			}},
			{"Calls of plugins that filter and score", "ops", []query{{perSecond("scheduler_plugin_evaluation_total", "extension_point, plugin"), "{{extension_point}} {{plugin}}"}}},
		}},
		{"Evictions", []graph{
			{"Preemptions", "ops", []query{
				{perSecond("scheduler_preemption_attempts_total", "job"), "attempts"},
				{perSecond("scheduler_preemption_victims_sum", "job"), "victims"},
			}},
			{"Victims above their PodDisruptionBudgets", "short", []query{{`increase(orrery_budget_violations_total{job="$job"}[$__rate_interval])`, "{{instance}}"}}},
			{"Deletions of victims", "ops", []query{{perSecond("scheduler_preemption_goroutines_execution_total", "result"), "{{result}}"}}},
		}},
		workloadsPane(),
		{"Leader", []graph{
			{"Leading", "bool_yes_no", []query{{`leader_election_master_status{job="$job",name="kube-scheduler"}`, "{{instance}}"}}},
			{"Renewals that took more than one try", "short", []query{{`increase(leader_election_slowpath_total{job="$job",name="kube-scheduler"}[$__rate_interval])`, "{{instance}}"}}},
			{"Effects that wait", "short", []query{
				{`sum by (instance) (orrery_effects_waiting{job="$job"})`, "waiting, {{instance}}"}, {`sum by (instance) (orrery_effects_running{job="$job"})`, "running, {{instance}}"},
			}},
			{"Calls to the API server that failed", "ops", []query{
				{perSecond("orrery_api_call_retries_total", "instance"), "retried, {{instance}}"},
				{perSecond("orrery_effects_gave_up_total", "instance"), "given up, {{instance}}"},
				{perSecond("orrery_effects_fenced_total", "instance"), "not led any more, {{instance}}"},
			}},
			{"Age of the engine's figures", "s", []query{{`orrery_sample_age_seconds{job="$job"}`, "{{instance}}"}}},
			{"Recording", "bool_yes_no", []query{{`orrery_recording_up{job="$job"}`, "{{instance}}"}}},
		}},
	}
}

// The grid of the dashboard: three graphs beside each other.
const (
	gridColumns = 3
	gridWidth   = 24 / gridColumns
	gridHeight  = 8
)

// workloadsPane has what pods and their owners wait for. Only a leader and an observer have these figures.
func workloadsPane() pane {
	return pane{"Workloads", []graph{
		{"Time to be placed, p99", "s", []query{{quantile("0.99", "orrery_pod_placement_seconds", "le, namespace"), "{{namespace}}"}}},
		{"Where placed pods had waited", "s", []query{{perSecond("orrery_pod_phase_seconds_total", "phase"), "{{phase}}"}}},
		{"What held pods", "s", []query{{perSecond("orrery_pod_held_seconds_total", "plugins"), "{{plugins}}"}}},
		{"Pending pods by owner", "short", []query{{
			`sum by (namespace, owner_kind, owner, queue, plugins) (orrery_owner_pending_pods{job="$job"})`, "{{namespace}} {{owner_kind}} {{owner}} {{queue}} {{plugins}}",
		}}},
		{"Attempts by owner", "ops", []query{{perSecond("orrery_owner_attempts_total", "namespace, owner_kind, owner, outcome"), "{{namespace}} {{owner_kind}} {{owner}} {{outcome}}"}}},
		{"Evictions", "ops", []query{{perSecond("orrery_evictions_total", "cause"), "{{cause}}"}}},
		{"Room for more pods of the usual sizes", "short", []query{{`max by (cpu, memory) (orrery_room_pods{job="$job"})`, "{{cpu}} cores, {{memory}} bytes"}}},
		{"Room in pieces too small", "percentunit", []query{{`max by (cpu, memory) (orrery_room_fragmented_ratio{job="$job"})`, "{{cpu}} cores, {{memory}} bytes"}}},
		{"Requested", "percentunit", []query{{`max by (resource) (orrery_room_requested_ratio{job="$job"})`, "{{resource}}"}}},
	}}
}

// observerDashboard are the figures of an observer.
func observerDashboard() []pane {
	return []pane{
		{"Agreement", []graph{
			{"Decisions of the scheduler", "ops", []query{{perSecond("orrery_agreement_decisions_total", "result"), "{{result}}"}}},
			{"Differences", "ops", []query{{perSecond("orrery_agreement_differences_total", "class, cause, plugin"), "{{class}}: {{cause}} {{plugin}}"}}},
			{"Pending for more than 15 minutes", "short", []query{{`sum by (queue, plugin) (orrery_overdue_pods{job="$job"})`, "{{queue}} {{plugin}}"}}},
		}},
		workloadsPane(),
		{"Observer", []graph{
			{"Up", "bool_yes_no", []query{{`orrery_observe_up{job="$job"}`, "{{instance}}"}}},
			{"Behind the cluster", "s", []query{{`orrery_observe_behind_seconds{job="$job"}`, "{{instance}}"}}},
			{"Recording", "bool_yes_no", []query{{`orrery_recording_up{job="$job"}`, "{{instance}}"}}},
			{"Size of the recording", "bytes", []query{{`orrery_recording_bytes{job="$job"}`, "{{instance}}"}}},
			{"Watches that were lost", "short", []query{{`increase(orrery_relists_total{job="$job"}[$__rate_interval])`, "listed again, {{instance}}"}}},
			{"Memory for what is optional", "percentunit", []query{{`orrery_optional_memory_share{job="$job"}`, "{{instance}}"}}},
		}},
	}
}

// dashboard returns the dashboard of some panes in Grafana's JSON.
func dashboard(job string, panes []pane) ([]byte, error) {
	var panels []any
	y := 0
	for _, p := range panes {
		panels = append(panels, map[string]any{
			"id": len(panels) + 1, "type": "row", "title": p.title, "collapsed": false, "panels": []any{}, "gridPos": gridPos{X: 0, Y: y, W: 24, H: 1},
		})
		y++
		for i, g := range p.graphs {
			at := gridPos{X: i % gridColumns * gridWidth, Y: y + i/gridColumns*gridHeight, W: gridWidth, H: gridHeight}
			panels = append(panels, g.panel(len(panels)+1, at))
		}
		y += (len(p.graphs) + gridColumns - 1) / gridColumns * gridHeight
	}
	return json.MarshalIndent(map[string]any{
		"uid": "orrery", "title": "Orrery", "tags": []string{"kubernetes", "scheduler"}, "schemaVersion": 39, "version": 1, "refresh": "30s", "editable": true,
		"time": map[string]any{"from": "now-3h", "to": "now"}, "panels": panels,
		"templating": map[string]any{"list": []any{
			map[string]any{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
			map[string]any{
				"name": "job", "label": "Job", "type": "query", "datasource": prometheusSource, "query": "label_values(orrery_leading, job)", "refresh": 2,
				"current": map[string]any{"text": job, "value": job},
			},
		}},
	}, "", "  ")
}

var prometheusSource = map[string]any{"type": "prometheus", "uid": "${datasource}"}

// gridPos is a place on the dashboard.
type gridPos struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// panel returns the graph in Grafana's JSON.
func (g *graph) panel(id int, at gridPos) map[string]any {
	var targets []any
	for i, q := range g.queries {
		targets = append(targets, map[string]any{
			"refId": string(rune('A' + i)), "datasource": prometheusSource, "expr": q.expr, "legendFormat": q.legend,
		})
	}
	return map[string]any{
		"id": id, "type": "timeseries", "title": g.title, "datasource": prometheusSource, "gridPos": at, "targets": targets,
		"fieldConfig": map[string]any{"defaults": map[string]any{"unit": g.unit, "min": 0}, "overrides": []any{}},
	}
}
