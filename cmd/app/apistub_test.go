package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// canary must not get into a recording.
const canary = "c4n4ry"

// apiStub is a read-only API server that serves every kind: any other request fails the test.
type apiStub struct {
	t         *testing.T
	objects   []world.Object
	news      []watchEvent  // sent to watches of pods, a moment apart
	forbidden []string      // resources
	silent    chan struct{} // gets a value for each list of all pods, which is not answered
	// leaderless says that there is no scheduler's lease. There is one else, which is held.
	leaderless bool
	// creates says that the user may create objects, if only with dryRun=All.
	creates bool
	// watched, if set, may change the objects when a watch of pods begins.
	watched func()
	mu      sync.Mutex // of the objects
}

type watchEvent struct {
	kind string // ADDED, MODIFIED, DELETED
	pod  *v1.Pod
}

// stubCluster returns two nodes, a running pod, one that fits nowhere, and another scheduler.
func stubCluster(t *testing.T) *apiStub {
	small := mk.Node("node-1").CPU("4").Memory("8Gi").Pods("10").Obj()
	large := mk.Node("node-2").CPU("8").Memory("16Gi").Pods("10").Obj()
	large.Annotations = map[string]string{"note": canary}
	large.Status.Addresses = []v1.NodeAddress{{Address: canary}}
	fresh := mk.Pod("fresh").UID("fresh").CPU("1").Memory("1Gi").Obj()
	unschedulable := mk.Pod("huge").UID("huge").CPU("20").Obj()
	unschedulable.Status.Conditions = []v1.PodCondition{{
		Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable, Message: "0/2 nodes are available: 2 Insufficient cpu.",
		LastTransitionTime: metav1.NewTime(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)),
	}}
	runs := mk.Pod("runs").UID("runs").CPU("2").Node("node-1").Obj()
	bound := fresh.DeepCopy()
	bound.Spec.NodeName = "node-2"
	later := mk.Pod("later").UID("later").CPU("1").Obj()
	for _, pod := range []*v1.Pod{fresh, bound, unschedulable, runs, later} {
		spill(pod)
	}
	return &apiStub{
		t: t, objects: append(storageWithSecrets(), small, large, unschedulable, runs, mk.Pod("shop").UID("other").Namespace("shop").CPU("1").Obj()),
		news: []watchEvent{{"ADDED", fresh}, {"MODIFIED", bound}, {"ADDED", later}, {"DELETED", runs}},
	}
}

// storageWithSecrets returns objects of storage that no pod uses, with the canary in what must not be read.
func storageWithSecrets() []world.Object {
	volume := mk.Volume("v").Size("1Gi").Class("fast").CSI("d", "h").Obj()
	volume.Spec.MountOptions = []string{canary}
	volume.Spec.CSI.VolumeAttributes = map[string]string{canary: canary}
	volume.Spec.CSI.NodeStageSecretRef = &v1.SecretReference{Name: canary, Namespace: canary}
	volume.Annotations = map[string]string{"volume.kubernetes.io/provisioner-deletion-secret-name": canary}
	claim := mk.Claim("c").Size("1Gi").Class("fast").Annotation("note", canary).Obj()
	claim.Spec.DataSource = &v1.TypedLocalObjectReference{Kind: "VolumeSnapshot", Name: canary}
	class := mk.Class("fast", "d").Obj()
	class.Parameters, class.MountOptions = map[string]string{"csi.storage.k8s.io/provisioner-secret-name": canary}, []string{canary}
	attachment := mk.Attachment("a", "node-1", "d", "v")
	attachment.Status.AttachmentMetadata = map[string]string{canary: canary}
	attachment.Status.AttachError = &storagev1.VolumeError{Message: canary}
	node, driver, capacity := mk.CSINode("node-1").Driver("d").Obj(), mk.CSIDriver("d"), mk.StorageCapacity("s", "fast", "1Gi", "zone", "a")
	node.Spec.Drivers[0].NodeID = canary
	driver.Spec.TokenRequests = []storagev1.TokenRequest{{Audience: canary}}
	capacity.Annotations = map[string]string{"note": canary}
	return []world.Object{volume, claim, class, attachment, node, driver, capacity}
}

// spill puts the canary into a pod's secrets.
func spill(pod *v1.Pod) {
	c := &pod.Spec.Containers[0]
	c.Env = []v1.EnvVar{{Name: "PASSWORD", Value: canary}}
	c.Command, c.Args, c.WorkingDir = []string{canary}, []string{canary}, canary
	c.EnvFrom = []v1.EnvFromSource{{SecretRef: &v1.SecretEnvSource{LocalObjectReference: v1.LocalObjectReference{Name: canary}}}}
	pod.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": canary}
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: canary, FieldsV1: metav1.NewFieldsV1(`{"` + canary + `":{}}`)}}
	pod.Spec.Volumes = []v1.Volume{
		{Name: "a", VolumeSource: v1.VolumeSource{Secret: &v1.SecretVolumeSource{SecretName: canary}}},
		{Name: "b", VolumeSource: v1.VolumeSource{ConfigMap: &v1.ConfigMapVolumeSource{LocalObjectReference: v1.LocalObjectReference{Name: canary}}}},
	}
	pod.Spec.ServiceAccountName = canary
	pod.Status.Message, pod.Status.PodIP = canary, canary
	pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionFalse, Message: canary})
}

