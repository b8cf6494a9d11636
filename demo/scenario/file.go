package scenario

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/demo/scenario/strict"
)

// file is a scenario as it is written. What each field means is in doc.go.
type file struct {
	strict.Place
	Title       string        `yaml:"title"`
	Description string        `yaml:"description"`
	Length      duration      `yaml:"length"`
	Seed        uint64        `yaml:"seed"`
	Start       date          `yaml:"start"`
	Warmup      duration      `yaml:"warmup"`
	Recorded    recorded      `yaml:"recorded"`
	Cluster     clusterPart   `yaml:"cluster"`
	Scheduler   schedulerPart `yaml:"scheduler"`
	Workloads   []workload    `yaml:"workloads"`
	Objects     []strict.Raw  `yaml:"objects"`
	Story       []moment      `yaml:"story"`
}

type clusterPart struct {
	strict.Place
	Nodes       []nodeGroup         `yaml:"nodes"`
	Priorities  map[string]priority `yaml:"priorities"`
	Latency     latency             `yaml:"latency"`
	Controllers controllers         `yaml:"controllers"`
	Kubelet     strict.Raw          `yaml:"kubelet"`
}

// nodeGroup is a number of nodes of one shape.
type nodeGroup struct {
	strict.Place
	Name      string            `yaml:"name"`
	Count     int               `yaml:"count"`
	Zone      string            `yaml:"zone"`
	Zones     map[string]int    `yaml:"zones"`
	Region    string            `yaml:"region"`
	CPU       amount            `yaml:"cpu"`
	Memory    amount            `yaml:"memory"`
	Pods      int               `yaml:"pods"`
	Resources map[string]amount `yaml:"resources"`
	Labels    map[string]string `yaml:"labels"`
	Taints    []taint           `yaml:"taints"`
}

type priority struct {
	strict.Place
	Value    int32 `yaml:"value"`
	Default  bool  `yaml:"default"`
	Preempts *bool `yaml:"preempts"`
}

// latency is how long things take: typical or none, or each by itself.
type latency struct {
	strict.Place
	word       string
	Request    *span `yaml:"request"`
	Response   *span `yaml:"response"`
	Watch      *span `yaml:"watch"`
	Kubelet    *span `yaml:"kubelet"`
	Controller *span `yaml:"controller"`
	Plugin     *span `yaml:"plugin"`
}

// controllers are settings of kube-controller-manager.
type controllers struct {
	strict.Place
	NodeEvictionRate          *float64 `yaml:"nodeEvictionRate"`
	SecondaryNodeEvictionRate *float64 `yaml:"secondaryNodeEvictionRate"`
	UnhealthyZoneThreshold    *float64 `yaml:"unhealthyZoneThreshold"`
	LargeClusterSizeThreshold *int     `yaml:"largeClusterSizeThreshold"`
}

type schedulerPart struct {
	strict.Place
	Replicas int             `yaml:"replicas"`
	Config   strict.Raw      `yaml:"config"`
	Gates    map[string]bool `yaml:"featureGates"`
	Lease    lease           `yaml:"lease"`
}

type lease struct {
	strict.Place
	Duration *duration `yaml:"duration"`
	Renew    *duration `yaml:"renew"`
	Retry    *duration `yaml:"retry"`
}

// workload is what makes pods, or bare pods.
type workload struct {
	strict.Place
	Deployment  string `yaml:"deployment"`
	StatefulSet string `yaml:"statefulset"`
	DaemonSet   string `yaml:"daemonset"`
	Job         string `yaml:"job"`
	Pod         string `yaml:"pod"`

	Namespace string            `yaml:"namespace"`
	Replicas  *int              `yaml:"replicas"`
	Parallel  int               `yaml:"parallel"`
	Labels    map[string]string `yaml:"labels"`
	Budget    *budgetPart       `yaml:"budget"`
	Surge     string            `yaml:"surge"`
	Missing   string            `yaml:"missing"`

	Starts span  `yaml:"starts"`
	Runs   *span `yaml:"runs"`
	Stops  *span `yaml:"stops"`
	Fails  bool  `yaml:"fails"`
	Uses   *uses `yaml:"uses"`

	CPU         amount            `yaml:"cpu"`
	Memory      amount            `yaml:"memory"`
	Resources   map[string]amount `yaml:"resources"`
	Priority    string            `yaml:"priority"`
	Scheduler   string            `yaml:"scheduler"`
	Node        map[string]string `yaml:"node"`
	Spread      spreads           `yaml:"spread"`
	Apart       bonds             `yaml:"apart"`
	Near        bonds             `yaml:"near"`
	Affinity    *v1.Affinity      `yaml:"affinity"`
	Tolerations []toleration      `yaml:"tolerations"`
	Patience    *duration         `yaml:"patience"`
	Gates       names             `yaml:"gates"`
	Grace       *duration         `yaml:"grace"`

	Spec *v1.PodSpec `yaml:"spec"`

	kind world.Kind
	name string
}

