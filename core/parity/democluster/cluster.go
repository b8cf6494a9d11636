package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"orrery/core/parity/apiserver"
)

// scheduler is the user of kube-scheduler.
const scheduler = "system:kube-scheduler"

// cluster is an API server with nodes, kubelets and workloads.
type cluster struct {
	options
	server *apiserver.Server
	group  sync.WaitGroup
}

// writeKubeconfig writes the administrator's kubeconfig, which contains all certificates, and returns a function to remove it.
func (c *cluster) writeKubeconfig() (file string, remove func(), err error) {
	file, err = c.server.Kubeconfig(apiserver.Admin)
	if err != nil {
		return "", nil, err
	}
	if c.kubeconfig == "" {
		return file, func() {}, nil
	}
	if _, err := os.Stat(c.kubeconfig); !errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("writing the kubeconfig: %q exists already: name a file that does not exist", c.kubeconfig)
	}
	config, err := clientcmd.LoadFromFile(file)
	if err == nil {
		err = clientcmdapi.FlattenConfig(config)
	}
	if err == nil {
		err = clientcmd.WriteToFile(*config, c.kubeconfig)
	}
	if err != nil {
		return "", nil, fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return c.kubeconfig, func() { _ = os.Remove(c.kubeconfig) }, nil
}

// start creates the objects and runs the kubelets and the controller until the context ends.
func (c *cluster) start(ctx context.Context) error {
	client, err := c.server.Client(apiserver.Admin)
	if err != nil {
		return err
	}
	if err := c.createInitial(ctx, client); err != nil {
		return err
	}
	c.group.Go(func() { kubelets(ctx, client) })
	c.group.Go(func() { (&owner{client: client, churn: c.churn}).run(ctx) })
	return nil
}

// kubelets runs the kubelets until the context ends, and restarts their watch when it ends.
func kubelets(ctx context.Context, client kubernetes.Interface) {
	for ctx.Err() == nil {
		if err := apiserver.Kubelet(ctx, client); err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// createInitial creates the initial objects.
func (c *cluster) createInitial(ctx context.Context, client kubernetes.Interface) error {
	for i := range c.nodes {
		if _, err := client.CoreV1().Nodes().Create(ctx, node(i), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating node %d: %w", i, err)
		}
	}
	for _, p := range []*schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "vital"}, Value: 100_000},
		{ObjectMeta: metav1.ObjectMeta{Name: "can-wait"}, Value: -10},
	} {
		if _, err := client.SchedulingV1().PriorityClasses().Create(ctx, p, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating priority class %s: %w", p.Name, err)
		}
	}
	known := map[string]bool{}
	for _, w := range workloads(c.pods) {
		if namespace := w.Namespace; !known[namespace] {
			known[namespace] = true
			about := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
			if _, err := client.CoreV1().Namespaces().Create(ctx, about, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("creating namespace %s: %w", namespace, err)
			}
		}
		if _, err := client.AppsV1().ReplicaSets(w.Namespace).Create(ctx, w, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating workload %s: %w", w.Name, err)
		}
	}
	return nil
}

// node returns a node of one of two sizes; every fourth has a fast disk.
func node(i int) *v1.Node {
	cpu, memory := "8", "32Gi"
	if i%5 == 0 {
		cpu, memory = "16", "64Gi"
	}
	n := apiserver.Node(i, cpu, memory, "110")
	n.Labels["disk"] = "spinning"
	if i%4 == 0 {
		n.Labels["disk"] = "ssd"
	}
	n.Labels[v1.LabelOSStable], n.Labels[v1.LabelArchStable] = "linux", "amd64"
	return n
}
