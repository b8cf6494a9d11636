package live_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	cached "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"orrery/core/parity/apiserver"
	"orrery/core/parity/faultproxy"
)

// serviceAccount is the user as whom the printed Deployment runs; audit.go has its requests logged.
const serviceAccount = "system:serviceaccount:" + metav1.NamespaceSystem + ":orrery"

// installation is what "orrery manifests" prints, on the API server. Nothing runs a Deployment's pods there, so the test starts them as
// processes: with the container's arguments, the ConfigMap's files, and a token of the ServiceAccount. A kubeconfig names what a pod
// finds at fixed places, and each process has a port of its own.
type installation struct {
	*fixture
	proxy *faultproxy.Proxy
	args  []string // of the container
	// labels are those of the pods.
	labels map[string]string
	files  map[string]string
	token  string
}

// install creates the printed objects, until the test ends, and lets the replicas reach the API server through a proxy.
func (s *fixture) install(args ...string) *installation {
	s.t.Helper()
	p := s.exec(manifestArgs(append(args, "--namespace="+metav1.NamespaceSystem)...)...)
	if code := p.exit(); code != 0 {
		s.t.Fatalf("exit code %d: %s", code, p.output)
	}
	i := &installation{fixture: s}
	i.apply(p.output.String())
	for _, name := range []string{"orrery", "system:auth-delegator"} {
		i.awaitRole(serviceAccount, "", name)
	}
	for _, name := range []string{"orrery-election", "extension-apiserver-authentication-reader"} {
		i.awaitRole(serviceAccount, metav1.NamespaceSystem, name)
	}
	deployment, err := s.client.AppsV1().Deployments(metav1.NamespaceSystem).Get(s.ctx, "orrery", metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	i.readDeployment(deployment)
	token, err := s.client.CoreV1().ServiceAccounts(metav1.NamespaceSystem).CreateToken(s.ctx, deployment.Spec.Template.Spec.ServiceAccountName, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	i.token = token.Status.Token
	if i.proxy, err = faultproxy.New(server.Config(""), 1); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(i.proxy.Close)
	return i
}

func (i *installation) apply(printed string) {
	i.t.Helper()
	client, err := dynamic.NewForConfig(server.Config(apiserver.Admin))
	if err != nil {
		i.t.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached.NewMemCacheClient(i.client.Discovery()))
	for _, document := range strings.Split(printed, "\n---\n") {
		var object unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(document+"\n"), &object.Object); err != nil {
			i.t.Fatalf("%v in\n%s", err, document)
		}
		if len(object.Object) == 0 {
			continue // comments
		}
		kind := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			i.t.Fatal(err)
		}
		resource := client.Resource(mapping.Resource).Namespace(object.GetNamespace())
		if _, err := resource.Create(i.ctx, &object, metav1.CreateOptions{}); err != nil {
			i.t.Fatalf("creating %s %s: %v", kind.Kind, object.GetName(), err)
		}
		i.t.Cleanup(func() {
			err := resource.Delete(context.Background(), object.GetName(), metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				i.t.Error(err)
			}
		})
	}
}

func (i *installation) readDeployment(deployment *appsv1.Deployment) {
	i.t.Helper()
	if n := *deployment.Spec.Replicas; n != 2 {
		i.t.Errorf("the Deployment has %d replicas", n)
	}
	pod := deployment.Spec.Template.Spec
	i.args, i.labels = pod.Containers[0].Args, deployment.Spec.Template.Labels
	from := slices.IndexFunc(pod.Volumes, func(v v1.Volume) bool { return v.ConfigMap != nil })
	files, err := i.client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(i.ctx, pod.Volumes[from].ConfigMap.Name, metav1.GetOptions{})
	if err != nil {
		i.t.Fatal(err)
	}
	i.files = files.Data
}

// replica starts one of the Deployment's replicas.
func (i *installation) replica() *process {
	i.t.Helper()
	dir := i.t.TempDir()
	kubeconfig := i.kubeconfig(dir)
	for name, text := range i.files {
		text += fmt.Sprintf("clientConnection: {kubeconfig: %q}\n", kubeconfig)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			i.t.Fatal(err)
		}
	}
	var args []string
	for _, arg := range i.args {
		args = append(args, strings.ReplaceAll(arg, "/etc/orrery", dir))
	}
	return i.serve(orrery, append(args, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig)...)
}

func (i *installation) kubeconfig(dir string) string {
	i.t.Helper()
	file := filepath.Join(dir, "kubeconfig")
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"cluster": {Server: i.proxy.Config("").Host, CertificateAuthorityData: i.proxy.Config("").CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"pod": {Token: i.token}},
		Contexts:       map[string]*clientcmdapi.Context{"pod": {Cluster: "cluster", AuthInfo: "pod"}},
		CurrentContext: "pod",
	}, file)
	if err != nil {
		i.t.Fatal(err)
	}
	return file
}

// printedRights returns the rights of the installed roles.
func (i *installation) printedRights() []string {
	i.t.Helper()
	role, err := i.client.RbacV1().ClusterRoles().Get(i.ctx, "orrery", metav1.GetOptions{})
	if err != nil {
		i.t.Fatal(err)
	}
	election, err := i.client.RbacV1().Roles(metav1.NamespaceSystem).Get(i.ctx, "orrery-election", metav1.GetOptions{})
	if err != nil {
		i.t.Fatal(err)
	}
	all := rightsIn(slices.Concat(role.Rules, election.Rules, delegatedRules))
	return slices.DeleteFunc(all, func(r string) bool { // that an API server asks for since 1.36, besides what is requested
		return strings.HasSuffix(r, " resourceclaims/binding.resource.k8s.io")
	})
}

// delegatedRules are the rules of the roles that every cluster has, and which the printed manifests bind: to ask who a client is and what
// it may, and to read what the API server trusts.
var delegatedRules = []rbacv1.PolicyRule{
	{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}, Verbs: []string{"create"}},
	{APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}, Verbs: []string{"create"}},
	{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "watch"}},
}

// refused returns the requests of the replicas and of readers that the API server refused for lack of a right.
func (i *installation) refused() (all []string) {
	i.t.Helper()
	for _, r := range append(i.requestsOf(serviceAccount), i.requestsOf(attacher)...) {
		if r.ResponseStatus.Code == 401 || r.ResponseStatus.Code == 403 {
			all = append(all, r.String())
		}
	}
	return all
}
