package pressure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
)

// Shows NPE-20, NPE-24 and NPE-25.
func TestLoadFlags(t *testing.T) {
	got, err := pressure.LoadFlags(`--eviction-hard=memory.available<1Gi,nodefs.available<10% --eviction-hard=,memory.available<500Mi,
		--eviction-soft=memory.available<1.5Gi --eviction-soft-grace-period=memory.available=1m30s
		--eviction-max-pod-grace-period=30 --eviction-minimum-reclaim=imagefs.available=2Gi
		--eviction-pressure-transition-period=30s --kernel-memcg-notification=true --enforce-node-allocatable=none
		--kube-reserved=cpu=1 --system-reserved=memory=1.5Gi`, "linux")
	if err != nil {
		t.Fatal(err)
	}
	signals := func(pairs ...string) map[pressure.Signal]string {
		m := map[pressure.Signal]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pressure.Signal(pairs[i])] = pairs[i+1]
		}
		return m
	}
	want := pressure.Configuration{
		Hard: signals("memory.available", "500Mi", "nodefs.available", "10%"),
		Soft: signals("memory.available", "1.5Gi"), SoftGrace: signals("memory.available", "1m30s"),
		MinimumReclaim: signals("imagefs.available", "2Gi"), MaxPodGraceSeconds: 30,
		PressureTransition: 30 * time.Second, MemoryNotification: true, LocalStorageIsolation: true,
		KubeReserved: map[v1.ResourceName]string{"cpu": "1"}, SystemReserved: map[v1.ResourceName]string{"memory": "1.5Gi"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := pressure.LoadFlags("", "linux"); err != nil || !cmp.Equal(got, pressure.DefaultConfiguration("linux")) {
		t.Errorf("without flags: %+v, %v; want the defaults", got, err)
	}
}

func TestLoadFlags_Errors(t *testing.T) {
	for line, want := range map[string]string{
		"--eviction-hard=memory.available":           "memory.available is no pair like memory.available<10Mi",
		"--eviction-soft=memory.available=1Gi":       "memory.available=1Gi is no pair like memory.available<10Mi",
		"--eviction-minimum-reclaim=x<1":             "x<1 is no pair like memory.available=10Mi",
		"--eviction-hard":                            "it has no value",
		"--evict-hard=memory.available<1Gi":          "reading the kubelet's flag --evict-hard=memory.available<1Gi: it is none of those about eviction: --eviction-hard,",
		"--eviction-max-pod-grace-period=soon":       "invalid syntax",
		"--eviction-pressure-transition-period=5":    "missing unit",
		"--kernel-memcg-notification=often":          "invalid syntax",
		"--eviction-hard=cpu.available<1":            "unsupported eviction signal cpu.available",
		"--eviction-soft=memory.available<1Gi":       "grace period must be specified for the soft eviction threshold memory.available",
		"--system-reserved=gpu=1":                    "cannot reserve gpu: only [cpu memory ephemeral-storage pid]",
		"--kube-reserved=memory=-1Gi":                "cannot reserve -1Gi of memory: it is negative",
		"--kube-reserved=memory=lots":                "reading lots of memory: quantities must match the regular expression",
		"--\x1b[2J=1":                                `reading the kubelet's flag "--\\x1b[2J=1"`,
		"--system-reserved=memory=1e-100000000":      "its exponent is that of no amount",
		"--eviction-hard=" + strings.Repeat("x", 99): "is no pair like",
	} {
		if _, err := pressure.LoadFlags(line, "linux"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", line, err, want)
		}
	}
}

// Shows NPE-52.
func TestConfiguration_Allocatable(t *testing.T) {
	c := config(t, `
evictionHard: {memory.available: 500Mi, nodefs.available: 10%, imagefs.available: 50%, pid.available: 10%}
evictionSoft: {memory.available: 2Gi}
evictionSoftGracePeriod: {memory.available: 1m}
systemReserved: {memory: 1.5Gi, cpu: 500m}
kubeReserved: {cpu: "8", ephemeral-storage: 1Gi}
`)
	got, err := c.Allocatable(mk.Resources("memory", "10Gi", "cpu", "8", "ephemeral-storage", "100Gi", "pods", "110"))
	if err != nil {
		t.Fatal(err)
	}
	// 10240 - 1536 - 500 Mi; a tenth of 100Gi in single precision is 160 bytes more than 10Gi.
	for name, want := range map[v1.ResourceName]int64{"memory": 8204 * mi, "cpu": 0, "ephemeral-storage": 89<<30 - 160, "pods": 110} {
		if q := got[name]; q.Value() != want {
			t.Errorf("%d of %s, want %d", q.Value(), name, want)
		}
	}
	if !c.Reserves() || pressure.DefaultConfiguration("linux").Reserves() {
		t.Error("Reserves() is wrong")
	}
}
