package scenario

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/release"
	"orrery/core/world"
	"orrery/core/world/admission"
	"orrery/demo/scenario/expect"
	"orrery/demo/scenario/strict"
)

// file is a scenario as written. doc.go describes its fields.
type file struct {
	strict.Position
	Title       string               `yaml:"title"`
	Description string               `yaml:"description"`
	Length      duration             `yaml:"length"`
	Seed        uint64               `yaml:"seed"`
	Start       date                 `yaml:"start"`
	Warmup      duration             `yaml:"warmup"`
	Recorded    recorded             `yaml:"recorded"`
	Cluster     clusterPart          `yaml:"cluster"`
	Scheduler   schedulerPart        `yaml:"scheduler"`
	Workloads   []workload           `yaml:"workloads"`
	Objects     []strict.Raw         `yaml:"objects"`
	Steps       []moment             `yaml:"steps"`
	Expect      []expect.Expectation `yaml:"expect"`

	made made
}

type clusterPart struct {
	strict.Position
	Nodes           []nodeGroup         `yaml:"nodes"`
	PriorityClasses map[string]priority `yaml:"priorityClasses"`
	Latency         latency             `yaml:"latency"`
	Controllers     controllers         `yaml:"controllers"`
	Kubelet         strict.Raw          `yaml:"kubelet"`
	Storage         storagePart         `yaml:"storage"`
	Devices         devicesPart         `yaml:"devices"`
	Admission       admissionPart       `yaml:"admission"`
}

// admissionPart switches admission plugins of the API server.
type admissionPart struct {
	strict.Position
	Enable  stringList `yaml:"enable"`
	Disable stringList `yaml:"disable"`
}

func (a *admissionPart) options() admission.Options {
	return admission.Options{Enable: a.Enable, Disable: a.Disable}
}

// nodeGroup is a number of nodes of one shape.
type nodeGroup struct {
	strict.Position
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
	NodeFs    filesystem        `yaml:"nodefs"`
	ImageFs   filesystem        `yaml:"imagefs"`
	Layers    string            `yaml:"containerfs"`
	PIDs      int64             `yaml:"pids"`
	Drivers   map[string]int    `yaml:"drivers"`
	Devices   map[string]int    `yaml:"devices"`
}

// filesystem is the size of a node's filesystem: only the bytes if it is one word.
type filesystem struct {
	strict.Position
	Size   amount `yaml:"size"`
	Inodes int64  `yaml:"inodes"`
}

func (s *filesystem) UnmarshalText(text []byte) error { return s.Size.UnmarshalText(text) }

type priority struct {
	strict.Position
	Value            int32               `yaml:"value"`
	GlobalDefault    bool                `yaml:"globalDefault"`
	PreemptionPolicy v1.PreemptionPolicy `yaml:"preemptionPolicy"`
}

// latency is typical, none, or durations by field.
type latency struct {
	strict.Position
	word       string
	Request    *span `yaml:"request"`
	Response   *span `yaml:"response"`
	Watch      *span `yaml:"watch"`
	Kubelet    *span `yaml:"kubelet"`
	Controller *span `yaml:"controller"`
	Plugin     *span `yaml:"plugin"`
	Provision  *span `yaml:"provision"`
	Attach     *span `yaml:"attach"`
	Publish    *span `yaml:"publish"`
	Initialize *span `yaml:"initialize"`
}

// controllers are settings of kube-controller-manager.
type controllers struct {
	strict.Position
	NodeEvictionRate          *float64 `yaml:"nodeEvictionRate"`
	SecondaryNodeEvictionRate *float64 `yaml:"secondaryNodeEvictionRate"`
	UnhealthyZoneThreshold    *float64 `yaml:"unhealthyZoneThreshold"`
	LargeClusterSizeThreshold *int     `yaml:"largeClusterSizeThreshold"`
}

type schedulerPart struct {
	strict.Position
	Replicas int             `yaml:"replicas"`
	Config   strict.Raw      `yaml:"config"`
	Gates    map[string]bool `yaml:"featureGates"`
	// Kubernetes is the release that the scheduler decides as; 1.35 if it is not given.
	Kubernetes release.Release `yaml:"kubernetes"`
	Lease      lease           `yaml:"lease"`

	Extenders []extenderPart `yaml:"extenders"`
}

