package live_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict/pressure"
	"orrery/core/operator/actions"
	"orrery/core/operator/usage"
	"orrery/core/operator/usage/reader"
	"orrery/core/parity/apiserver"
	"orrery/core/world"
)

// outsideAddress returns an address that the API server proxies to: it rejects loopback and link-local ones.
func outsideAddress(t *testing.T) string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if of, ok := a.(*net.IPNet); ok && of.IP.To4() != nil && !of.IP.IsLoopback() && !of.IP.IsLinkLocalUnicast() {
			return of.IP.String()
		}
	}
	t.Skip("this machine has only loopback addresses, to which the API server does not proxy")
	return ""
}

// fakeKubelet serves a node's usage and its kubelet's configuration, at the address in the node's status.
func (s *fixture) fakeKubelet(node, uid string) {
	s.t.Helper()
	address := outsideAddress(s.t)
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		s.t.Fatal(err)
	}
	answers := http.NewServeMux()
	answers.HandleFunc("/stats/summary", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"node":{"nodeName":%q,"memory":{"availableBytes":1048576,"workingSetBytes":17178820608,"usageBytes":17178820608}},
			"pods":[{"podRef":{"name":"eater","namespace":"default","uid":%q},"memory":{"workingSetBytes":1073741824}}]}`, node, uid)
	})
	answers.HandleFunc("/configz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"kubeletconfig":{"evictionHard":{"memory.available":"2Mi"}}}`))
	})
	kubelet := httptest.NewUnstartedServer(answers)
	_ = kubelet.Listener.Close()
	kubelet.Listener = listener
	kubelet.StartTLS()
	s.t.Cleanup(kubelet.Close)
	s.setKubeletAddress(node, listener.Addr())
}

// read reads a node's usage as a user until the node has answered.
func (s *fixture) read(user, node string, pods ...world.PodRef) (reading usage.Reading) {
	s.t.Helper()
	kubelets, err := reader.New(reader.Options{KubeConfig: server.Config(user)})
	if err != nil {
		s.t.Fatal(err)
	}
	defer kubelets.Close()
	n, err := s.client.CoreV1().Nodes().Get(s.ctx, node, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.eventually(func() error {
		if reading = kubelets.Read(n, func() []world.PodRef { return pods }); !reading.Queried {
			return errors.New("the node has not answered")
		}
		return nil
	})
	return reading
}

func TestUsage_ReadsKubeletThroughAPIServer(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "8", "16Gi", "110"))
	pod := apiserver.Pod("eater", "10m", "16Mi")
	pod.Spec.NodeName = "node-0"
	created, err := s.create(pod)
	if err != nil {
		t.Fatal(err)
	}
	s.fakeKubelet("node-0", string(created.UID))
	s.permit(limited, "", right{"get", "", "nodes/proxy"}.rule())
	var r usage.Reading
	s.eventually(func() error { // one of the two requests may be slow
		if r = s.read(limited, "node-0", world.PodRefOf(created)); r.Summary == nil || !r.Configured {
			return fmt.Errorf("source %q, configuration %q", r.SourceText(), r.WhyDefaults)
		}
		return nil
	})
	if r.Source != usage.Kubelet || r.Configuration.Hard[pressure.MemoryAvailable] != "2Mi" {
		t.Fatalf("source %q, configuration %q", r.SourceText(), r.WhyDefaults)
	}
	ranked := pressure.Rank(pressure.MemoryAvailable, pressure.LayoutOf(r.Summary), []*v1.Pod{created}, r.Summary)
	if len(ranked) != 1 || !ranked[0].Measured || !ranked[0].Exceeds || ranked[0].Excess.String() != "1008Mi" {
		t.Errorf("the pod is ranked %+v", ranked)
	}
}

func TestUsage_NamesMissingRule(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "8", "16Gi", "110"))
	s.permit(limited, "", right{"get", "", "nodes"}.rule()) // a right to read nodes is none to proxy to them
	r := s.read(limited, "node-0")
	if want := "no usage data: may not get nodes/proxy, and no metrics API is served"; r.SourceText() != want {
		t.Errorf("source %q, want %q", r.SourceText(), want)
	}
	if want := []actions.Rule{{Resource: "nodes/proxy", Verb: "get"}}; !slices.Equal(r.MissingRules, want) {
		t.Errorf("missing rules %v, want %v", r.MissingRules, want)
	}
}

func TestUsage_UnreachableKubelet(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "8", "16Gi", "110"))
	r := s.read(apiserver.Admin, "node-0")
	if r.Summary != nil || r.Problem == "" || len(r.MissingRules) > 0 {
		t.Errorf("source %q, missing rules %v", r.SourceText(), r.MissingRules)
	}
	t.Log(r.SourceText())
}
