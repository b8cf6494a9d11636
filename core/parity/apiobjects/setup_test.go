package apiobjects

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/klog/v2"

	"orrery/core/parity/apiserver"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/admission"
	"orrery/core/world/memory"
)

// server is the started API server, simulated the cluster beside it. What they have is the same.
var (
	server    dynamic.Interface
	simulated *memory.Cluster
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "orrery-apiobjects")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	// The simulated API server has all gates of devices, and those of workloads and declared features.
	if err := utilfeature.DefaultMutableFeatureGate.Set("GenericWorkload=true,NodeDeclaredFeatures=true,DRADeviceTaints=true,DRADeviceTaintRules=true,DRAConsumableCapacity=true," +
		"DRAPartitionableDevices=true,DRADeviceBindingConditions=true,DRAExtendedResource=true"); err != nil {
		return 0, err
	}
	started, err := apiserver.New(apiserver.Options{
		Dir: dir, Flags: []string{"--runtime-config=resource.k8s.io/v1alpha3=true,scheduling.k8s.io/v1alpha1=true"},
	})
	if err != nil {
		return 0, err
	}
	defer func() { _ = started.Close() }()
	if server, err = dynamic.NewForConfig(started.Config(apiserver.Admin)); err != nil {
		return 0, err
	}
	simulated = memory.New(memory.Options{Admission: admission.Options{Disable: []string{"TaintNodesByCondition"}}})
	if err := createBoth(); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// createBoth creates what admission reads: a namespace with limits, one with a quota that is nearly used up, and classes.
func createBoth() error {
	limits := v1.LimitRangeItem{
		Type: v1.LimitTypeContainer, Max: mk.Resources("cpu", "1"), Default: mk.Resources("cpu", "1"), DefaultRequest: mk.Resources("cpu", "1"),
	}
	q := &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "quotas", Name: "cpus"}}
	q.Spec.Hard = v1.ResourceList{"requests.cpu": mk.Resources("cpu", "2")["cpu"], "persistentvolumeclaims": mk.Resources("cpu", "0")["cpu"]}
	for _, o := range []world.Object{
		&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "limited"}}, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "quotas"}},
		&v1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: "limited", Name: "limits"}, Spec: v1.LimitRangeSpec{Limits: []v1.LimitRangeItem{limits}}},
		q,
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Value: 2},
		&nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Handler: "a", Overhead: &nodev1.Overhead{PodFixed: mk.Resources("cpu", "1")}},
	} {
		if _, err := create(o, false); err != nil {
			return err
		}
		if _, err := simulated.Create(o); err != nil {
			return err
		}
	}
	simulated.Advance(time.Second) // the controller of quotas runs
	o, err := simulated.Get(memory.ResourceQuota, "quotas", "cpus")
	if err != nil {
		return err
	}
	q.Status = o.(*v1.ResourceQuota).Status
	raw, err := unstructuredOf(q)
	if err != nil {
		return err
	}
	if _, err := resourceOf(q).UpdateStatus(context.Background(), raw, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return untilRefused()
}

// untilRefused waits until the plugins have seen the limits and the quota.
func untilRefused() error {
	for _, namespace := range []string{"limited", "quotas"} {
		pod := apiserver.Pod("probe", "3", "1Gi")
		pod.Namespace = namespace
		for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			if _, err := create(pod, true); apierrors.IsForbidden(err) || apierrors.IsInvalid(err) {
				break
			} else if time.Now().After(until) {
				return fmt.Errorf("the API server refuses nothing in the namespace %s: %w", namespace, err)
			}
		}
	}
	return nil
}
