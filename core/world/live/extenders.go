package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/address"
	"orrery/core/world"
	"orrery/core/world/extender"
)

// extenders calls extenders. The calls about one pod are made at once, unlike its other effects: an answer that a scheduling
// cycle waits for does not wait for a write.
type extenders struct {
	cluster *Cluster
	clients []*ExtenderClient

	mu      sync.Mutex
	running map[world.EffectID]runningCall
	group   sync.WaitGroup
}

// ExtenderClient is the connection to one extender of a configuration.
type ExtenderClient struct {
	http    *http.Client
	address string
	user    *url.Userinfo // of the address, which has none; nil without one
	invalid error         // of the address
	verbs   [world.ExtenderBind + 1]string
}

type runningCall struct {
	pod    world.PodRef
	cancel context.CancelFunc
}

func newExtenders(c *Cluster) (*extenders, error) {
	x := &extenders{cluster: c, running: map[world.EffectID]runningCall{}}
	for i := range c.options.Extenders {
		client, err := NewExtenderClient(&c.options.Extenders[i])
		if err != nil {
			return nil, fmt.Errorf("connecting to extenders[%d] of the configuration: %w", i, err)
		}
		x.clients = append(x.clients, client)
	}
	return x, nil
}

// connectionBuffer is how much is written and read at once: the names of some thousand nodes.
const connectionBuffer = 64 << 10

// NewExtenderClient prepares the connection to an extender.
func NewExtenderClient(c *configv1.Extender) (*ExtenderClient, error) {
	var connection rest.Config
	if t := c.TLSConfig; t != nil {
		connection.TLSClientConfig = rest.TLSClientConfig{
			Insecure: t.Insecure, ServerName: t.ServerName, CertFile: t.CertFile, KeyFile: t.KeyFile, CAFile: t.CAFile,
			CertData: t.CertData, KeyData: t.KeyData, CAData: t.CAData,
		}
	}
	if c.EnableHTTPS && connection.CAFile == "" && len(connection.CAData) == 0 {
		connection.Insecure = true
	}
	secured, err := rest.TLSConfigFor(&connection)
	if err != nil {
		return nil, err
	}
	client := &ExtenderClient{
		http: &http.Client{
			Transport: utilnet.SetTransportDefaults(&http.Transport{TLSClientConfig: secured, WriteBufferSize: connectionBuffer, ReadBufferSize: connectionBuffer}),
			// The pods and nodes of a request are for the address that was configured, and for no other.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		address: strings.TrimRight(address.Public(c.URLPrefix), "/"),
		verbs: [...]string{
			world.ExtenderFilter: c.FilterVerb, world.ExtenderPrioritize: c.PrioritizeVerb,
			world.ExtenderPreempt: c.PreemptVerb, world.ExtenderBind: c.BindVerb,
		},
	}
	if parsed, err := url.Parse(c.URLPrefix); err == nil {
		client.user = parsed.User
	} else { // which quotes the address, with its password
		client.invalid = fmt.Errorf("its urlPrefix %.200q is not an address like https://HOST:PORT/PATH: if it has a password, escape special characters in it",
			address.Public(c.URLPrefix))
	}
	return client, nil
}

// do makes a call on a goroutine of its own. There are no more at a time than extenders and bindings.
func (x *extenders) do(id world.EffectID, act world.CallExtender) {
	ctx, cancel := context.WithCancel(x.cluster.ctx)
	x.mu.Lock()
	x.running[id] = runningCall{act.Pod, cancel}
	x.mu.Unlock()
	x.cluster.spawn(&x.group, "calling an extender", func() {
		defer cancel()
		outcome := x.call(ctx, act)
		_ = x.cluster.enqueue(x.cluster.ctx, effectDone(id, outcome)) // fails only after Stop
		x.mu.Lock()
		delete(x.running, id)
		x.mu.Unlock()
	})
}

// cancel cancels the calls about a pod.
func (x *extenders) cancel(pod world.PodRef) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, call := range x.running {
		if call.pod == pod {
			call.cancel()
		}
	}
}

func (x *extenders) idle() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.running) == 0
}

var errNoClient = errors.New("there is no connection to this extender: the cluster was not given the configuration's extenders")

func (x *extenders) call(ctx context.Context, act world.CallExtender) world.Outcome {
	if act.Extender >= len(x.clients) {
		return callFailed(errNoClient)
	}
	if act.Verb == world.ExtenderBind {
		within, sent, release, err := x.cluster.options.Gate.enter(ctx)
		if err != nil {
			x.cluster.count.fenced.Add(1)
			return callFailed(err)
		}
		defer release()
		defer sent()
		ctx = within
	}
	answer, err := x.clients[act.Extender].Call(ctx, act)
	if err != nil {
		return callFailed(err)
	}
	return world.Outcome{Answer: answer}
}

func callFailed(err error) world.Outcome {
	return world.Outcome{Code: fwk.Error, Message: extender.Printable(err.Error())}
}

// Call sends a request and reads the response.
func (c *ExtenderClient) Call(ctx context.Context, act world.CallExtender) (*world.ExtenderAnswer, error) {
	if c.invalid != nil {
		return nil, c.invalid
	}
	body, err := extender.RequestBody(act)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+"/"+c.verbs[act.Verb], bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.user != nil {
		password, _ := c.user.Password()
		request.SetBasicAuth(c.user.Username(), password)
	}
	client := *c.http
	client.Timeout = act.Timeout
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("failed %v with extender at URL %v, code %v", c.verbs[act.Verb], act.URL, response.StatusCode)
	}
	answer, err := extender.Answer(act, response.Body, extender.MostOf(len(body)))
	if err != nil {
		return nil, err
	}
	// A connection is used again only if its response was read to the end.
	_, _ = io.CopyN(io.Discard, response.Body, maxTrailing)
	return answer, nil
}

// maxTrailing is how much is read after an answer: its line's end.
//
//orrery:limit extenders; what is read after a response, in bytes; the connection is closed
const maxTrailing = 512
