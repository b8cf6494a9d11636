package apiobjects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/client-go/dynamic"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/draw"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var dryRun = []string{metav1.DryRunAll}

func resourceOf(o world.Object) dynamic.ResourceInterface {
	resource := server.Resource(memory.Resource(memory.KindOf(o)))
	if memory.IsNamespaced(memory.KindOf(o)) {
		return resource.Namespace(o.GetNamespace())
	}
	return resource
}

func unstructuredOf(o world.Object) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	kind := memory.KindOf(o)
	u.SetGroupVersionKind(memory.Resource(kind).GroupVersion().WithKind(string(kind)))
	return u, nil
}

// create creates an object on the started API server, or only tries to.
func create(o world.Object, try bool) (*unstructured.Unstructured, error) {
	u, err := unstructuredOf(o)
	if err != nil {
		return nil, err
	}
	options := metav1.CreateOptions{}
	if try {
		options.DryRun = dryRun
	}
	return resourceOf(o).Create(context.Background(), u, options)
}

// eachKind compares objects of each kind. It fails if they are too uniform: all good, or all bad.
func eachKind(t *testing.T, compare func(r *difftest.Source, kind world.Kind) error) {
	good, bad := 0, 0
	for kind := range draw.All {
		t.Run(string(kind), func(t *testing.T) {
			difftest.Check(t, comparisons.APIServer.Cases, func(r *difftest.Source) {
				if compare(r, kind) == nil {
					good++
				} else {
					bad++
				}
			})
		})
	}
	if t.Logf("%d are good, %d are bad", good, bad); good == 0 || bad == 0 {
		t.Error("the objects are too uniform")
	}
}

// drawn is an object that is not stored yet, as it is when it has been sent.
func drawn(r *difftest.Source, f draw.Filler, kind world.Kind) world.Object {
	o, err := memory.NewObject(kind)
	if err != nil {
		r.Fatalf("%v", err)
	}
	if err := json.Unmarshal(encoded(draw.All[kind](f)), o); err != nil {
		r.Fatalf("%v", err)
	}
	o.SetUID("")
	o.SetResourceVersion("")
	if pod, is := o.(*v1.Pod); is && pod.Spec.RuntimeClassName != nil && strings.Contains(*pod.Spec.RuntimeClassName, "/") {
		pod.Spec.RuntimeClassName = nil // upstream asks for it by a path
	}
	if pod, is := o.(*v1.Pod); is {
		pressure := v1.Toleration{Key: v1.TaintNodeMemoryPressure, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, pressure) // which the simulated server would add
	}
	if memory.IsNamespaced(kind) {
		o.SetNamespace(difftest.Pick(r, "default", "default", "limited", "quotas"))
	}
	return o
}

// TestServer_SameNewObjects compares which new objects are refused, and for which fields.
func TestServer_SameNewObjects(t *testing.T) {
	eachKind(t, func(r *difftest.Source, kind world.Kind) error {
		o := drawn(r, draw.New(r), kind)
		_, theirs := create(o, true)
		_, ours := simulated.Fork().Create(o)
		same(r, o, theirs, ours)
		return theirs
	})
}

// TestServer_SameChanges is TestServer_SameNewObjects for changes of objects.
func TestServer_SameChanges(t *testing.T) {
	number := 0
	eachKind(t, func(r *difftest.Source, kind world.Kind) error {
		f := draw.New(r)
		old := drawn(r, f, kind)
		if class, is := old.(*schedulingv1.PriorityClass); is {
			class.GlobalDefault = false // of those of two cases one would be too many
		}
		number++
		old.SetName(fmt.Sprintf("o-%d", number))
		old.SetNamespace(strings.Replace(old.GetNamespace(), "quotas", "default", 1)) // what is created there would be charged
		if kind == world.LimitRange || kind == memory.ResourceQuota {
			old.SetNamespace(metav1.NamespacePublic) // in which there are no pods
		}
		copied := simulated.Fork()
		made, ours := copied.Create(old)
		stored, theirs := create(old, false)
		same(r, old, theirs, ours)
		if theirs != nil || kind == world.Job {
			return theirs // a change of a job would have to keep the labels and the selector that the server gave it
		}
		defer func() { _ = resourceOf(old).Delete(context.Background(), old.GetName(), *metav1.NewDeleteOptions(0)) }()
		if pod, is := made.(*v1.Pod); is {
			ours, theirs = changePod(r, copied, pod)
		} else {
			changed := drawn(r, f, kind)
			changed.SetName(old.GetName())
			changed.SetNamespace(old.GetNamespace())
			ours, theirs = change(r, copied, changed, stored)
		}
		same(r, old, theirs, ours)
		return theirs
	})
}

// changePod changes a pod on both sides. The started server adds fields to pods that nothing here reads, so it gets the change only.
func changePod(r *difftest.Source, copied *memory.Cluster, pod *v1.Pod) (ours, theirs error) {
	changed := draw.ChangedPod(r, pod)
	changed.Name, changed.UID = pod.Name, pod.UID
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(encoded(pod), encoded(changed), encoded(pod))
	if err != nil {
		r.Fatalf("%v", err)
	}
	_, theirs = resourceOf(pod).Patch(context.Background(), pod.Name, types.MergePatchType, patch, metav1.PatchOptions{DryRun: dryRun})
	_, ours = copied.Update(changed)
	return ours, theirs
}

func encoded(o any) []byte {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return raw
}

func change(r *difftest.Source, copied *memory.Cluster, changed world.Object, stored *unstructured.Unstructured) (ours, theirs error) {
	_, ours = copied.Update(changed)
	u, err := unstructuredOf(changed)
	if err != nil {
		r.Fatalf("%v", err)
	}
	u.SetResourceVersion(stored.GetResourceVersion())
	_, theirs = resourceOf(changed).Update(context.Background(), u, metav1.UpdateOptions{DryRun: dryRun})
	return ours, theirs
}

func same(r *difftest.Source, o world.Object, theirs, ours error) {
	if diff := cmp.Diff(verdict(theirs), verdict(ours)); diff != "" {
		r.Fatalf("the verdicts differ (-upstream +orrery):\n%s\ntheirs: %v\nours: %v\n%T: %s", diff, theirs, ours, o, difftest.JSON(o))
	}
}

// verdict is why an object is refused: the fields, each with the kind of its error, or what a plugin says.
func verdict(err error) []string {
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Reason != metav1.StatusReasonInvalid || status.Status().Details == nil {
		return []string{string(apierrors.ReasonForError(err)) + ": " + err.Error()}
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		fields = append(fields, strings.TrimSpace(cause.Field+": "+string(cause.Type)))
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}
