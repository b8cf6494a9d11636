package serve

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/klog/v2"

	"orrery/core/parity/oracle"
	"orrery/core/parity/oracle/claimserver"
	"orrery/core/parity/oracle/informers"
)

// client records the calls of kube-scheduler. All calls succeed, except those that are to fail.
type client struct {
	clientset.Interface
	corev1.CoreV1Interface
	scheduler *scheduler
	claims    *claimserver.Server

	mu                               sync.Mutex // kube-scheduler binds and preempts in goroutines
	calls                            []oracle.Call
	written                          []informers.Object // volumes and claims
	events                           []oracle.Event
	failingBindings, failingClearing map[string]bool // by names of which the next binding or write, or clearing of a nomination, fails
}

func newClient(c *oracle.Case, s *scheduler) *client {
	failingClaims := set(c.Refused)
	return &client{
		scheduler: s, failingBindings: set(c.Refused), failingClearing: set(c.Uncleared),
		claims: &claimserver.Server{
			Stored: func(name string) *resourcev1.ResourceClaim { return s.objects.claims[name] },
			NextVersion: func() string {
				s.version++
				return strconv.Itoa(s.version)
			},
			Fails: func(_, name string) bool {
				fails := failingClaims[name]
				delete(failingClaims, name)
				return fails
			},
			Written: map[string]*resourcev1.ResourceClaim{},
		},
	}
}

func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// errTooBusy is the error of a call that fails.
var errTooBusy = errors.New("the server is too busy")

func (c *client) CoreV1() corev1.CoreV1Interface { return c }

func (c *client) Pods(namespace string) corev1.PodInterface {
	return pods{client: c, namespace: namespace}
}

func (c *client) PersistentVolumes() corev1.PersistentVolumeInterface { return volumeWrites{client: c} }

func (c *client) PersistentVolumeClaims(string) corev1.PersistentVolumeClaimInterface {
	return claimWrites{client: c}
}

// Events are those of the tracker of device taints, which reports expressions that fail.
func (c *client) Events(string) corev1.EventInterface { return nil }

// ResourceV1 serves claims for devices.
func (c *client) ResourceV1() resourceclient.ResourceV1Interface {
	return claimserver.Client{Server: c.claims}.ResourceV1()
}

func (c *client) WithLogger(klog.Logger) events.EventRecorderLogger { return c }

// Eventf makes the client an event recorder.
func (c *client) Eventf(regarding, _ runtime.Object, kind, reason, action, note string, args ...any) {
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := ""
	if object, is := regarding.(metav1.Object); is {
		name = object.GetName()
	}
	c.events = append(c.events, oracle.Event{Pod: name, Type: kind, Reason: reason, Action: action, Note: note})
}

func (c *client) call(one oracle.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, one)
}

// fails reports whether the next call about this name has to fail.
func (c *client) fails(name string, failing map[string]bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	fails := failing[name]
	delete(failing, name)
	return fails
}

type volumeWrites struct {
	corev1.PersistentVolumeInterface
	client *client
}

func (w volumeWrites) Update(_ context.Context, pv *v1.PersistentVolume, _ metav1.UpdateOptions) (*v1.PersistentVolume, error) {
	// A volume that names the claim already may need no change: such a write does not fail.
	after, err := w.client.write(pv, metav1.HasAnnotation(pv.ObjectMeta, volume.AnnBoundByController))
	if err != nil {
		return nil, err
	}
	return after.(*v1.PersistentVolume), nil
}

type claimWrites struct {
	corev1.PersistentVolumeClaimInterface
	client *client
}

func (w claimWrites) Update(_ context.Context, claim *v1.PersistentVolumeClaim, _ metav1.UpdateOptions) (*v1.PersistentVolumeClaim, error) {
	after, err := w.client.write(claim, true)
	if err != nil {
		return nil, err
	}
	return after.(*v1.PersistentVolumeClaim), nil
}

// write returns a written object as the API server has it: in a new version, if anything changed.
func (c *client) write(object informers.Object, mayFail bool) (informers.Object, error) {
	if mayFail && c.fails(object.GetName(), c.failingBindings) {
		return nil, errTooBusy
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written = append(c.written, object)
	if reflect.DeepEqual(object, c.scheduler.objects.volumes[keyOf(object)]) {
		return object, nil
	}
	c.scheduler.version++
	after := object.DeepCopyObject().(informers.Object)
	after.SetResourceVersion(strconv.Itoa(c.scheduler.version))
	return after, nil
}

type pods struct {
	corev1.PodInterface
	client    *client
	namespace string
}

func (p pods) Bind(_ context.Context, b *v1.Binding, _ metav1.CreateOptions) error {
	if p.client.fails(b.Name, p.client.failingBindings) {
		return errTooBusy
	}
	p.client.call(oracle.Call{Namespace: p.namespace, Name: b.Name, Bind: b.Target.Name})
	return nil
}

func (p pods) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	p.client.call(oracle.Call{Namespace: p.namespace, Name: name, Delete: true})
	return nil
}

func (p pods) Patch(_ context.Context, name string, _ types.PatchType, patch []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	if string(patch) == clearedNomination && p.client.fails(name, p.client.failingClearing) {
		return nil, errTooBusy
	}
	p.client.call(oracle.Call{Namespace: p.namespace, Name: name, Patch: string(patch)})
	return &v1.Pod{}, nil
}

// clearedNomination is the patch of a pod that clears its nomination, and nothing else.
const clearedNomination = `{"status":{"nominatedNodeName":null}}`
