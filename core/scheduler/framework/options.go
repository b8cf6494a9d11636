package framework

import (
	"time"

	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/volumes"
)

// Options are a profile's dependencies. A profile that filters needs the snapshot. Everything else may be missing; a plugin
// that uses a missing part gets nil.
type Options struct {
	Snapshot  fwk.SharedLister
	Nominator fwk.PodNominator
	Activator fwk.PodActivator
	// Waiting is the list of pods that wait for Permit plugins. The profiles of one engine share it, so that a plugin of any
	// profile can find every waiting pod; nil makes one.
	Waiting *WaitingPods
	Emitter Emitter
	// Memory serves MemoryPreemption.
	Memory  MemoryPreemption
	Rand    Rand
	Clock   Clock
	Changes ObjectChanges

	Informers  informers.SharedInformerFactory
	Client     clientset.Interface
	KubeConfig *restclient.Config
	Events     events.EventRecorderLogger
	Extenders  []fwk.Extender
	// AwaitsExtenders reports, after a call of a PostFilter plugin, whether it asked an extender that has not answered. Nil is no.
	AwaitsExtenders func() bool
	DRA             fwk.SharedDRAManager
	CSI             fwk.CSIManager
	Volumes         *volumes.State
	Devices         *devices.State
	Gangs           *gangs.State

	Features config.Features
	// NoReuse says that every verdict and score is computed afresh, also where plugins promise that they are as before.
	NoReuse bool

	// HandleOf returns the handle that a plugin gets, which is the profile or wraps it. Nil gives the profile to all.
	HandleOf func(plugin string, p *Profile) (fwk.Handle, error)
	// OnPanic receives the panics of plugins. PreBind and Bind plugins may panic on other goroutines.
	OnPanic func(*PluginPanic)

	// Stopwatch reads a clock that only goes forward. Nothing is timed unless both it and OnTiming are set.
	Stopwatch func() time.Duration
	OnTiming  func(Timing)
}
