package app

import (
	"cmp"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/process/observe"
	"orrery/core/safe/footprint"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace/reach"
	"orrery/core/trace/segments"
	"orrery/core/world"
)

const (
	observerName = "orrery-observe"
	// storageDefault holds some days of a busy cluster, and weeks of a quiet one.
	storageDefault = "10Gi"
	// ephemeral is how large the recording gets without a volume of its own.
	ephemeral = 2 << 30
	// recordedShare of a volume is for segments, in tenths: the file system takes some, and the next segment begins before the oldest goes.
	recordedShare = 8
)

// observeValues are the values of the template that only an observer has.
type observeValues struct {
	ComponentLabel, Component string
	// Storage is the size of the volume; empty for one that ends with the pod, of EmptyDirSize. RecordSize is for the recording in it.
	Storage, EmptyDirSize, RecordSize string
}

// printObserver prints the manifests of an observer.
func (f *manifestFlags) printObserver(v manifestValues, plugins framework.Registry) ([]byte, error) {
	v.Name, v.Job, v.MetricPaths = observerName, observerName, []string{"/metrics"}
	releases := modelled.All()
	if f.kubernetes.release != nil {
		releases = []modelled.Release{*f.kubernetes.release}
		v.Emulated = releases[0].String()
	}
	var kinds []world.Kind
	for _, r := range releases {
		of, err := observe.Kinds(config.Default(config.FeaturesOf(r)), plugins)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, of...)
	}
	v.Rights = readingRights("Kinds that the plugins of the default configuration read, owners of pods, and the lease of the scheduler. Add those of your own plugins.", world.SortKinds(kinds))
	_, v.ReachLeaderRights = attachRights(v.Lease, v.Name)
	v.ComponentLabel, v.Component = reach.ComponentLabel, reach.Observer
	bytes, err := f.storageBytes()
	if err != nil {
		return nil, err
	}
	v.EmptyDirSize = resource.NewQuantity(ephemeral, resource.BinarySI).String()
	if bytes > 0 {
		v.Storage = resource.NewQuantity(bytes, resource.BinarySI).String()
	}
	v.RecordSize = fmt.Sprintf("%dMi", cmp.Or(bytes, ephemeral)/10*recordedShare>>20)
	text, err := fill("observe.yaml", v)
	if err != nil || !f.monitoring {
		return text, err
	}
	alerts, err := fillMonitoring("monitoring_observe.yaml", v, observerDashboard())
	return append(text, alerts...), err
}

// storageBytes returns the size of the volume; zero for none.
func (f *manifestFlags) storageBytes() (int64, error) {
	const least = 2 * segments.MinBytes
	wrong := fmt.Errorf("--storage %q: write a size of at least %dMi, like %s, or 0 for a recording that ends with the pod", printable.Line(f.storage, 40), least>>20, storageDefault)
	if footprint.HugeExponent(f.storage) {
		return 0, wrong
	}
	q, err := resource.ParseQuantity(f.storage)
	if err != nil {
		return 0, wrong
	}
	bytes, whole := q.AsInt64()
	if !whole || bytes < 0 || bytes > 0 && bytes < least {
		return 0, wrong
	}
	return bytes, nil
}

// checkObserve refuses flags that have no meaning for an observer.
func (f *manifestFlags) checkObserve() error {
	switch {
	case f.observe && f.replaceDefault:
		return errors.New("--observe and --replace-default exclude each other: an observer changes nothing")
	case f.observe && f.shadow:
		return errors.New("--observe and --shadow exclude each other: --shadow prints rights to read only")
	case f.observe && len(f.gates)+len(f.controllers) > 0:
		return errors.New("--observe takes no --feature-gates and no --controllers: an observer decides by its configuration file, and acts on nothing")
	case !f.observe && f.storage != storageDefault && f.storage != "":
		return errors.New("--storage is for --observe, which is not given")
	}
	return nil
}
