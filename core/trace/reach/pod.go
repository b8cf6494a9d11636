package reach

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"

	"orrery/core/safe/printable"
)

// Pod is a pod that runs a scheduler.
type Pod struct{ Namespace, Name string }

func (p Pod) String() string { return "pod " + printable.Line(p.Namespace+"/"+p.Name, 300) }

// Named returns the pod of a name, which has to run.
func Named(ctx context.Context, client clientset.Interface, namespace, name string) (Pod, error) {
	pod, err := client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return Pod{}, fmt.Errorf("there is no pod %s in namespace %s", printable.Line(name, 120), namespace)
	case err != nil:
		return Pod{}, missing(err, "get pods", namespace)
	}
	return running(pod)
}

// OfLeader returns the pod of the identity that leads, in a namespace.
func OfLeader(ctx context.Context, client clientset.Interface, namespace, identity string) (Pod, error) {
	name := hostOf(identity)
	pod, err := client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return Pod{}, fmt.Errorf("%s leads, and namespace %s has no pod of that name: name its namespace with -n, its Deployment as in deploy/NAME, or the address",
			printable.Line(identity, 120), namespace)
	case err != nil:
		return Pod{}, missing(err, "get pods", namespace)
	}
	return running(pod)
}

// ComponentLabel of a Deployment's pods is Observer if they run "orrery observe": then none of them leads.
const (
	ComponentLabel = "app.kubernetes.io/component"
	Observer       = "observer"
)

// OfDeployment returns the pod of a Deployment to attach to: the one that has the leading identity, or, of observers, the first that is ready.
// Only in the first case does it ask which identity leads.
func OfDeployment(ctx context.Context, client clientset.Interface, namespace, deployment string, leader func(context.Context) (string, error)) (Pod, error) {
	d, err := client.AppsV1().Deployments(namespace).Get(ctx, deployment, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return Pod{}, fmt.Errorf("there is no Deployment %s in namespace %s", printable.Line(deployment, 120), namespace)
	case err != nil:
		return Pod{}, missing(err, "get deployments (apps)", namespace)
	}
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil {
		return Pod{}, fmt.Errorf("reading the selector of Deployment %s/%s: %w", namespace, deployment, err)
	}
	observes, identity := d.Spec.Template.Labels[ComponentLabel] == Observer, ""
	if !observes {
		if identity, err = leader(ctx); err != nil {
			return Pod{}, err
		}
	}
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return Pod{}, missing(err, "list pods", namespace)
	}
	if observes {
		return readiest(pods.Items, namespace, deployment)
	}
	host := hostOf(identity)
	i := slices.IndexFunc(pods.Items, func(p v1.Pod) bool { return p.Name == host || p.Spec.HostNetwork && p.Spec.NodeName == host })
	if i < 0 {
		return Pod{}, fmt.Errorf("%s leads, which is none of the %d pods of Deployment %s/%s: another scheduler holds the lease, or the leader was just replaced",
			printable.Line(identity, 120), len(pods.Items), namespace, printable.Line(deployment, 120))
	}
	return running(&pods.Items[i])
}

// readiest returns the first pod that is ready, or else the first that runs: one that is not ready tells why.
func readiest(pods []v1.Pod, namespace, deployment string) (Pod, error) {
	if len(pods) == 0 {
		return Pod{}, fmt.Errorf("there are no pods of Deployment %s/%s", namespace, printable.Line(deployment, 120))
	}
	first := 0
	for i := range pods {
		if pods[i].Status.Phase != v1.PodRunning || pods[i].DeletionTimestamp != nil {
			continue
		}
		if slices.ContainsFunc(pods[i].Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodReady && c.Status == v1.ConditionTrue }) {
			return running(&pods[i])
		}
		first = i
	}
	return running(&pods[first])
}

func running(pod *v1.Pod) (Pod, error) {
	p := Pod{pod.Namespace, pod.Name}
	if pod.Status.Phase != v1.PodRunning {
		return p, fmt.Errorf("%s is %s, not Running", p, printable.Line(string(pod.Status.Phase), 40))
	}
	return p, nil
}

// missing names the rule that a refused request needs.
func missing(err error, rule, namespace string) error {
	if apierrors.IsForbidden(err) || strings.Contains(err.Error(), "forbidden") {
		return fmt.Errorf("the rule %q in namespace %s is missing: %w", rule, namespace, err)
	}
	return err
}
