package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/queue"
)

// given returns the settings of a configuration that flags can change.
func given(t *testing.T, args ...string) string {
	t.Helper()
	f := newRunFlags()
	c := runCommandOf(f, nil)
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	features, _, err := f.features()
	if err != nil {
		return err.Error()
	}
	if errs := f.validate(); len(errs) > 0 {
		return errs[0].Error()
	}
	configuration, err := f.configuration(features)
	if err != nil {
		return err.Error()
	}
	e, k := configuration.LeaderElection, configuration.ClientConnection
	return fmt.Sprintf("elect=%t %s/%s/%s %s qps=%v burst=%d kubeconfig=%q profiling=%t/%t", *e.LeaderElect, e.LeaseDuration.Duration,
		e.RenewDeadline.Duration, e.RetryPeriod.Duration, e.ResourceName, k.QPS, k.Burst, k.Kubeconfig,
		configuration.EnableProfiling, configuration.EnableContentionProfiling)
}

// Shows CONF-10, PERF-02 and PACK-15.
func TestRunFlags_OverrideConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
		"clientConnection: {qps: 7, burst: 9, kubeconfig: of-the-file}\nleaderElection: {resourceName: of-the-file, leaseDuration: 30s}\nenableProfiling: false\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const usual = `elect=true 15s/10s/2s kube-scheduler qps=50 burst=100 kubeconfig="" profiling=true/true`
	const ofFile = `elect=true 30s/10s/2s of-the-file qps=7 burst=9 kubeconfig="of-the-file" profiling=false/false`
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no flag at all": {nil, usual},
		"deprecated flags count without a file": {
			[]string{"--kubeconfig=k", "--kube-api-qps=1.5", "--kube-api-burst=3", "--profiling=false", "--contention-profiling=false"},
			`elect=true 15s/10s/2s kube-scheduler qps=1.5 burst=3 kubeconfig="k" profiling=false/false`,
		},
		"a file":                                {[]string{"--config", file}, ofFile},
		"deprecated flags are ignored with one": {[]string{"--config", file, "--kubeconfig=k", "--kube-api-qps=1.5", "--profiling"}, ofFile},
		"flags of the election count with one": {
			[]string{"--config", file, "--leader-elect=false", "--leader-elect-renew-deadline=11s", "--leader-elect-resource-name=of-the-flag"},
			strings.NewReplacer("elect=true", "elect=false", "10s/2s of-the-file", "11s/2s of-the-flag").Replace(ofFile),
		},
		"underscores are hyphens":                            {[]string{"--leader_elect=false"}, strings.Replace(usual, "elect=true", "elect=false", 1)},
		"a gate of scheduling":                               {[]string{"--feature-gates=kube:SchedulerQueueingHints=true"}, usual},
		"a gate of logging":                                  {[]string{"--feature-gates=LoggingAlphaOptions=true,SchedulerQueueingHints=true"}, usual},
		"the version that it is":                             {[]string{"--emulated-version=kube=1.35"}, usual},
		"a version that it is not":                           {[]string{"--emulated-version=1.34"}, "--emulated-version: emulation version 1.34 is not between [1.35, 1.37]"},
		"a version of another program":                       {[]string{"--emulated-version=wardle=1.36"}, "--emulated-version: component not registered: wardle"},
		"no version at all":                                  {[]string{"--emulated-version=newest"}, `--emulated-version: "newest" is no version: write it as 1.37`},
		"a gate of a later release":                          {[]string{"--emulated-version=1.37", "--feature-gates=DRADerivedAttributes=false"}, usual},
		"a gate of a later release, before that":             {[]string{"--feature-gates=DRADerivedAttributes=false"}, "--feature-gates: unrecognized feature gate: DRADerivedAttributes"},
		"compatible with the one before":                     {[]string{"--emulated-version=1.36", "--min-compatibility-version=kube=1.35"}, usual},
		"compatible with a later one":                        {[]string{"--emulated-version=1.36", "--min-compatibility-version=1.37"}, "--min-compatibility-version: minCompatibilityVersion version 1.37 is not between [1.34, 1.36]"},
		"a compatibility that turns on what is not modelled": {[]string{"--emulated-version=1.37", "--min-compatibility-version=1.37"}, "--min-compatibility-version: with 1.37 Kubernetes 1.37 turns on DRAFractionalCapacityRange, which is not modelled: take 1.36"},
		"what the file must not say":                         {[]string{"--config", file, "--leader-elect-lease-duration=1s"}, "kube-scheduler configuration: leaderElection.leaseDuration: Invalid value: \"10s\": must be greater than `RenewDeadline`"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := given(t, c.args...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRunFlags_RequeueRule(t *testing.T) {
	f := newRunFlags()
	c := runCommandOf(f, nil)
	for _, rule := range []queue.RequeueRule{queue.MoveRequestCycle, queue.QueueingHints} {
		if err := c.ParseFlags([]string{"--requeue-rule", rule.String()}); err != nil {
			t.Fatal(err)
		}
		if got := f.replicaOptions(config.Default(config.DefaultFeatures()), nil, nil).RequeueRule; got != rule {
			t.Errorf("--requeue-rule %s makes a scheduler with the rule %s", rule, got)
		}
	}
	if err := c.ParseFlags([]string{"--requeue-rule", "cycles"}); err == nil {
		t.Error("an unknown rule is accepted")
	}
}

func TestRunFlags_IncludeKubeSchedulerFlags(t *testing.T) {
	const flags = `config write-config-to master
		bind-address secure-port cert-dir tls-cert-file tls-private-key-file tls-cipher-suites tls-min-version tls-sni-cert-key
		http2-max-streams-per-connection disable-http2-serving permit-port-sharing permit-address-sharing
		authentication-kubeconfig authentication-skip-lookup authentication-token-webhook-cache-ttl
		authentication-tolerate-lookup-failure client-ca-file requestheader-client-ca-file requestheader-allowed-names
		requestheader-username-headers requestheader-uid-headers requestheader-group-headers requestheader-extra-headers-prefix
		authorization-kubeconfig authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
		authorization-always-allow-paths profiling contention-profiling kubeconfig kube-api-content-type kube-api-qps kube-api-burst
		pod-max-in-unschedulable-pods-duration leader-elect leader-elect-lease-duration leader-elect-renew-deadline
		leader-elect-retry-period leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace
		feature-gates emulated-version min-compatibility-version show-hidden-metrics-for-version disabled-metrics
		allow-metric-labels allow-metric-labels-manifest logging-format v vmodule log-flush-frequency log-text-split-stream
		log-text-info-buffer-size log-json-split-stream log-json-info-buffer-size`
	c := runCommand(nil)
	for _, name := range strings.Fields(flags) {
		if c.Flags().Lookup(name) == nil {
			t.Errorf("--%s is missing", name)
		}
	}
	if got := c.Flags().Lookup("secure-port").DefValue; got != "10259" {
		t.Errorf("it serves on %s", got)
	}
	if !strings.Contains(gateHelp(), string(config.SchedulerAsyncAPICalls)) {
		t.Error("the help names no gates")
	}
}

func TestRunFlags_Record(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string // the error; empty if there is none
	}{
		"a directory that is yet to be made": {[]string{"--record-dir", filepath.Join(dir, "new")}, ""},
		"all flags":                          {[]string{"--record-dir", dir, "--record-max-size=16Mi", "--record-max-age=1h"}, ""},
		"a file":                             {[]string{"--record-dir", file}, fmt.Sprintf("--record-dir %q: it is not a directory", file)},
		"too small":                          {[]string{"--record-dir", dir, "--record-max-size=10"}, `--record-max-size "10": write a size of at least 16Mi, like 10Gi`},
		"no size":                            {[]string{"--record-dir", dir, "--record-max-size=10GiB"}, `--record-max-size "10GiB": write a size of at least 16Mi, like 10Gi`},
		"a huge exponent":                    {[]string{"--record-dir", dir, "--record-max-size=1e100000000"}, `--record-max-size "1e100000000": write a size of at least 16Mi, like 10Gi`},
		"too short":                          {[]string{"--record-dir", dir, "--record-max-age=5m"}, "--record-max-age 5m0s: it is a duration of at least 1h0m0s, like 168h"},
		"a size without a directory":         {[]string{"--record-max-size=1Gi"}, "--record-max-size is for --record-dir, which is not given"},
		"an age without a directory":         {[]string{"--record-max-age=1h"}, "--record-max-age is for --record-dir, which is not given"},
	} {
		t.Run(name, func(t *testing.T) {
			got := given(t, c.args...)
			if c.want == "" && !strings.HasPrefix(got, "elect=") || c.want != "" && got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	f := newRunFlags()
	if err := runCommandOf(f, nil).ParseFlags([]string{"--record-dir", dir, "--record-max-size=2Gi", "--record-max-age=2h"}); err != nil {
		t.Fatal(err)
	}
	if got := f.record.options("orrery run"); got.Directory != dir || got.Limits.MaxBytes != 2<<30 || got.Limits.MaxAge != 2*time.Hour {
		t.Errorf("the options are %+v", got)
	}
	f.record.supported = false // as on Windows
	if errs := f.record.validate(); len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "--record-dir: this platform has no lock") {
		t.Errorf("without locks the errors are %v", errs)
	}
	f.record.dir = ""
	if errs := f.record.validate(); len(errs) != 1 || !strings.HasSuffix(errs[0].Error(), "is for --record-dir, which is not given") {
		t.Errorf("without a directory the errors are %v", errs)
	}
}

// The written configuration is whole, with what is secret in it, and so for its owner alone, whatever it replaces.
func TestWriteConfig_IsWholeAndPrivate(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.yaml"), filepath.Join(dir, "to.yaml")
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
		"extenders: [{urlPrefix: 'http://us3r:s3cret@host', filterVerb: filter}]\n"
	for name, content := range map[string]string{from: text, to: "old"} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := newRunFlags()
	if err := runCommandOf(f, nil).ParseFlags([]string{"--config", from, "--write-config-to", to}); err != nil {
		t.Fatal(err)
	}
	features, _, err := f.features()
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.configuration(features)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.writeConfig(c, nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("it is %v, %v", info.Mode(), err)
	}
	if got, err := os.ReadFile(to); err != nil || !strings.Contains(string(got), "us3r:s3cret@host") {
		t.Errorf("it holds %s, %v", got, err)
	}
}
