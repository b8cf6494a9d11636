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

// scheduler is the user a scheduler comes as.
const scheduler = "system:kube-scheduler"

// cluster is an API server and what makes a cluster of it.
type cluster struct {
	options
	server *apiserver.Server
	group  sync.WaitGroup
}

// writeKubeconfig writes an administrator's, with everything in it, and says how to remove it.
func (c *cluster) writeKubeconfig() (file string, remove func(), err error) {
	file, err = c.server.Kubeconfig(apiserver.Admin)
	if err != nil {
		return "", nil, err
	}
	if c.kubeconfig == "" {
		return file, func() {}, nil
	}
	if _, err := os.Stat(c.kubeconfig); !errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("writing the kubeconfig: there is a %q already: name a file that is not", c.kubeconfig)
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

// start fills the cluster and sets to work, until the context ends, what a cluster has besides an API server.
func (c *cluster) start(ctx context.Context) error {
	client, err := c.server.Client(apiserver.Admin)
	if err != nil {
		return err
	}
	if err := c.furnish(ctx, client); err != nil {
		return err
	}
	c.group.Go(func() { kubelets(ctx, client) })
	c.group.Go(func() { (&owner{client: client, churn: c.churn}).run(ctx) })
	return nil
}

// kubelets are there until the end; a watch that ends is begun anew.
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

// furnish creates what is there from the start.
func (c *cluster) furnish(ctx context.Context, client kubernetes.Interface) error {
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

// node is one of two sizes; every fourth has a fast disk.
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
