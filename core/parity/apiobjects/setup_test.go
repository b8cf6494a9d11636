package apiobjects

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"orrery/core/parity/apiserver"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// started is the API server. It has all gates of devices, and two plugins that are off by default.
var started *apiserver.Server

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
	if err := utilfeature.DefaultMutableFeatureGate.Set("DRADeviceTaints=true,DRAConsumableCapacity=true,DRAPartitionableDevices=true"); err != nil {
		return 0, err
	}
	started, err = apiserver.New(apiserver.Options{
		Dir: dir, Flags: []string{"--enable-admission-plugins=LimitPodHardAntiAffinityTopology,NodeRestriction"},
	})
	if err != nil {
		return 0, err
	}
	defer func() { _ = started.Close() }()
	return m.Run(), nil
}

// kubeletOf is the user that a node's kubelet is.
func kubeletOf(node string) rest.ImpersonationConfig {
	return rest.ImpersonationConfig{UserName: "system:node:" + node, Groups: []string{user.NodesGroup, user.SystemPrivilegedGroup}}
}

// try creates an object on the started API server as a user, the administrator if the user is empty, and stores nothing.
func try(o world.Object, as rest.ImpersonationConfig) error {
	config := started.Config(apiserver.Admin)
	config.Impersonate = as
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return err
	}
	kind := memory.KindOf(o)
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(memory.Resource(kind).GroupVersion().WithKind(string(kind)))
	var objects dynamic.ResourceInterface = client.Resource(memory.Resource(kind))
	if memory.IsNamespaced(kind) {
		objects = client.Resource(memory.Resource(kind)).Namespace(o.GetNamespace())
	}
	_, err = objects.Create(context.Background(), u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}
