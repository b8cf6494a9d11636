package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"orrery/core/testing/mk"
)

// kueueServer serves the objects of Kueue in v1beta1 before those of a cluster; nil objects are forbidden.
type kueueServer struct {
	*apiStub
	objects map[string]string
}

func (k kueueServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := strings.Index(r.URL.Path, "/kueue.x-k8s.io/")
	if at < 0 {
		k.apiStub.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	version, resource, _ := strings.Cut(r.URL.Path[at+len("/kueue.x-k8s.io/"):], "/")
	items, served := k.objects[resource]
	switch {
	case version != "v1beta1":
		refusal(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case !served:
		refusal(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	default:
		_, _ = w.Write([]byte(`{"kind":"List","apiVersion":"kueue.x-k8s.io/v1beta1","metadata":{"resourceVersion":"1"},"items":[` + items + `]}`))
	}
}

func (k kueueServer) start(t *testing.T) string {
	server := httptest.NewServer(k)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	file := filepath.Join(t.TempDir(), "kubeconfig")
	config := clientcmdapi.Config{
		CurrentContext: "k", Clusters: map[string]*clientcmdapi.Cluster{"k": {Server: server.URL}}, AuthInfos: map[string]*clientcmdapi.AuthInfo{"k": {}},
		Contexts: map[string]*clientcmdapi.Context{"k": {Cluster: "k", AuthInfo: "k"}},
	}
	if err := clientcmd.WriteToFile(config, file); err != nil {
		t.Fatal(err)
	}
	return file
}

const kueueWorkload = `{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","metadata":{"name":"w","namespace":"default","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"held","uid":"held"}]},
	"spec":{"queueName":"q","podSets":[{"name":"main","count":1,"template":{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}}]}}`

var kueueObjects = map[string]string{
	"workloads":     kueueWorkload,
	"localqueues":   `{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"LocalQueue","metadata":{"name":"q","namespace":"default"},"spec":{"clusterQueue":"team-a"}}`,
	"clusterqueues": `{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"ClusterQueue","metadata":{"name":"team-a"},"spec":{"resourceGroups":[{"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":"1500m"}]}]}]}}`,
}

func TestExplain_PodHeldByKueue(t *testing.T) {
	stub := func() *apiStub {
		s := stubCluster(t)
		s.news = nil
		s.objects = append(s.objects, mk.Pod("held").UID("held").Gate("kueue.x-k8s.io/admission").CPU("100m").Scheduler("default-scheduler").Obj())
		return s
	}
	for _, tt := range []struct {
		name    string
		objects map[string]string
		want    []string
	}{
		{"short of quota", kueueObjects, []string{"Kueue", "1st of 1 workload waiting in ClusterQueue team-a", "500m of 1500m cpu short of quota: it requests 2", "admitted now, this pod would be placed on "}},
		{"without rights", map[string]string{"workloads": kueueWorkload}, []string{"workload w names LocalQueue q, which does not exist or may not be read", "there is no right to list clusterqueues.kueue.x-k8s.io, localqueues.kueue.x-k8s.io"}},
		{"without a workload", map[string]string{"workloads": "", "localqueues": "", "clusterqueues": ""}, []string{"no workload of this pod is found"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := kueueServer{stub(), tt.objects}.start(t)
			text := ran(t, "explain", "held", "--kubeconfig", config)
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q:\n%s", want, text)
				}
			}
		})
	}
	config := kueueServer{stub(), kueueObjects}.start(t)
	var doc struct {
		Kueue struct {
			Workload     string
			Position, Of int
			Short        []struct{ Short, Free int64 }
		}
	}
	text := ran(t, "explain", "held", "--kubeconfig", config, "-o", "json")
	if err := json.Unmarshal([]byte(text[strings.Index(text, "{"):]), &doc); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	if k := doc.Kueue; k.Workload != "w" || k.Position != 1 || k.Of != 1 || len(k.Short) != 1 || k.Short[0].Short != 500 || k.Short[0].Free != 1500 {
		t.Errorf("the JSON has %+v", doc.Kueue)
	}
}
