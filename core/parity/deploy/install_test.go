package deploy

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"orrery/core/parity/apiserver"
)

// cluster is a real API server, and Helm on it.
type cluster struct {
	t      *testing.T
	server *apiserver.Server
	client kubernetes.Interface
	helm   *action.Configuration
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	klog.SetLogger(logr.Discard())
	server, err := apiserver.New(apiserver.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	c := &cluster{t: t, server: server, helm: &action.Configuration{}}
	if c.client, err = server.Client(apiserver.Admin); err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := server.Kubeconfig(apiserver.Admin)
	if err != nil {
		t.Fatal(err)
	}
	flags := genericclioptions.NewConfigFlags(false)
	in := namespace
	flags.KubeConfig, flags.Namespace = &kubeconfig, &in
	if err := c.helm.Init(flags, namespace, "secret", t.Logf); err != nil {
		t.Fatal(err)
	}
	return c
}

// operator makes the kinds of the Prometheus operator known, as its own definitions do, with any fields.
func (c *cluster) operator() {
	c.t.Helper()
	for kind, plural := range map[string]string{"ServiceMonitor": "servicemonitors", "PrometheusRule": "prometheusrules"} {
		definition := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": plural + ".monitoring.coreos.com"},
			"spec": map[string]any{
				"group": "monitoring.coreos.com", "scope": "Namespaced", "names": map[string]any{"kind": kind, "plural": plural},
				"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
					"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
				}}},
			},
		}}
		client, err := dynamic.NewForConfig(c.server.Config(apiserver.Admin))
		if err != nil {
			c.t.Fatal(err)
		}
		definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
		if _, err := definitions.Create(c.t.Context(), definition, metav1.CreateOptions{}); err != nil {
			c.t.Fatal(err)
		}
		watch, err := definitions.Watch(c.t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + definition.GetName()})
		if err != nil {
			c.t.Fatal(err)
		}
		for event := range watch.ResultChan() {
			conditions, _, _ := unstructured.NestedSlice(event.Object.(*unstructured.Unstructured).Object, "status", "conditions")
			if slices.ContainsFunc(conditions, func(c any) bool {
				at := c.(map[string]any)
				return at["type"] == "Established" && at["status"] == "True"
			}) {
				break
			}
		}
		watch.Stop()
	}
}

// loadedFor returns the chart for a server that was built as a module, and has no version that the chart could ask for.
func loadedFor(t *testing.T, c *cluster) *chart.Chart {
	t.Helper()
	version, err := c.client.Discovery().ServerVersion()
	if err != nil || !strings.HasPrefix(version.GitVersion, "v0.0.0") {
		t.Fatalf("the server has the version %v, %v: the chart may ask for it", version, err)
	}
	of := loaded(t)
	of.Metadata.KubeVersion = ""
	return of
}

func TestChart_IsInstalled(t *testing.T) {
	c := newCluster(t)
	c.operator()
	install := action.NewInstall(c.helm)
	install.ReleaseName, install.Namespace, install.CreateNamespace = "scheduler", namespace, true
	release, err := install.Run(loadedFor(t, c), set(t, "monitoring: {enabled: true}"))
	if err != nil {
		t.Fatal(err)
	}
	if notes := release.Info.Notes; !strings.Contains(notes, "Pods with schedulerName orrery are scheduled") || !strings.Contains(notes, "-n "+namespace) {
		t.Errorf("it says %s", notes)
	}
	c.rightsAre(t, printed(t, "--namespace="+namespace, "--monitoring"))
	c.runsInRestrictedNamespace()
	upgrade := action.NewUpgrade(c.helm)
	upgrade.Namespace = namespace
	if _, err := upgrade.Run("scheduler", loadedFor(t, c), set(t, everything+"replaceDefault: true\n")); err != nil {
		t.Fatal(err)
	}
	// The lease moved to kube-system, and with it the right to it: none is left behind.
	c.rightsAre(t, printed(t, "--namespace="+namespace, "--replace-default"))
	if _, err := action.NewUninstall(c.helm).Run("scheduler"); err != nil {
		t.Fatal(err)
	}
	if left := c.rights(); len(left) > 0 {
		t.Errorf("uninstalled, there are still %q", slices.Sorted(maps.Keys(left)))
	}
}