type lease struct {
	strict.Position
	LeaseDuration *duration `yaml:"leaseDuration"`
	RenewDeadline *duration `yaml:"renewDeadline"`
	RetryPeriod   *duration `yaml:"retryPeriod"`
}

// workload is a controller of pods, or bare pods.
type workload struct {
	strict.Position
	Deployment  string `yaml:"deployment"`
	StatefulSet string `yaml:"statefulset"`
	DaemonSet   string `yaml:"daemonset"`
	Job         string `yaml:"job"`
	Pod         string `yaml:"pod"`

	Namespace        string            `yaml:"namespace"`
	Replicas         *int              `yaml:"replicas"`
	Parallelism      int               `yaml:"parallelism"`
	Labels           map[string]string `yaml:"labels"`
	DisruptionBudget *budgetPart       `yaml:"disruptionBudget"`
	MaxSurge         string            `yaml:"maxSurge"`
	MaxUnavailable   string            `yaml:"maxUnavailable"`

	Startup  span   `yaml:"startup"`
	Runtime  *span  `yaml:"runtime"`
	Shutdown *span  `yaml:"shutdown"`
	Fails    bool   `yaml:"fails"`
	Usage    *usage `yaml:"usage"`

	CPU                    amount            `yaml:"cpu"`
	Memory                 amount            `yaml:"memory"`
	Resources              map[string]amount `yaml:"resources"`
	PriorityClass          string            `yaml:"priorityClass"`
	SchedulerName          string            `yaml:"schedulerName"`
	NodeSelector           map[string]string `yaml:"nodeSelector"`
	TopologySpread         spreadConstraints `yaml:"topologySpread"`
	PodAntiAffinity        podTerms          `yaml:"podAntiAffinity"`
	PodAffinity            podTerms          `yaml:"podAffinity"`
	Affinity               *v1.Affinity      `yaml:"affinity"`
	Tolerations            []toleration      `yaml:"tolerations"`
	EvictAfter             *duration         `yaml:"evictAfter"`
	SchedulingGates        stringList        `yaml:"schedulingGates"`
	TerminationGracePeriod *duration         `yaml:"terminationGracePeriod"`

	Volumes map[string]podVolume  `yaml:"volumes"`
	Devices map[string]podDevices `yaml:"devices"`
	Gang    int                   `yaml:"gang"`

	Spec *fullSpec `yaml:"spec"`

	kind world.Kind
	name string

	podBytes int // of one of its pods, encoded; zero if not known yet
}

// fullSpec is a pod's spec written in full, with the reference to a group that pods of Kubernetes 1.35 have.
type fullSpec struct {
	v1.PodSpec  `yaml:",inline"`
	WorkloadRef *workloads.Reference `yaml:"workloadRef"`
}

type budgetPart struct {
	strict.Position
	MinAvailable   string `yaml:"minAvailable"`
	MaxUnavailable string `yaml:"maxUnavailable"`
}

// spreadConstraint spreads pods over zones, nodes or values of a label.
type spreadConstraint struct {
	strict.Position
	TopologyKey string `yaml:"topologyKey"`
	MaxSkew     int32  `yaml:"maxSkew"`
	Required    *bool  `yaml:"required"`
}

func (s *spreadConstraint) UnmarshalText(text []byte) error {
	s.TopologyKey = string(text)
	return nil
}

type spreadConstraints []spreadConstraint

// OneOrMore allows a single rule without a list.
func (spreadConstraints) OneOrMore() {}

// podTerm is an affinity or anti-affinity to pods within a zone, a node or a value of a label.
type podTerm struct {
	strict.Position
	App         string `yaml:"app"`
	TopologyKey string `yaml:"topologyKey"`
	Required    *bool  `yaml:"required"`
}

func (b *podTerm) UnmarshalText(text []byte) error {
	b.TopologyKey = string(text)
	return nil
}

type podTerms []podTerm

// OneOrMore allows a single rule without a list.
func (podTerms) OneOrMore() {}

