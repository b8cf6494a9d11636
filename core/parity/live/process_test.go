package live_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
)

func TestEndpoints_CheckRights(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.letReadMetrics()
	p := s.schedule("--feature-gates=ComponentFlagz=true,ComponentStatusz=true")
	s.eventually(p.ready)
	s.pods(3, "a", "250m")
	s.bound(3)
	scheduled := `scheduler_schedule_attempts_total{profile="` + s.name + `",result="scheduled"} 3`
	s.eventually(func() error { return p.metric(scheduled) }) // counted after the API server has the bindings
	for _, c := range []struct {
		path                                               string
		anonymous, badToken, withoutRights, metrics, admin int
		contains                                           string
	}{
		{"/healthz", 200, 401, 200, 200, 200, "ok"},
		{"/livez", 200, 401, 200, 200, 200, "ok"},
		{"/readyz", 200, 401, 200, 200, 200, "ok"},
		{"/readyz/sched-handler-sync", 403, 401, 403, 403, 200, "ok"},
		{"/metrics", 403, 401, 403, 200, 200, scheduled},
		{"/metrics/resources", 403, 401, 403, 200, 200, `pod="a-0",priority="0",resource="cpu",scheduler="` + s.name + `",unit="cores"} 0.25`},
		{"/metrics/slis", 403, 401, 403, 200, 200, "kubernetes_healthcheck"},
		{"/configz", 403, 401, 403, 403, 200, `"schedulerName":"` + s.name},
		{"/flagz", 403, 401, 403, 403, 200, "kube-scheduler flagz"},
		{"/statusz", 403, 401, 403, 403, 200, "kube-scheduler statusz"},
		{"/debug/pprof/goroutine?debug=1", 403, 401, 403, 403, 200, "goroutine profile"},
		{"/nothing", 403, 401, 403, 403, 404, ""},
	} {
		for token, want := range map[string]int{
			"": c.anonymous, "guessed": c.badToken, noRights: c.withoutRights, "prometheus": c.metrics, apiserver.Admin: c.admin,
		} {
			code, body := p.get(c.path, token)
			if code != want {
				t.Errorf("%s by %q: %d, want %d", c.path, token, code, want)
			}
			if token == apiserver.Admin && !strings.Contains(body, c.contains) {
				t.Errorf("%s does not contain %q: %.400s", c.path, c.contains, body)
			}
		}
	}
}

