package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/klog/v2"

	"orrery/core/parity/oracle/claimserver"
	"orrery/core/world"
)

// recordingClient records the calls of kube-scheduler. All calls succeed, except those that are to fail.
type recordingClient struct {
	clientset.Interface
	corev1.CoreV1Interface

	mu      sync.Mutex // kube-scheduler binds and preempts in goroutines
	calls   []apiCall
	written []world.Object // volumes and claims
	claims  *claimserver.Server
	events  []string

	failingBindings  map[string]bool // names of pods, volumes and claims whose next binding or write fails
	failingClearings map[string]bool // names of pods whose next clearing of a nomination fails
	// stored returns a written volume or claim as the API server has it: in a new version, if anything changed.
	stored func(world.Object) world.Object
}

func (p *decisionCase) newClient(c *clusterCase) *recordingClient {
	return &recordingClient{failingBindings: set(c.Refused), failingClearings: set(c.Uncleared), stored: p.stored}
}

// errTooBusy is the error of a call that fails.
var errTooBusy = errors.New("the server is too busy")

// apiCall is one write call. One of patch, bind and delete is set.
type apiCall struct {
	pod    types.NamespacedName
	patch  []byte
	bind   string // the node
	delete bool
}

func (c *recordingClient) CoreV1() corev1.CoreV1Interface { return c }
func (c *recordingClient) Pods(namespace string) corev1.PodInterface {
	return pods{client: c, namespace: namespace}
}

// Events are those of the tracker of device taints, which reports expressions that fail.
func (c *recordingClient) Events(string) corev1.EventInterface { return nil }

// ResourceV1 serves claims for devices.
func (c *recordingClient) ResourceV1() resourceclient.ResourceV1Interface {
	return claimserver.Client{Server: c.claims}.ResourceV1()
}

func (c *recordingClient) PersistentVolumes() corev1.PersistentVolumeInterface {
	return volumeWrites{client: c}
}

func (c *recordingClient) PersistentVolumeClaims(string) corev1.PersistentVolumeClaimInterface {
	return claimWrites{client: c}
}

func (c *recordingClient) WithLogger(klog.Logger) events.EventRecorderLogger { return c }

// Eventf makes the client an event recorder.
func (c *recordingClient) Eventf(regarding, _ runtime.Object, kind, reason, action, note string, args ...any) {
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, fmt.Sprint(regarding.(*v1.Pod).Name, " ", kind, " ", reason, " ", action, ": ", plain(note)))
}

func (c *recordingClient) failsBinding(pod string) bool { return c.fails(pod, c.failingBindings) }

// fails reports whether the next call about this name has to fail.
func (c *recordingClient) fails(name string, failing map[string]bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	fails := failing[name]
	delete(failing, name)
	return fails
}

// writesOthers reports whether pods other than this one have just been written.
func (c *recordingClient) writesOthers(pod *v1.Pod) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.calls, func(call apiCall) bool {
		return call.pod != types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	})
}

type volumeWrites struct {
	corev1.PersistentVolumeInterface
	client *recordingClient
}

func (v volumeWrites) Update(_ context.Context, pv *v1.PersistentVolume, _ metav1.UpdateOptions) (*v1.PersistentVolume, error) {
	// A volume that names the claim already may need no change, and Orrery does not write it then.
	if err := v.client.write(pv, metav1.HasAnnotation(pv.ObjectMeta, volume.AnnBoundByController)); err != nil {
		return nil, err
	}
	return v.client.stored(pv).(*v1.PersistentVolume), nil
}

type claimWrites struct {
	corev1.PersistentVolumeClaimInterface
	client *recordingClient
}

func (c claimWrites) Update(_ context.Context, claim *v1.PersistentVolumeClaim, _ metav1.UpdateOptions) (*v1.PersistentVolumeClaim, error) {
	if err := c.client.write(claim, true); err != nil {
		return nil, err
	}
	return c.client.stored(claim).(*v1.PersistentVolumeClaim), nil
}

func (c *recordingClient) write(object world.Object, mayFail bool) error {
	if mayFail && c.failsBinding(object.GetName()) {
		return errTooBusy
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written = append(c.written, object)
	return nil
}

type pods struct {
	corev1.PodInterface
	client    *recordingClient
	namespace string
}

func (p pods) write(name string, c apiCall) {
	c.pod = types.NamespacedName{Namespace: p.namespace, Name: name}
	p.client.mu.Lock()
	defer p.client.mu.Unlock()
	p.client.calls = append(p.client.calls, c)
}

func (p pods) Bind(_ context.Context, b *v1.Binding, _ metav1.CreateOptions) error {
	if p.client.failsBinding(b.Name) {
		return errTooBusy
	}
	p.write(b.Name, apiCall{bind: b.Target.Name})
	return nil
}

func (p pods) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	p.write(name, apiCall{delete: true})
	return nil
}

func (p pods) Patch(_ context.Context, name string, _ types.PatchType, patch []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	if string(patch) == clearedNomination && p.client.fails(name, p.client.failingClearings) {
		return nil, errTooBusy
	}
	p.write(name, apiCall{patch: []byte(plain(string(patch)))})
	return &v1.Pod{}, nil
}

// clearedNomination is the patch of a pod that clears its nomination, and nothing else.
const clearedNomination = `{"status":{"nominatedNodeName":null}}`