// moment is a step of the scenario, repeated if Every is set.
type moment struct {
	strict.Position
	At    duration `yaml:"at"`
	Every duration `yaml:"every"`
	Times int      `yaml:"times"`
	Mark  string   `yaml:"mark"`

	// Refused says that the API server refuses what the step does.
	Refused bool `yaml:"refused"`

	Create  stringList               `yaml:"create"`
	Scale   map[string]replicaChange `yaml:"scale"`
	Restart stringList               `yaml:"restart"`
	Delete  stringList               `yaml:"delete"`
	Evict   map[string]int           `yaml:"evict"`
	Ungate  map[string]int           `yaml:"ungate"`
	Usage   usageChanges             `yaml:"usage"`

	Add        []nodeGroup  `yaml:"add"`
	Remove     stringList   `yaml:"remove"`
	Cordon     stringList   `yaml:"cordon"`
	Uncordon   stringList   `yaml:"uncordon"`
	Drain      *drain       `yaml:"drain"`
	Disconnect stringList   `yaml:"disconnect"`
	Reconnect  stringList   `yaml:"reconnect"`
	Taint      *taintChange `yaml:"taint"`
	Untaint    *taintChange `yaml:"untaint"`
	Patch      []patch      `yaml:"patch"`

	Storage   *storageChange      `yaml:"storage"`
	Devices   *deviceChange       `yaml:"devices"`
	APIServer *apiFaults          `yaml:"apiserver"`
	Kill      stringList          `yaml:"kill"`
	Pause     map[string]duration `yaml:"pause"`
	Partition map[string]duration `yaml:"partition"`
	Extenders *extenderChange     `yaml:"extenders"`
}

type taintChange struct {
	strict.Position
	Nodes  stringList `yaml:"nodes"`
	Taints []taint    `yaml:"taints"`
}

// patch changes nodes or a pod as kubectl patch does, by a strategic merge patch.
type patch struct {
	strict.Position
	Node      string     `yaml:"node"`
	Pod       string     `yaml:"pod"`
	Namespace string     `yaml:"namespace"`
	With      strict.Raw `yaml:"with"`
}

// drain drains nodes, a number at a time, and may uncordon them afterwards.
type drain struct {
	strict.Position
	Nodes    stringList `yaml:"nodes"`
	Parallel int        `yaml:"parallel"`
	Pause    duration   `yaml:"pause"`
	Uncordon bool       `yaml:"uncordon"`
}

func (d *drain) UnmarshalText(text []byte) error {
	d.Nodes = stringList{string(text)}
	return nil
}

// apiFaults are faults of the API server.
type apiFaults struct {
	strict.Position
	Down          duration       `yaml:"down"`
	Delay         *delayFault    `yaml:"delay"`
	Reject        map[string]int `yaml:"reject"`
	DropResponses map[string]int `yaml:"dropResponses"`
	BreakWatches  []brokenWatch  `yaml:"breakWatches"`
}

type delayFault struct {
	strict.Position
	For duration `yaml:"for"`
	By  span     `yaml:"by"`
}

type brokenWatch struct {
	strict.Position
	Kind string   `yaml:"kind"`
	For  duration `yaml:"for"`
}

// usage is a pod's usage of its node: memory if it is one word.
type usage struct {
	strict.Position
	Memory  growing `yaml:"memory"`
	PIDs    growing `yaml:"pids"`
	Disk    growing `yaml:"disk"`
	Inodes  growing `yaml:"inodes"`
	Logs    growing `yaml:"logs"`
	Volumes growing `yaml:"volumes"`

	Images         growing `yaml:"images"`
	UnusedImages   growing `yaml:"unusedImages"`
	DeadContainers growing `yaml:"deadContainers"`
}

func (u *usage) UnmarshalText(text []byte) error { return u.Memory.UnmarshalText(text) }

// usageChange changes the usage of a workload's pods, or of those on some nodes; of nodes themselves if no workload is
// named.
type usageChange struct {
	usage `yaml:",inline"`
	App   string     `yaml:"app"`
	On    stringList `yaml:"on"`
}

type usageChanges []usageChange

// OneOrMore allows a single one without a list.
func (usageChanges) OneOrMore() {}
