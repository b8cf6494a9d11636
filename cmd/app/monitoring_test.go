package app

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"orrery/core/scheduler/framework"
)

// TestMonitoring_AlertsAreComplete; package monitoring of core/parity has the queries parsed and the alerts fire.
func TestMonitoring_AlertsAreComplete(t *testing.T) {
	var names []string
	for _, group := range one[*prometheusRule](t, decoded(t, printed(t, variants["monitored"])), nil).Spec.Groups {
		for _, rule := range group.Rules {
			names = append(names, rule.Alert)
			if !slices.Contains([]string{"critical", "warning"}, rule.Labels["severity"]) {
				t.Errorf("%s has the severity %q", rule.Alert, rule.Labels["severity"])
			}
			for _, key := range []string{"summary", "description"} {
				if text := rule.Annotations[key]; !strings.HasSuffix(text, ".") {
					t.Errorf("the %s of %s is no sentence: %q", key, rule.Alert, text)
				}
			}
			want := "https://example.com/orrery/operations.md#" + strings.ToLower(rule.Alert)
			if got := rule.Annotations["runbook_url"]; got != want {
				t.Errorf("%s links to %q, want %q", rule.Alert, got, want)
			}
		}
	}
	if slices.Sort(names); len(names) != 8 || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the alerts are %q", names)
	}
}

// TestMonitoring_PrometheusMayRead follows the ServiceMonitor's token to its account, and that to the role for the scraped paths.
func TestMonitoring_PrometheusMayRead(t *testing.T) {
	objects := decoded(t, printed(t, variants["monitored"]))
	monitor := one[*serviceMonitor](t, objects, nil)
	secret := one[*v1.Secret](t, objects, nil)
	account := one(t, objects, func(a *v1.ServiceAccount) bool { return a.Name == secret.Annotations[v1.ServiceAccountNameKey] })
	binding := one(t, objects, func(b *rbacv1.ClusterRoleBinding) bool { return b.Subjects[0].Name == account.Name })
	role := one(t, objects, func(r *rbacv1.ClusterRole) bool { return r.Name == binding.RoleRef.Name })
	checkSubject(t, binding.Subjects, account)
	if secret.Type != v1.SecretTypeServiceAccountToken || secret.Namespace != account.Namespace || monitor.Namespace != secret.Namespace {
		t.Errorf("the token is of type %s, in %s, for an account in %s", secret.Type, secret.Namespace, account.Namespace)
	}
	service := one[*v1.Service](t, objects, nil)
	for _, e := range monitor.Spec.Endpoints {
		if e.Authorization.Credentials.Name != secret.Name || e.Authorization.Credentials.Key != v1.ServiceAccountTokenKey {
			t.Errorf("%s is read with the token in %+v", e.Path, e.Authorization)
		}
		if e.Port != service.Spec.Ports[0].Name || service.Labels["app.kubernetes.io/name"] != monitor.Spec.Selector.MatchLabels["app.kubernetes.io/name"] {
			t.Errorf("port %q of services with %v is read; there is %+v", e.Port, monitor.Spec.Selector.MatchLabels, service.Spec.Ports)
		}
		if len(role.Rules) != 1 || !slices.Contains(role.Rules[0].NonResourceURLs, e.Path) || !slices.Equal(role.Rules[0].Verbs, []string{"get"}) {
			t.Errorf("%s may not be read: %+v", e.Path, role.Rules)
		}
	}
}

func TestMonitoring_DashboardHasThePanes(t *testing.T) {
	config := one(t, decoded(t, printed(t, variants["monitored"])), func(c *v1.ConfigMap) bool { return c.Labels["grafana_dashboard"] == "1" })
	var board struct {
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos gridPos
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(config.Data["orrery.json"]), &board); err != nil {
		t.Fatal(err)
	}
	var rows []string
	places := map[gridPos]bool{}
	for i, p := range board.Panels {
		if p.Type == "row" {
			rows = append(rows, p.Title)
		} else if len(p.Targets) == 0 {
			t.Errorf("panel %q has no query", p.Title)
		}
		if p.ID != i+1 || places[p.GridPos] || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %d, %q, is at %+v", p.ID, p.Title, p.GridPos)
		}
		places[p.GridPos] = true
	}
	if want := []string{"Queue", "Snapshot", "Zones", "Evictions", "Workloads", "Leader"}; !slices.Equal(rows, want) {
		t.Errorf("the rows are %q, want %q", rows, want)
	}
}

func TestMonitoring_RefusesWhatIsNoAddress(t *testing.T) {
	for _, runbooks := range []string{"", "two words", "a\"b", "a\nb", "\x1b[2J"} {
		f := variants["monitored"]
		f.runbooks = runbooks
		if _, err := f.print(framework.Registry{}); err == nil || !strings.HasPrefix(err.Error(), "--runbooks ") {
			t.Errorf("--runbooks %q: %v", runbooks, err)
		}
	}
	f := variants["shadow"]
	f.monitoring, f.runbooks = true, runbooks
	if _, err := f.print(framework.Registry{}); err == nil || !strings.Contains(err.Error(), "--monitoring") {
		t.Errorf("--shadow with --monitoring: %v", err)
	}
}

// TestMonitoring_RunbooksExist: each alert has a heading of its name in docs/operations.md, and each heading there an alert.
func TestMonitoring_RunbooksExist(t *testing.T) {
	page, err := os.ReadFile("../../" + runbooks)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Alerts\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var headings, alerts []string
	for _, heading := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(section, -1) {
		headings = append(headings, heading[1])
	}
	for _, name := range []string{"monitored", "observed"} {
		for _, rule := range one[*prometheusRule](t, decoded(t, printed(t, variants[name])), nil).Spec.Groups[0].Rules {
			if !slices.Contains(alerts, rule.Alert) {
				alerts = append(alerts, rule.Alert)
			}
		}
	}
	if diff := cmp.Diff(alerts, headings); diff != "" {
		t.Errorf("alerts and headings (-alerts +headings):\n%s", diff)
	}
}