// rights returns the rules and subjects of all roles and bindings with the label of the manifests.
func (c *cluster) rights() map[string]any {
	c.t.Helper()
	labelled := metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=orrery"}
	all, rbac := map[string]any{}, c.client.RbacV1()
	clusterRoles, err := rbac.ClusterRoles().List(c.t.Context(), labelled)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, o := range clusterRoles.Items {
		all["ClusterRole  "+o.Name] = o.Rules
	}
	clusterBindings, err := rbac.ClusterRoleBindings().List(c.t.Context(), labelled)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, o := range clusterBindings.Items {
		all["ClusterRoleBinding  "+o.Name] = []any{o.RoleRef, o.Subjects}
	}
	roles, err := rbac.Roles("").List(c.t.Context(), labelled)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, o := range roles.Items {
		all["Role "+o.Namespace+" "+o.Name] = o.Rules
	}
	bindings, err := rbac.RoleBindings("").List(c.t.Context(), labelled)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, o := range bindings.Items {
		all["RoleBinding "+o.Namespace+" "+o.Name] = []any{o.RoleRef, o.Subjects}
	}
	return all
}

// rightsAre compares the rights on the server with those of objects: there are these, and no others.
func (c *cluster) rightsAre(t *testing.T, want objects) {
	t.Helper()
	client, err := dynamic.NewForConfig(c.server.Config(apiserver.Admin))
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]map[string]any{}
	for name, o := range want {
		if !strings.Contains(o["apiVersion"].(string), "rbac.authorization.k8s.io/") {
			continue
		}
		u := &unstructured.Unstructured{Object: o}
		kind := strings.ToLower(u.GetKind()) + "s"
		of := client.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: kind})
		got, err := of.Namespace(u.GetNamespace()).Get(t.Context(), u.GetName(), metav1.GetOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wanted[name] = nil
		for _, field := range []string{"rules", "roleRef"} {
			if diff := cmp.Diff(o[field], got.Object[field]); diff != "" {
				t.Errorf("%s of %s differ from what is printed (-printed +installed):\n%s", field, name, diff)
			}
		}
		subjects, _ := o["subjects"].([]any)
		theirs, _ := got.Object["subjects"].([]any)
		if len(subjects) != len(theirs) {
			t.Errorf("%s is of %v, want %v", name, theirs, subjects)
			continue
		}
		for i, subject := range subjects {
			if diff := cmp.Diff(subject, theirs[i]); diff != "" {
				t.Errorf("a subject of %s differs:\n%s", name, diff)
			}
		}
	}
	if got, want := slices.Sorted(maps.Keys(c.rights())), slices.Sorted(maps.Keys(wanted)); !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
}

// runsInRestrictedNamespace creates a pod of the Deployment where the server enforces the restricted standard.
func (c *cluster) runsInRestrictedNamespace() {
	c.t.Helper()
	ctx := c.t.Context()
	label := []byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}`)
	if _, err := c.client.CoreV1().Namespaces().Patch(ctx, namespace, "application/merge-patch+json", label, metav1.PatchOptions{}); err != nil {
		c.t.Fatal(err)
	}
	d, err := c.client.AppsV1().Deployments(namespace).Get(ctx, "orrery", metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	create := func(spec v1.PodSpec) error {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "replica", Labels: d.Spec.Template.Labels}, Spec: spec}
		_, err := c.client.CoreV1().Pods(namespace).Create(context.Background(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	if err := create(d.Spec.Template.Spec); err != nil {
		c.t.Errorf("the server refuses a pod of the Deployment: %v", err)
	}
	careless := *d.Spec.Template.Spec.DeepCopy()
	careless.SecurityContext = nil
	if err := create(careless); err == nil || !strings.Contains(err.Error(), "violates PodSecurity") {
		c.t.Errorf("the server takes a careless pod: %v", err)
	}
}
