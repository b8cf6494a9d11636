package pressure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/evict/pressure"
	"orrery/core/testing/fuzz"
)

const header = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"

// thresholdsOf lists the thresholds of a configuration.
func thresholdsOf(t *testing.T, yaml, system string, layout pressure.Layout) string {
	t.Helper()
	c, err := pressure.Load([]byte(header+yaml), system)
	if err != nil {
		return err.Error()
	}
	all, err := c.Thresholds()
	if err != nil {
		t.Fatal(err)
	}
	all, ignored := pressure.OnLayout(all, layout)
	var lines []string
	for _, th := range all {
		line := th.String()
		if th.MinReclaim != nil {
			line += " +" + th.MinReclaim.String()
		}
		lines = append(lines, line)
	}
	for _, s := range ignored {
		lines = append(lines, "ignored "+string(s))
	}
	return strings.Join(lines, ", ")
}

// Shows LEAD-46, CONF-11, CONF-17, NPE-14, NPE-26 and NPE-27.
func TestLoad_Defaults(t *testing.T) {
	tests := []struct {
		name, yaml, system string
		layout             pressure.Layout
		want               string
	}{
		{
			"the defaults", "", "linux", pressure.OneFs,
			"memory.available<100Mi, nodefs.available<10%, nodefs.inodesFree<5%, imagefs.available<15%, imagefs.inodesFree<5%, " +
				"allocatableMemory.available<100Mi, containerfs.available<10%, containerfs.inodesFree<5%",
		},
		{
			"containerfs on imagefs has its thresholds", "", "linux", pressure.ImageFs,
			"memory.available<100Mi, nodefs.available<10%, nodefs.inodesFree<5%, imagefs.available<15%, imagefs.inodesFree<5%, " +
				"allocatableMemory.available<100Mi, containerfs.available<15%, containerfs.inodesFree<5%",
		},
		{
			"Windows has defaults of its own", "", "windows", pressure.OneFs,
			"memory.available<500Mi, nodefs.available<10%, imagefs.available<15%, allocatableMemory.available<500Mi, containerfs.available<10%",
		},
		{
			"one threshold replaces all defaults", "evictionHard: {memory.available: 500Mi}", "linux", pressure.OneFs,
			"memory.available<500Mi, allocatableMemory.available<500Mi",
		},
		{
			"one threshold merged with the defaults", "evictionHard: {memory.available: 500Mi}\nmergeDefaultEvictionSettings: true", "linux", pressure.OneFs,
			"memory.available<500Mi, nodefs.available<10%, nodefs.inodesFree<5%, imagefs.available<15%, imagefs.inodesFree<5%, " +
				"allocatableMemory.available<500Mi, containerfs.available<10%, containerfs.inodesFree<5%",
		},
		{"an empty map switches everything off", "evictionHard: {}", "linux", pressure.OneFs, ""},
		{"0% and 100% disable thresholds", "evictionHard: {memory.available: 0%, nodefs.available: 100%}", "linux", pressure.OneFs, ""},
		{
			"soft thresholds have a grace period, all have a minimum reclaim",
			"evictionHard: {memory.available: 1Gi}\nevictionSoft: {memory.available: 1.5Gi}\nevictionSoftGracePeriod: {memory.available: 1m30s}\nevictionMinimumReclaim: {memory.available: 500Mi}\nenforceNodeAllocatable: []",
			"linux", pressure.OneFs,
			"memory.available<1Gi +500Mi, memory.available<1536Mi for 1m30s +500Mi",
		},
		{
			"containerfs cannot be set", "evictionHard: {containerfs.available: 1%, nodefs.available: 2%}", "linux", pressure.SplitImageFs,
			"nodefs.available<2%, containerfs.available<2%, ignored containerfs.available",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, thresholdsOf(t, tt.yaml, tt.system, tt.layout)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoad_OtherSettings(t *testing.T) {
	got, err := pressure.Load([]byte(header+`
evictionPressureTransitionPeriod: 30s
evictionMaxPodGracePeriod: 60
kernelMemcgNotification: true
localStorageCapacityIsolation: false
enforceNodeAllocatable: [none]
evictionHard: {}
maxPods: 250
`), "linux")
	if err != nil {
		t.Fatal(err)
	}
	want := pressure.Configuration{
		Hard: map[pressure.Signal]string{}, PressureTransition: 30 * time.Second, MaxPodGraceSeconds: 60, MemoryNotification: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	silent, err := pressure.Load([]byte(header+"evictionPressureTransitionPeriod: 0s"), "linux")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pressure.DefaultConfiguration("linux"), silent); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

// Shows LEAD-46 and NPE-21.
func TestIgnoredFields_NamesEachField(t *testing.T) {
	for name, tt := range map[string]struct {
		yaml string
		want []string
	}{
		"eviction alone":        {"evictionHard: {memory.available: 1Gi}\nkubeReserved: {cpu: \"1\"}", nil},
		"other fields":          {"maxPods: 20\nevictionMaxPodGracePeriod: 3\nimageGCHighThresholdPercent: 80", []string{"imageGCHighThresholdPercent", "maxPods"}},
		"gates":                 {"featureGates: {NodeSwap: true, MemoryQoS: true}\nmemoryThrottlingFactor: 0.8", []string{"featureGates.NodeSwap"}},
		"a factor without gate": {"memoryThrottlingFactor: 0.8\nfeatureGates: {MemoryQoS: false}", []string{"memoryThrottlingFactor"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := pressure.IgnoredFields([]byte(header + tt.yaml))
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Every field that Load reads changes the configuration, so that none is ignored without being named.
func TestIgnoredFields_ReadFieldsChangeConfiguration(t *testing.T) {
	for field, text := range map[string]string{
		"evictionHard": "{memory.available: 1Gi}", "evictionSoft": "{memory.available: 1Gi}\nevictionSoftGracePeriod: {memory.available: 1m}",
		"evictionSoftGracePeriod": "{memory.available: 1m}", "evictionPressureTransitionPeriod": "1m", "evictionMaxPodGracePeriod": "7",
		"evictionMinimumReclaim": "{memory.available: 1Gi}", "mergeDefaultEvictionSettings": "true\nevictionHard: {memory.available: 1Gi}",
		"enforceNodeAllocatable": "[none]", "kernelMemcgNotification": "true", "localStorageCapacityIsolation": "false",
		"kubeReserved": `{cpu: "1"}`, "systemReserved": `{cpu: "1"}`, "featureGates": "{MemoryQoS: true}",
		"memoryThrottlingFactor": "0.5\nfeatureGates: {MemoryQoS: true}",
	} {
		_, without, _ := strings.Cut(text, "\n")
		before, err := pressure.Load([]byte(header+without), "linux")
		if err != nil {
			t.Fatal(err)
		}
		after, err := pressure.Load([]byte(header+field+": "+text), "linux")
		if err != nil || cmp.Equal(before, after) {
			t.Errorf("%s: %s changes nothing, %v", field, text, err)
		}
	}
}

// What is written of a configuration is read as the same one.
func TestConfiguration_File(t *testing.T) {
	for name, yaml := range map[string]string{
		"the defaults":         "",
		"no hard thresholds":   "evictionHard: {}\nenforceNodeAllocatable: []\nlocalStorageCapacityIsolation: false\n",
		"thresholds of memory": "evictionHard: {memory.available: 500Mi}\nevictionSoft: {memory.available: 10%}\nevictionSoftGracePeriod: {memory.available: 20s}\nevictionMinimumReclaim: {memory.available: 1Gi}\nevictionMaxPodGracePeriod: 2\nevictionPressureTransitionPeriod: 30s\nkernelMemcgNotification: true\n",
		"reserved and slowed":  "kubeReserved: {cpu: 100m}\nsystemReserved: {memory: 1Gi}\nfeatureGates: {MemoryQoS: true}\nmemoryThrottlingFactor: 0.8\n",
	} {
		want, err := pressure.Load([]byte(header+yaml), "linux")
		if err != nil {
			t.Fatal(err)
		}
		text, err := want.File()
		if err != nil {
			t.Fatal(err)
		}
		got, err := pressure.Load(text, "windows")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, %s (-want +got):\n%s", name, err, text, diff)
		}
	}
}

func TestLoad_Errors(t *testing.T) {
	tests := []struct{ name, yaml, want string }{
		{"a soft threshold without grace", "evictionSoft: {memory.available: 1Gi}", "grace period must be specified for the soft eviction threshold memory.available"},
		{"an unknown signal", "evictionHard: {cpu.available: '1'}", "unsupported eviction signal cpu.available"},
		{"a signal that would move the cursor", `evictionHard: {"\e[2J": "1"}`, `unsupported eviction signal "\\x1b[2J"`},
		{"a zero threshold", "evictionHard: {memory.available: '0'}", "eviction threshold memory.available must be positive: 0"},
		{"a negative percentage", "evictionHard: {memory.available: -1%}", "eviction percentage threshold memory.available must be >= 0%: -1%"},
		{"more than 100%", "evictionHard: {memory.available: 101%}", "eviction percentage threshold memory.available must be <= 100%: 101%"},
		{"no number", "evictionHard: {memory.available: lots}", "reading lots of memory.available: quantities must match the regular expression"},
		{"a huge exponent", "evictionHard: {memory.available: '1e-100000000'}", "reading 1e-100000000 of memory.available: its exponent is that of no amount"},
		{"no percentage", "evictionHard: {memory.available: x%}", "x% of memory.available is no percentage: write it like 10%"},
		{"a negative grace period", "evictionSoft: {memory.available: 1Gi}\nevictionSoftGracePeriod: {memory.available: -1s}", "invalid eviction grace period specified: -1s, must be a positive value"},
		{"a negative minimum reclaim", "evictionMinimumReclaim: {memory.available: '-1'}", "negative eviction minimum reclaim specified for memory.available"},
		{"a minimum reclaim of 0%", "evictionMinimumReclaim: {memory.available: 0%}", "eviction percentage minimum reclaim memory.available must be positive: 0%"},
		{"every error is reported", "evictionHard: {memory.available: -1%, nodefs.available: 101%}", "must be <= 100%: 101%"},
		{"a misspelt field", "evictionHrad: {}", `the kubelet configuration has no field "evictionHrad"`},
		{"a field in the wrong case", "Evictionhard: {}", `the kubelet configuration has no field "Evictionhard"`},
		{"a field given twice", "evictionHard: {}\nevictionHard: {}", `key "evictionHard" already set in map`},
		{"a field of another type", "evictionMaxPodGracePeriod: soon", "reading the eviction fields of the kubelet configuration"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := pressure.Load([]byte(header+tt.yaml), "linux")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := pressure.Load([]byte("kind: Deployment\napiVersion: kubelet.config.k8s.io/v1beta1"), "linux"); err == nil {
		t.Error("a Deployment was read as a KubeletConfiguration")
	}
	if _, err := pressure.Load([]byte(header+strings.Repeat("#", 1<<20)), "linux"); err == nil || !strings.Contains(err.Error(), "at most 1048576 are read") {
		t.Errorf("more than a mebibyte gives %v", err)
	}
}

// Shows NPE-16.
func TestThreshold_Met(t *testing.T) {
	tests := []struct {
		name                   string
		value, capacity, avail string
		reclaim                string
		met, unresolved        bool
	}{
		{"a tenth of 10Gi is 1Gi", "10%", "10Gi", "1023Mi", "", true, true},
		{"the kubelet's float32 tenth is 16 bytes more", "10%", "10Gi", "1073741839", "", true, true},
		{"exactly the threshold is not met", "10%", "10Gi", "1073741840", "", false, false},
		{"nodefs below 1Gi, minimum 500Mi", "1Gi", "100Gi", "1000Mi", "500Mi", true, true},
		{"at 1Gi it is no longer met, and not yet resolved", "1Gi", "100Gi", "1Gi", "500Mi", false, true},
		{"it is resolved at 1524Mi", "1Gi", "100Gi", "1523Mi", "500Mi", false, true},
		{"which the documentation rounds to 1.5Gi", "1Gi", "100Gi", "1524Mi", "500Mi", false, false},
		{"imagefs below 100Gi, minimum 2Gi: until there are 102Gi", "100Gi", "500Gi", "104447Mi", "2Gi", false, true},
		{"at 102Gi it is resolved", "100Gi", "500Gi", "102Gi", "2Gi", false, false},
		{"memory has no default minimum", "500Mi", "10Gi", "500Mi", "0", false, false},
		{"a minimum in percent is of the capacity", "1Gi", "100Gi", "10Gi", "10%", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := pressure.Configuration{Hard: map[pressure.Signal]string{"nodefs.available": tt.value}}
			if tt.reclaim != "" {
				c.MinimumReclaim = map[pressure.Signal]string{"nodefs.available": tt.reclaim}
			}
			all, err := c.Thresholds()
			if err != nil {
				t.Fatal(err)
			}
			o := pressure.Observation{Available: resource.MustParse(tt.avail), Capacity: resource.MustParse(tt.capacity)}
			if met, unresolved := all[0].Met(o, false), all[0].Met(o, true); met != tt.met || unresolved != tt.unresolved {
				t.Errorf("met %v and unresolved %v, want %v and %v", met, unresolved, tt.met, tt.unresolved)
			}
		})
	}
}

// Shows NPE-52. A node of 10Gi is to keep a tenth of its memory for the system and evict at 95%: a hard threshold of 500Mi, and
// 1.5Gi reserved. So pods have 8.5Gi, and the threshold is met when they and the system together use all but 500Mi.
func TestThreshold_RecommendedReservation(t *testing.T) {
	capacity, reserved, threshold := *bytes("10Gi"), *bytes("1.5Gi"), *bytes("500Mi")
	forPods, forSystem := capacity-reserved, reserved-threshold
	if forPods != *bytes("8704Mi") || forSystem != *bytes("1036Mi") {
		t.Errorf("pods have %d and the system %d bytes", forPods, forSystem)
	}
	s := measure().memory("500Mi").sum()
	o, _ := s.Observe(pressure.MemoryAvailable)
	used := o.Capacity.Value() - o.Available.Value()
	if uint64(used) != forPods+forSystem {
		t.Errorf("at the threshold %d bytes are used, want %d", used, forPods+forSystem)
	}
}

// Shows NPE-09, NPE-10, NPE-11, NPE-12 and NPE-13.
func TestSummary_Observe(t *testing.T) {
	s := measure().memory("800Mi").allocatable("1Gi").nodefs("10Gi", 5).imagefs("20Gi", 6).pids(768).sum()
	s.Node.Runtime.ContainerFs = fsStats("30Gi", "40Gi", 7)
	for signal, want := range map[pressure.Signal]string{
		pressure.MemoryAvailable: "800Mi of 10Gi", pressure.AllocatableMemoryAvailable: "1Gi of 8Gi",
		pressure.NodeFsAvailable: "10Gi of 100Gi", pressure.NodeFsInodesFree: "5 of 1M",
		pressure.ImageFsAvailable: "20Gi of 1000Gi", pressure.ImageFsInodesFree: "6 of 1M",
		pressure.ContainerFsAvailable: "30Gi of 40Gi", pressure.ContainerFsInodesFree: "7 of 1M",
		pressure.PIDAvailable: "232 of 1k",
	} {
		o, ok := s.Observe(signal)
		if got := o.Available.String() + " of " + o.Capacity.String(); !ok || got != want {
			t.Errorf("%s is %s, want %s", signal, got, want)
		}
		if _, ok := new(pressure.Summary).Observe(signal); ok {
			t.Errorf("%s is read from an empty summary", signal)
		}
	}
}

// FuzzLoad reads configurations of kubelets, from files and scenarios.
//
//orrery:reads core/evict/pressure
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", "evictionHard: {memory.available: 500Mi}", "evictionSoft: {pid.available: 5%}\nevictionSoftGracePeriod: {pid.available: 1h}",
		"evictionMinimumReclaim: {imagefs.available: 2Gi}", "evictionHard: {memory.available: 1e400%}", "evictionHard: {memory.available: NaN%}",
	} {
		f.Add([]byte(header + seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c pressure.Configuration
		var err error
		fuzz.Cost(t, len(data), func() { c, err = pressure.Load(data, "linux") })
		if err != nil {
			fuzz.Error(t, err)
			return
		}
		all, err := c.Thresholds()
		if err != nil {
			t.Fatalf("loaded, and then refused: %v", err)
		}
		o := pressure.Observation{Available: resource.MustParse("1Gi"), Capacity: resource.MustParse("2Gi")}
		for _, th := range all {
			if th.Signal.Resource() == "" || th.Grace < 0 {
				t.Errorf("threshold %v", th)
			}
			if th.Met(o, false) && !th.Met(o, true) {
				t.Errorf("%v is met, and resolved with its minimum", th)
			}
		}
	})
}
