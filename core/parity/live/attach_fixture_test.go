package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cri-streaming/pkg/streaming/portforward"

	"orrery/core/parity/apiserver"
)

// forwardingKubelet is the kubelet of one node, as far as "kubectl port-forward" needs it: it knows the processes that run in place of
// its pods, each of which has the port 10259 in its pod.
type forwardingKubelet struct {
	*fixture
	node string

	mu    sync.Mutex
	ports map[string]int // on this machine, by the pod's name
}

const schedulerPort = 10259

// startKubelet serves port-forwards to the processes of a node's pods.
func (s *fixture) startKubelet(node string) *forwardingKubelet {
	s.t.Helper()
	k := &forwardingKubelet{fixture: s, node: node, ports: map[string]int{}}
	listener, err := net.Listen("tcp", net.JoinHostPort(outsideAddress(s.t), "0"))
	if err != nil {
		s.t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(k)
	_ = server.Listener.Close()
	server.Listener = listener
	server.StartTLS()
	s.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.setKubeletAddress(node, listener.Addr())
	return k
}

// setKubeletAddress lets the API server reach a node's kubelet.
func (s *fixture) setKubeletAddress(node string, to net.Addr) {
	s.t.Helper()
	address, port, _ := net.SplitHostPort(to.String())
	number, err := strconv.Atoi(port)
	if err != nil {
		s.t.Fatal(err)
	}
	s.eventually(func() error {
		n, err := s.client.CoreV1().Nodes().Get(s.ctx, node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Status.Addresses = []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: address}}
		n.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(number)
		_, err = s.client.CoreV1().Nodes().UpdateStatus(s.ctx, n, metav1.UpdateOptions{})
		return err
	})
}

// ServeHTTP serves /portForward/NAMESPACE/NAME.
func (k *forwardingKubelet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 3 || parts[0] != "portForward" {
		http.NotFound(w, r)
		return
	}
	options, err := portforward.NewV4Options(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	portforward.ServePortForward(w, r, k, parts[2], "", options, time.Hour, time.Minute, portforward.SupportedProtocols)
}

// PortForward implements portforward.PortForwarder.
func (k *forwardingKubelet) PortForward(ctx context.Context, pod, _ string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	k.mu.Lock()
	local := k.ports[pod]
	k.mu.Unlock()
	if port != schedulerPort || local == 0 {
		return fmt.Errorf("nothing listens at port %d of %s", port, pod)
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", fmt.Sprint("127.0.0.1:", local))
	if err != nil {
		return err
	}
	defer c.Close()
	ended := make(chan error, 2)
	go func() { _, err := io.Copy(c, stream); ended <- err }()
	go func() { _, err := io.Copy(stream, c); ended <- err }()
	return <-ended
}

// runAs starts a replica as a pod of the kubelet's node: with the pod's name as its hostname, as a container has it.
func (k *forwardingKubelet) runAs(name string, labels map[string]string, start func() *process) *process {
	k.t.Helper()
	k.hostname = name
	p := start()
	k.hostname = ""
	pod := apiserver.Pod(name, "1m", "1Mi")
	pod.Namespace, pod.Labels = metav1.NamespaceSystem, labels
	pod.Spec.NodeName, pod.Spec.SchedulerName = k.node, "none"
	pods := k.client.CoreV1().Pods(pod.Namespace)
	if _, err := pods.Create(k.ctx, pod, metav1.CreateOptions{}); err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() {
		err := pods.Delete(context.Background(), name, *metav1.NewDeleteOptions(0))
		if err != nil && !apierrors.IsNotFound(err) {
			k.t.Error(err)
		}
	})
	k.eventually(func() error {
		got, err := pods.Get(k.ctx, name, metav1.GetOptions{})
		if err != nil || got.Status.Phase == v1.PodRunning { // as another test's kubelet of all nodes has it
			return err
		}
		got.Status.Phase = v1.PodRunning
		_, err = pods.UpdateStatus(k.ctx, got, metav1.UpdateOptions{})
		return err
	})
	k.mu.Lock()
	k.ports[name] = p.port
	k.mu.Unlock()
	return p
}

// named lets a command begin with a hostname of its own, which takes the rights of root.
func (p *process) named(hostname string) {
	p.Args = append([]string{"sh", "-c", `hostname "$0" && exec "$@"`, hostname}, append([]string{p.Path}, p.Args[1:]...)...)
	p.Path = "/bin/sh"
	p.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUTS}
}

// attachedDocument is what "orrery attach -o json" prints in a line.
type attachedDocument struct {
	Kind, State, Where, Message string
	UnknownSeconds              float64
	Verdict, Node               string
	Pod                         struct{ Namespace, Name string }
}

// printed returns what an attached process has printed so far.
func (p *process) printed() (all []attachedDocument) {
	for line := range strings.Lines(p.output.String()) {
		var d attachedDocument
		if json.Unmarshal([]byte(line), &d) == nil {
			all = append(all, d)
		}
	}
	return all
}

// printedState returns nil once it has printed that it is in a state, at a place unless that is empty.
func (p *process) printedState(state, where string) error {
	select {
	case <-p.end:
		return errors.New("the reader has ended")
	default:
	}
	for _, d := range p.printed() {
		if d.Kind == "Attachment" && d.State == state && strings.Contains(d.Where, where) {
			return nil
		}
	}
	return fmt.Errorf("it is not said that the reader is %s: %q", state, where)
}

// printedBindings returns nil once it has printed a decision for each bound pod of a prefix, on the node where it is.
func (s *fixture) printedBindings(p *process, prefix string, want int) error {
	nodes := map[string]string{}
	for _, d := range p.printed() {
		if d.Kind == "Decision" && d.Node != "" {
			nodes[d.Pod.Name] = d.Node
		}
	}
	found := 0
	for _, pod := range s.list() {
		if !strings.HasPrefix(pod.Name, prefix) {
			continue
		}
		if pod.Spec.NodeName == "" || nodes[pod.Name] != pod.Spec.NodeName {
			return fmt.Errorf("%s is on %q, and by the reader on %q", pod.Name, pod.Spec.NodeName, nodes[pod.Name])
		}
		found++
	}
	if found != want {
		return fmt.Errorf("there are %d pods named %s, want %d", found, prefix, want)
	}
	return nil
}

// checkSame checks that a reader has decided everything as the scheduler did.
func (p *process) checkSame() {
	p.t.Helper()
	for _, d := range p.printed() {
		if d.State == "diverged" {
			p.t.Errorf("the reader decided differently: %s", d.Message)
		}
	}
}
