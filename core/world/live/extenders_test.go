package live_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes/fake"
	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"orrery/core/objects/nodenames"
	"orrery/core/safe/printable"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/extender"
	"orrery/core/world/live"
)

// newExtenderCluster is a cluster with one extender.
func newExtenderCluster(t *testing.T, x configv1.Extender) *live.Cluster {
	c, err := live.New(live.Options{Client: fake.NewClientset(), Extenders: []configv1.Extender{x}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// serve is an extender that answers every request with a text.
func serve(t *testing.T, answer string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
	t.Cleanup(s.Close)
	return s
}

func filterCall(url string) world.CallExtender {
	pod := mk.Pod("web").Obj()
	return world.CallExtender{
		Pod: world.PodRefOf(pod), Verb: world.ExtenderFilter, URL: url + "/filter", Timeout: time.Minute,
		Request: world.ExtenderRequest{Pod: pod, NamesOnly: true, Names: nodenames.Of([]string{"n1", "n2"})},
	}
}

// outcome makes a call and waits for its outcome.
func outcome(c *live.Cluster, act world.CallExtender) world.Outcome {
	c.Do(world.Effect{ID: 7, Action: act})
	return (<-c.Events()).(world.EffectDone).Outcome
}

// What an extender receives is what kube-scheduler sends: a nodeCacheCapable one gets names.
func TestExtender_RequestAndAnswer(t *testing.T) {
	var got extenderv1.ExtenderArgs
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/prefix/filter" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %s %s of %q", r.Method, r.URL, r.Header.Get("Content-Type"))
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(extenderv1.ExtenderFilterResult{
			NodeNames: &[]string{"n2"}, FailedNodes: extenderv1.FailedNodesMap{"n1": "full"},
		})
	}))
	defer s.Close()
	c := newExtenderCluster(t, configv1.Extender{URLPrefix: s.URL + "/prefix/", FilterVerb: "filter", NodeCacheCapable: true})
	done := outcome(c, filterCall(s.URL))
	want := world.Outcome{Answer: &world.ExtenderAnswer{Nodes: []string{"n2"}, Failed: []world.FailedNode{{Node: "n1", Reason: "full"}}}}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if got.Pod.Name != "web" || got.Nodes != nil || !cmp.Equal(got.NodeNames, &[]string{"n1", "n2"}) {
		t.Errorf("the extender got %+v", got)
	}
}

func TestExtender_Failures(t *testing.T) {
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer failing.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, tt := range map[string]struct {
		url, want string
	}{
		"status":   {failing.URL, "failed filter with extender at URL " + failing.URL + "/filter, code 418"},
		"no JSON":  {serve(t, "<html>").URL, "invalid character '<' looking for beginning of value"},
		"nothing":  {serve(t, "").URL, "EOF"},
		"no route": {closed.URL, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newExtenderCluster(t, configv1.Extender{URLPrefix: tt.url, FilterVerb: "filter"})
			if done := outcome(c, filterCall(tt.url)); done.OK() || !strings.Contains(done.Message, tt.want) {
				t.Errorf("%+v, want %q", done, tt.want)
			}
		})
	}
}

// The user name and the password in an address are sent, and are in no error, even if the address does not parse.
func TestExtender_HidesCredentialsOfAddress(t *testing.T) {
	var user, password string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ = r.BasicAuth()
		w.WriteHeader(http.StatusTeapot)
	}))
	defer s.Close()
	with := func(credentials string) string { return strings.Replace(s.URL, "://", "://"+credentials+"@", 1) }
	for name, url := range map[string]string{
		"an address": with("us3r:s3%2Fcret"), "a key": with("s3cretkey"), "an unescaped password": with("us3r:s3/cret"), "a space": with("us3r:s3 cret"),
		"no route": "http://us3r:s3cret@127.0.0.1:1",
	} {
		c := newExtenderCluster(t, configv1.Extender{URLPrefix: url, FilterVerb: "filter"})
		done := outcome(c, filterCall(extender.All([]configv1.Extender{{URLPrefix: url}})[0].Name()))
		if done.OK() || strings.Contains(done.Message, "s3") {
			t.Errorf("%s: %+v", name, done)
		}
		if name == "an address" && (user != "us3r" || password != "s3/cret") {
			t.Errorf("it is asked by %q with the password %q", user, password)
		}
	}
}

// A call whose timeout passes ends, whether or not the extender has received it by then.
func TestExtender_Timeout(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	c := newExtenderCluster(t, configv1.Extender{URLPrefix: s.URL, FilterVerb: "filter"})

	act := filterCall(s.URL)
	act.Timeout = time.Millisecond
	if done := outcome(c, act); done.OK() || !strings.Contains(done.Message, "Client.Timeout exceeded") {
		t.Errorf("%+v, want a timeout", done)
	}
}