// start serves until the test ends and returns a kubeconfig.
func (s *apiStub) start(dir string) string {
	server := httptest.NewServer(s)
	s.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	file := filepath.Join(dir, "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: stub
contexts: [{name: stub, context: {cluster: stub, user: me}}, {name: "down", context: {cluster: "down", user: me}}, {name: staging, context: {cluster: stub, user: me}}, {name: east, context: {cluster: stub, user: me}}, {name: west, context: {cluster: stub, user: me}}]
clusters: [{name: stub, cluster: {server: %q}}, {name: "down", cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: me, user: {token: t}}]
`, server.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

func (s *apiStub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	resource := parts[len(parts)-1]
	i := slices.IndexFunc(world.Kinds(), func(k world.Kind) bool { return k.Resource().Resource == resource })
	switch {
	case r.Method == http.MethodPost && resource == "selfsubjectaccessreviews":
		_ = json.NewEncoder(w).Encode(authorizationv1.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{Kind: "SelfSubjectAccessReview", APIVersion: "authorization.k8s.io/v1"},
			Status:   authorizationv1.SubjectAccessReviewStatus{Allowed: s.creates},
		})
	case r.Method == http.MethodPost && s.creates && r.URL.Query().Get("dryRun") == metav1.DryRunAll:
		s.admit(w, r, resource)
	case r.Method == http.MethodGet && resource == "resourcequotas" && !slices.Contains(s.forbidden, resource):
		_ = json.NewEncoder(w).Encode(v1.ResourceQuotaList{TypeMeta: metav1.TypeMeta{Kind: "ResourceQuotaList", APIVersion: "v1"}})
	case r.Method != http.MethodGet:
		s.t.Errorf("%s %s: who looks on must not change anything", r.Method, r.URL.Path)
		refusal(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	case resource == "kube-scheduler" && slices.Contains(parts, "leases"):
		s.lease(w)
	case slices.Contains(s.forbidden, resource):
		refusal(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	case i < 0:
		refusal(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case r.URL.Query().Get("sendInitialEvents") != "":
		refusal(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r, world.Kinds()[i])
	case s.silent != nil && resource == "pods" && r.URL.Query().Get("limit") != "1":
		s.silent <- struct{}{}
		<-r.Context().Done()
	default:
		s.list(w, world.Kinds()[i])
	}
}

// admit answers a dry run. A webhook has pods request six cores, and refuses those that are called refused.
func (s *apiStub) admit(w http.ResponseWriter, r *http.Request, resource string) {
	if resource != "pods" {
		_, _ = io.Copy(w, r.Body)
		return
	}
	var pod v1.Pod
	if err := json.NewDecoder(r.Body).Decode(&pod); err != nil {
		s.t.Error(err)
	}
	if strings.HasPrefix(pod.GenerateName, "refused") {
		refusal(w, http.StatusForbidden, metav1.StatusReasonForbidden)
		return
	}
	pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: quantity.MustParse("6")}
	_ = json.NewEncoder(w).Encode(pod)
}

// lease answers a GET of the scheduler's lease.
func (s *apiStub) lease(w http.ResponseWriter) {
	switch {
	case slices.Contains(s.forbidden, "leases"):
		refusal(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	case s.leaderless:
		refusal(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	default:
		_ = json.NewEncoder(w).Encode(heldLease())
	}
}

// heldLease is the lease of the other scheduler.
func heldLease() *coordinationv1.Lease {
	holder, renewed, lasts := "another", metav1.NewMicroTime(time.Now()), int32(3600)
	return &coordinationv1.Lease{
		TypeMeta:   metav1.TypeMeta{Kind: "Lease", APIVersion: "coordination.k8s.io/v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "kube-scheduler"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &renewed, LeaseDurationSeconds: &lasts},
	}
}

const listedAt = 100

func (s *apiStub) list(w http.ResponseWriter, kind world.Kind) {
	items := []world.Object{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, o := range s.objects {
		if world.KindOf(o) == kind {
			o = o.DeepCopyObject().(world.Object) // a watch reads the same one
			o.SetResourceVersion(strconv.Itoa(n + 1))
			items = append(items, o)
		}
	}
	if kind == world.Lease && !s.leaderless {
		items = append(items, heldLease())
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"kind": string(kind) + "List", "apiVersion": kind.Resource().GroupVersion().String(),
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(listedAt)}, "items": items,
	})
}

func (s *apiStub) watch(w http.ResponseWriter, r *http.Request, kind world.Kind) {
	flush := w.(http.Flusher).Flush
	flush()
	if s.watched != nil && kind == world.Pod {
		s.mu.Lock()
		s.watched()
		s.mu.Unlock()
	}
	for n, c := range s.news {
		if kind != world.Pod || r.URL.Query().Get("timeoutSeconds") == "1" {
			break
		}
		<-time.After(150 * time.Millisecond)
		pod := c.pod.DeepCopy()
		pod.APIVersion, pod.Kind, pod.ResourceVersion = "v1", "Pod", strconv.Itoa(listedAt+1+n)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": c.kind, "object": pod})
		flush()
	}
	<-r.Context().Done()
}

func refusal(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: "the stub says " + http.StatusText(code),
	})
}
