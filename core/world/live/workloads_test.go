package live

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/client-go/rest"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// groupServer serves pods, and the groups of a release.
func groupServer(t *testing.T, served map[string]string) Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		version, resource, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/apis/scheduling.k8s.io/"), "/api/"), "/")
		item, is := served[version+"/"+resource]
		if !is {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		kind := map[string]string{"pods": "Pod", "workloads": "Workload", "podgroups": "PodGroup"}[resource]
		if version != "v1" {
			version = "scheduling.k8s.io/" + version
		}
		_, _ = io.WriteString(w, `{"apiVersion": "`+version+`", "kind": "`+kind+`List", "metadata": {"resourceVersion": "9"}, "items": [`+item+`]}`)
	}))
	t.Cleanup(server.Close)
	client, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Groups are read in the version that is served, and pods with the field by which they are members in it.
func TestReadOnce_GroupsOfEachRelease(t *testing.T) {
	kinds := append(world.GroupKinds(), world.Pod)
	for name, tt := range map[string]struct {
		served map[string]string
		group  gangs.Key
		check  func(map[world.Kind]world.Object) bool
		lists  int
	}{
		"1.35": {map[string]string{
			"v1/pods":            `{"metadata": {"name": "a", "namespace": "ml"}, "spec": {"workloadRef": {"name": "train", "podGroup": "workers"}}}`,
			"v1alpha1/workloads": `{"metadata": {"name": "train", "namespace": "ml"}, "spec": {"podGroups": [{"name": "workers", "policy": {"gang": {"minCount": 2}}}]}}`,
		}, gangs.Key{Namespace: "ml", Workload: "train", Group: "workers"}, func(o map[world.Kind]world.Object) bool {
			return o[world.Workload].(*workloads.Workload).Spec.PodGroups[0].Policy.Gang.MinCount == 2
		}, 2},
		"1.37": {map[string]string{
			"v1/pods":           `{"metadata": {"name": "a", "namespace": "ml"}, "spec": {"schedulingGroup": {"podGroupName": "train-0"}}}`,
			"v1beta1/workloads": `{"metadata": {"name": "train", "namespace": "ml"}, "spec": {"podGroupTemplates": [{"name": "workers", "schedulingPolicy": {"gang": {"minCount": 2}}}]}}`,
			"v1beta1/podgroups": `{"metadata": {"name": "train-0", "namespace": "ml"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}}`,
		}, gangs.PodGroupKey("ml", "train-0"), func(o map[world.Kind]world.Object) bool {
			return o[world.Workload].(*workloads.Workload).Spec.PodGroupTemplates[0].SchedulingPolicy.Gang.MinCount == 2 &&
				o[world.PodGroup].(*schedulingv1beta1.PodGroup).Spec.SchedulingPolicy.Gang.MinCount == 2
		}, 3},
		"1.37 without groups": {map[string]string{
			"v1/pods": `{"metadata": {"name": "a", "namespace": "ml"}, "spec": {}}`,
		}, gangs.Key{}, func(map[world.Kind]world.Object) bool { return true }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			lists, unread, err := ReadOnce(context.Background(), groupServer(t, tt.served), kinds)
			if err != nil {
				t.Fatal(err)
			}
			found := map[world.Kind]world.Object{}
			for _, l := range lists {
				found[l.Kind] = l.Objects[0]
			}
			if len(lists) != tt.lists || len(unread) != len(kinds)-tt.lists {
				t.Fatalf("%v are read, %v are not", found, unread)
			}
			if got := gangs.KeyOf(found[world.Pod].(*v1.Pod)); got != tt.group {
				t.Errorf("the pod is of %+v, want %+v", got, tt.group)
			}
			if !tt.check(found) {
				t.Errorf("what is read is %+v", found)
			}
		})
	}
}