// letReadMetrics grants prometheus only the right to read metrics.
func (s *fixture) letReadMetrics() {
	s.t.Helper()
	reader := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "reads-metrics"},
		Rules:      []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics", "/metrics/*"}, Verbs: []string{"get"}}},
	}
	_, err := s.client.RbacV1().ClusterRoles().Create(s.ctx, reader, metav1.CreateOptions{})
	if err == nil {
		err = server.Grant(s.ctx, "prometheus", "reads-metrics")
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		s.t.Fatal(err)
	}
	s.awaitRole("prometheus", "", reader.Name)
}

// Every path but health checks rejects every verb of anonymous users, of invalid tokens and of users without rights; and
// users with the right to read metrics can only read them.
func TestEndpoints_RejectEveryVerb(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.letReadMetrics()
	p := s.schedule("--feature-gates=ComponentFlagz=true,ComponentStatusz=true")
	s.eventually(p.ready)
	for _, path := range []string{
		"/", "/nothing", "/metrics", "/metrics/", "/metrics/resources", "/metrics/slis", "/configz", "/flagz", "/statusz",
		"/healthz/ping", "/healthz/leaderElection", "/livez/ping", "/readyz/leaderElection", "/readyz/sched-handler-sync",
		"/debug/pprof", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/profile?seconds=1", "/debug/pprof/symbol", "/debug/pprof/trace?seconds=1",
		"/debug/pprof/heap", "/debug/pprof/goroutine?debug=2", "/debug/flags", "/debug/flags/v",
		"/healthz/../configz", "//configz",
	} {
		for _, verb := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			for _, token := range []string{"", "guessed", noRights} {
				if code, _ := p.request(verb, path, token); code != http.StatusUnauthorized && code != http.StatusForbidden {
					t.Errorf("%s %s by %q: %d", verb, path, token, code)
				}
			}
		}
	}
	for _, verb := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		if code, _ := p.request(verb, "/metrics", "prometheus"); code != http.StatusForbidden {
			t.Errorf("%s /metrics by a user who may only read them: %d", verb, code)
		}
	}
	for path, verb := range map[string]string{"/metrics": http.MethodDelete, "/debug/pprof/symbol": http.MethodGet} {
		if code, body := p.request(verb, path, apiserver.Admin); code != http.StatusOK {
			t.Errorf("%s %s by an administrator: %d %.200s", verb, path, code, body)
		}
	}
}

func TestProcess_ExitCodes(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.yaml")
	if err := os.WriteFile(old, []byte("apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newFixture(t)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"an argument":             {[]string{"now"}, "does not take any arguments"},
		"an unknown flag":         {[]string{"--nonsense"}, "unknown flag: --nonsense"},
		"an unknown gate":         {[]string{"--feature-gates=Nonsense=true"}, "Nonsense"},
		"no such file":            {[]string{"--config=" + dir + "/none.yaml"}, "no such file"},
		"an old configuration":    {[]string{"--config=" + old}, "v1beta3"},
		"invalid lease durations": {[]string{"--kubeconfig=/dev/null", "--leader-elect-lease-duration=1s"}, "LeaseDuration must be greater than RenewDeadline|leaseDuration"},
		"no API server":           {[]string{"--kubeconfig=" + dir + "/none.kubeconfig"}, "no such file"},
		"another version":         {[]string{"--emulated-version=1.31"}, `emulation version 1.31 is not between \[1.35`},
		"an unknown controller":   {[]string{"--master=http://127.0.0.1:1", "--controllers=nonsense"}, "taint-eviction"},
		"a logging format":        {[]string{"--logging-format=xml"}, "xml"},
		"a port that is in use":   {[]string{"--master=http://127.0.0.1:1", "--bind-address=127.0.0.1", fmt.Sprint("--secure-port=", server.Port()), "--authentication-skip-lookup"}, "address already in use"},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.exec(append([]string{"run"}, c.args...)...)
			if code := p.exit(); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			if err := p.logged("(?i)" + c.says); err != nil {
				t.Errorf("%v; output: %s", err, p.output)
			}
		})
	}
}

func TestProcess_WriteConfigTo(t *testing.T) {
	s := newFixture(t)
	first, second := filepath.Join(t.TempDir(), "first.yaml"), filepath.Join(t.TempDir(), "second.yaml")
	if code := s.exec("run", "--write-config-to="+first, "--kube-api-qps=77").exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if code := s.exec("run", "--write-config-to="+second, "--config="+first).exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	one, _ := os.ReadFile(first)
	two, _ := os.ReadFile(second)
	if !bytes.Contains(one, []byte("qps: 77")) || !bytes.Equal(one, two) {
		t.Errorf("the first file:\n%s\nand the file written from it:\n%s", one, two)
	}
}

func TestProcess_TerminationReleasesLease(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	p := s.schedule("--logging-format=json")
	s.eventually(p.ready)
	s.pods(20, "a", "10m")
	s.bound(20)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	lease, err := s.client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(s.ctx, s.name, metav1.GetOptions{})
	if err != nil || *lease.Spec.HolderIdentity != "" {
		t.Errorf("the lease: %+v, %v", lease.Spec, err)
	}
	if err := p.logged(`"msg":"Requested to terminate, exiting"`); err != nil {
		t.Error(err)
	}
}

func TestProcess_USR2SavesFlightRecorder(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	p := s.schedule()
	s.eventually(p.ready)
	s.pods(20, "a", "10m")
	s.bound(20)
	s.eventually(func() error { // the cache may not have the last bindings at the first signal
		if err := p.Process.Signal(syscall.SIGUSR2); err != nil {
			t.Fatal(err)
		}
		return p.logged(`Compared the cache with the API server" differences=0`)
	})
	file := regexp.MustCompile(`Saved the flight recorder" file="([^"]+)"`).FindStringSubmatch(p.output.String())
	if file == nil {
		t.Fatal("the log does not name the flight recorder's file")
	}
	replay := s.exec("replay", "--verify", file[1])
	if code := replay.exit(); code != 0 {
		t.Errorf("replaying the flight recorder's file: exit code %d: %s", code, replay.output)
	}
}

func TestProcess_KilledLeaderIsReplaced(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.leaseDuration = s.shortLease()
	first := s.schedule()
	s.eventually(first.ready)
	s.eventually(func() error { return first.logged("became leader|Successfully acquired lease") })
	second := s.schedule()
	s.eventually(second.ready)
	_ = first.Process.Kill()
	s.pods(20, "a", "10m")
	s.bound(20)
	// The second may see a renewal before the audit log has its end.
	if tenures := s.tenures(); len(tenures) != 2 || tenures[1].first.Before(tenures[0].expiry().Add(-time.Second)) {
		t.Errorf("the second did not take over when the lease had expired: %+v", tenures)
	}
}

func TestProcess_StoppedLeaderExitsOnContinue(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.leaseDuration = s.shortLease()
	first := s.schedule()
	s.eventually(func() error { return first.logged("Successfully acquired lease") })
	second := s.schedule()
	s.eventually(second.ready)
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.pods(10, "a", "10m")
	s.bound(10) // by the second, once the lease has expired
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.pods(10, "b", "10m")
	if code := first.exit(); code != 1 {
		t.Errorf("the first exited with %d", code)
	}
	s.bound(20)
	if err := first.logged("Leaderelection lost"); err != nil {
		t.Error(err)
	}
}

func TestProcess_DisconnectedLeaderExits(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	s.leaseDuration = s.shortLease()
	p := s.schedule()
	s.eventually(func() error { return p.logged("Successfully acquired lease") })
	server.Cut(true)
	defer server.Cut(false)
	if code := p.exit(); code != 1 { // when it exits is tested with a virtual clock in package replica
		t.Errorf("exit code %d", code)
	}
}
