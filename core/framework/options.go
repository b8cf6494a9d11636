package framework

import (
	"time"

	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
)

// Options is what a profile's surroundings provide. A profile that is to filter needs the snapshot. All else may be
// missing; a plugin that asks for a missing part gets nil.
type Options struct {
	Snapshot  fwk.SharedLister
	Nominator fwk.PodNominator
	Activator fwk.PodActivator
	// Waiting is the list of pods that wait for Permit plugins. Profiles of one engine share one, so that a plugin of
	// any profile can find every waiting pod; a profile that is given none has its own.
	Waiting *WaitingPods
	Actor   Actor
	Dice    Dice

	Informers  informers.SharedInformerFactory
	Client     clientset.Interface
	KubeConfig *restclient.Config
	Events     events.EventRecorder
	Extenders  []fwk.Extender
	DRA        fwk.SharedDRAManager
	CSI        fwk.CSIManager
	Workloads  fwk.WorkloadManager

	Features config.Features

	// Stopwatch reads a clock that only ever goes forward; the differences of two readings are durations. Nothing is
	// timed unless both it and Observer are there.
	Stopwatch func() time.Duration
	Observer  Observer
}