// A cancelled call ends. Idle says that no call is running.
func TestExtender_Cancel(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	}))
	defer s.Close()
	defer close(release)
	c := newExtenderCluster(t, configv1.Extender{URLPrefix: s.URL, FilterVerb: "filter"})

	act := filterCall(s.URL)
	c.Do(world.Effect{ID: 8, Action: act})
	<-arrived
	if c.Idle() {
		t.Error("idle during a call")
	}
	c.Do(world.Effect{ID: 9, Action: world.CancelExtenderCalls{Pod: act.Pod}})
	if done := (<-c.Events()).(world.EffectDone); done.Effect != 8 || !strings.Contains(done.Outcome.Message, "context canceled") {
		t.Errorf("%+v, want that the call was cancelled", done)
	}
}

func TestExtender_TLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer s.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	for name, tt := range map[string]struct {
		extender configv1.Extender
		want     string
	}{
		"its authority":             {configv1.Extender{EnableHTTPS: true, TLSConfig: &configv1.ExtenderTLSConfig{CAData: authority}}, ""},
		"enableHTTPS without any":   {configv1.Extender{EnableHTTPS: true}, ""},
		"without enableHTTPS":       {configv1.Extender{}, "certificate signed by unknown authority"},
		"insecure":                  {configv1.Extender{TLSConfig: &configv1.ExtenderTLSConfig{Insecure: true}}, ""},
		"the authority, other name": {configv1.Extender{TLSConfig: &configv1.ExtenderTLSConfig{CAData: authority, ServerName: "other.org"}}, "not other.org"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.extender.URLPrefix, tt.extender.FilterVerb = s.URL, "filter"
			done := outcome(newExtenderCluster(t, tt.extender), filterCall(s.URL))
			if done.OK() != (tt.want == "") || !strings.Contains(done.Message, tt.want) {
				t.Errorf("%+v, want %q", done, tt.want)
			}
		})
	}
	_, err := live.New(live.Options{Client: fake.NewClientset(), Extenders: []configv1.Extender{{TLSConfig: &configv1.ExtenderTLSConfig{CAFile: "none.pem"}}}})
	if err == nil || !strings.Contains(err.Error(), "extenders[0]") {
		t.Errorf("an authority without a file: %v", err)
	}
}

// A redirection would send pods and nodes to another address than the configured one.
func TestExtender_RefusesRedirection(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("the redirection is followed")
		_, _ = io.WriteString(w, `{"NodeNames":["n1"]}`)
	}))
	defer elsewhere.Close()
	for _, code := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, code) }))
		c := newExtenderCluster(t, configv1.Extender{URLPrefix: s.URL, FilterVerb: "filter", NodeCacheCapable: true})
		if done := outcome(c, filterCall(s.URL)); done.OK() || !strings.HasSuffix(done.Message, fmt.Sprintf("code %d", code)) {
			t.Errorf("%d: %+v", code, done)
		}
		s.Close()
	}
}

// What an extender answers has a bound that is that of its request, however it is sent.
func TestExtender_BoundsAnswer(t *testing.T) {
	for name, part := range map[string]string{
		"names": `"node",`, "spaces": "      ", "one text": "aaaaaaaa",
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"NodeNames":[`)
				if name == "one text" {
					_, _ = io.WriteString(w, `"`)
				}
				endless(w, part)
			}))
			defer s.Close()
			c := newExtenderCluster(t, configv1.Extender{URLPrefix: s.URL, FilterVerb: "filter", NodeCacheCapable: true})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			done := outcome(c, filterCall(s.URL))
			runtime.ReadMemStats(&after)
			if done.OK() || !strings.Contains(done.Message, "is longer than 8 MiB") {
				t.Errorf("%.300s", done.Message)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > mostMemory {
				t.Errorf("it took %d MiB", taken>>20)
			}
		})
	}
}

// A text of an extender becomes the condition of a pod.
func TestExtender_TextsArePrintable(t *testing.T) {
	const hostile = `no\u001b[2J\u202e`
	long := strings.Repeat("x", 5000)
	for _, answer := range []string{
		`{"Error":"` + hostile + long + `"}`, `{"NodeNames":[],"FailedNodes":{"n1":"` + hostile + long + `"},"FailedAndUnresolvableNodes":{"n2":"` + hostile + `"}}`,
	} {
		s := serve(t, answer)
		c := newExtenderCluster(t, configv1.Extender{URLPrefix: s.URL, FilterVerb: "filter", NodeCacheCapable: true})
		done := outcome(c, filterCall(s.URL))
		if done.Answer == nil {
			t.Fatalf("%+v", done)
		}
		texts := []string{done.Answer.Error}
		for _, failed := range done.Answer.Failed {
			texts = append(texts, failed.Reason)
		}
		for _, text := range texts {
			if strings.ContainsFunc(text, printable.Unprintable) || len(text) > 1100 || text != "" && !strings.HasPrefix(text, `no\x1b[2J\u202e`) {
				t.Errorf("%d bytes, %.40q", len(text), text)
			}
		}
	}
}