type budgetPart struct {
	strict.Place
	MinAvailable   string `yaml:"minAvailable"`
	MaxUnavailable string `yaml:"maxUnavailable"`
}

// spread has pods spread over zones, nodes or values of a label.
type spread struct {
	strict.Place
	Over string `yaml:"over"`
	Skew int32  `yaml:"skew"`
	Must *bool  `yaml:"must"`
}

func (s *spread) UnmarshalText(text []byte) error {
	s.Over = string(text)
	return nil
}

type spreads []spread

// OneOrMore lets a single rule be written without a list.
func (spreads) OneOrMore() {}

// bond keeps pods apart from others, or near to them, within a zone, a node or a value of a label.
type bond struct {
	strict.Place
	App  string `yaml:"app"`
	Over string `yaml:"over"`
	Must *bool  `yaml:"must"`
}

func (b *bond) UnmarshalText(text []byte) error {
	b.Over = string(text)
	return nil
}

type bonds []bond

// OneOrMore lets a single rule be written without a list.
func (bonds) OneOrMore() {}

// moment is a moment of the story, or several at regular intervals.
type moment struct {
	strict.Place
	At    duration `yaml:"at"`
	Every duration `yaml:"every"`
	Times int      `yaml:"times"`
	Say   string   `yaml:"say"`

	Create names             `yaml:"create"`
	Scale  map[string]change `yaml:"scale"`
	Roll   names             `yaml:"roll"`
	Delete names             `yaml:"delete"`
	Evict  map[string]int    `yaml:"evict"`
	Ungate map[string]int    `yaml:"ungate"`
	Use    using             `yaml:"use"`

	Add      []nodeGroup `yaml:"add"`
	Remove   names       `yaml:"remove"`
	Cordon   names       `yaml:"cordon"`
	Uncordon names       `yaml:"uncordon"`
	Drain    *drain      `yaml:"drain"`
	Lose     names       `yaml:"lose"`
	Recover  names       `yaml:"recover"`
	Taint    *tainting   `yaml:"taint"`
	Untaint  *tainting   `yaml:"untaint"`

	API   *apiTrouble         `yaml:"api"`
	Kill  names               `yaml:"kill"`
	Pause map[string]duration `yaml:"pause"`
	Cut   map[string]duration `yaml:"cut"`
}

type tainting struct {
	strict.Place
	Nodes names   `yaml:"nodes"`
	With  []taint `yaml:"with"`
}

// drain empties nodes, so many at a time, and then lets them be, or brings them back.
type drain struct {
	strict.Place
	Nodes    names    `yaml:"nodes"`
	Together int      `yaml:"together"`
	Rest     duration `yaml:"rest"`
	Uncordon bool     `yaml:"uncordon"`
}

func (d *drain) UnmarshalText(text []byte) error {
	d.Nodes = names{string(text)}
	return nil
}

// apiTrouble is what can be the matter with the API server.
type apiTrouble struct {
	strict.Place
	Down   duration       `yaml:"down"`
	Slow   *slowness      `yaml:"slow"`
	Refuse map[string]int `yaml:"refuse"`
	Lose   map[string]int `yaml:"lose"`
	Break  []brokenWatch  `yaml:"break"`
}

type slowness struct {
	strict.Place
	For duration `yaml:"for"`
	By  span     `yaml:"by"`
}

type brokenWatch struct {
	strict.Place
	Watch string   `yaml:"watch"`
	For   duration `yaml:"for"`
}

// uses is what a pod uses of its node: memory if it is one word.
type uses struct {
	strict.Place
	Memory bytesUsed `yaml:"memory"`
	Disk   bytesUsed `yaml:"disk"`
	PIDs   int64     `yaml:"pids"`
}

func (u *uses) UnmarshalText(text []byte) error { return u.Memory.UnmarshalText(text) }

// use is what changes about it: of a workload's pods, or of those on some nodes; of nodes themselves if no workload is
// named.
type use struct {
	uses `yaml:",inline"`
	App  string `yaml:"app"`
	On   names  `yaml:"on"`
}

type using []use

// OneOrMore lets a single one be written without a list.
func (using) OneOrMore() {}
