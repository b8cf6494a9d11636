package scenario

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/demo/scenario/strict"
)

// storagePart is the storage of a cluster, as written.
type storagePart struct {
	strict.Position
	Drivers map[string]storageDriver `yaml:"drivers"`
	Classes map[string]storageClass  `yaml:"classes"`
	Volumes []volumePart             `yaml:"volumes"`
	Claims  []claimPart              `yaml:"claims"`
}

// storageDriver is a CSI driver.
type storageDriver struct {
	strict.Position
	Topology      string            `yaml:"topology"`
	Capacity      map[string]amount `yaml:"capacity"`
	TrackCapacity *bool             `yaml:"trackCapacity"`
	Attach        *bool             `yaml:"attach"`
}

// storageClass is the provisioner alone if it is one word.
type storageClass struct {
	strict.Position
	Provisioner string                           `yaml:"provisioner"`
	Binding     storagev1.VolumeBindingMode      `yaml:"binding"`
	Reclaim     v1.PersistentVolumeReclaimPolicy `yaml:"reclaim"`
	Default     bool                             `yaml:"default"`
	Topologies  map[string]stringList            `yaml:"topologies"`
}

func (s *storageClass) UnmarshalText(text []byte) error {
	s.Provisioner = string(text)
	return nil
}

// volumePart is a PersistentVolume, or a number of them.
type volumePart struct {
	strict.Position
	Name    string                           `yaml:"name"`
	Count   int                              `yaml:"count"`
	Size    amount                           `yaml:"size"`
	Class   string                           `yaml:"class"`
	Access  stringList                       `yaml:"access"`
	Driver  string                           `yaml:"driver"`
	Zone    string                           `yaml:"zone"`
	Node    string                           `yaml:"node"`
	Claim   string                           `yaml:"claim"`
	Reclaim v1.PersistentVolumeReclaimPolicy `yaml:"reclaim"`
}

type claimPart struct {
	strict.Position
	Name      string     `yaml:"name"`
	Namespace string     `yaml:"namespace"`
	Size      amount     `yaml:"size"`
	Class     string     `yaml:"class"`
	Access    stringList `yaml:"access"`
	Volume    string     `yaml:"volume"`
}

// podVolume is a volume of a workload's pods: a claim of each pod, of which one word is the size, or a claim by its name.
type podVolume struct {
	strict.Position
	Claim     string     `yaml:"claim"`
	Size      amount     `yaml:"size"`
	Class     string     `yaml:"class"`
	Access    stringList `yaml:"access"`
	Ephemeral bool       `yaml:"ephemeral"`
}

func (v *podVolume) UnmarshalText(text []byte) error { return v.Size.UnmarshalText(text) }

// storageChange is what happens to storage in a step.
type storageChange struct {
	strict.Position
	Capacity         map[string]map[string]amount `yaml:"capacity"`
	ProvisionerHangs map[string]duration          `yaml:"provisionerHangs"`
	DetachFails      map[string]duration          `yaml:"detachFails"`
	DeleteClaims     stringList                   `yaml:"deleteClaims"`
}

// wholeCluster stands for the segment of a driver without topology.
const wholeCluster = "all"

// topology is the label that a driver places volumes by; empty if every node reaches them.
func (d storageDriver) topology() string { return topologyKey(d.Topology) }

// segment is the part of a cluster with a value of the driver's topology.
func (d storageDriver) segment(value string) map[string]string {
	if d.Topology == "" {
		return nil
	}
	return map[string]string{d.topology(): value}
}

// tracksCapacity reports whether a driver publishes its capacity: if it has one, unless it says otherwise.
func (d storageDriver) tracksCapacity() bool {
	if d.TrackCapacity != nil {
		return *d.TrackCapacity
	}
	return len(d.Capacity) > 0
}

// isTemplate reports whether a volume is made of a claim template of its stateful set.
func (v podVolume) isTemplate(w *workload) bool {
	return w.StatefulSet != "" && v.Claim == "" && !v.Ephemeral
}

// ownClaims is how many claims each pod has of its own.
func (w *workload) ownClaims() int {
	n := 0
	for _, v := range w.Volumes {
		if v.Claim == "" {
			n++
		}
	}
	for _, p := range w.Devices {
		if p.isTemplate() {
			n++
		}
	}
	return n
}
