package live_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/store"
	"orrery/core/testing/fuzz"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/live"
)

// roundTrip answers requests without a network, so that they can be made in virtual time.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func clientThrough(t *testing.T, through roundTrip) live.Client {
	t.Helper()
	client, err := live.NewClient(&rest.Config{Host: "http://stub", Transport: through, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func answerOf(status int, kind string, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body)}
}

// watched answers the first watch with some bytes, and any other request with an empty list or a watch in which nothing happens.
func watched(encoded bool, events io.Reader) roundTrip {
	begun, kind := false, "application/json"
	if encoded {
		kind = "application/vnd.kubernetes.protobuf;stream=watch"
	}
	return func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("watch") == "" {
			return answerOf(http.StatusOK, "application/json", bytes.NewReader([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"}}`))), nil
		}
		if !begun {
			begun = true
			return answerOf(http.StatusOK, kind, events), nil
		}
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
}

// FuzzWatch reads the events of a watch, in JSON and protobuf, and applies what comes of them.
//
//orrery:reads core/world/live core/scheduler/store
func FuzzWatch(f *testing.F) {
	for _, event := range []string{
		`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","resourceVersion":"2"}}}`,
		`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}`,
		`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"\u001b[2J"}}`,
		`{"type":"DELETED","object":{"kind":"Node","apiVersion":"v1"}}{"type":"ADDED"}{`,
		`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"resources":{"requests":{"cpu":"1e400"}}}]}}}`,
	} {
		f.Add([]byte(event), false, false)
		f.Add([]byte(event), false, true)
	}
	f.Add(protobufEvent(f, "ADDED", mk.Pod("a").CPU("1").Obj()), true, false)
	f.Fuzz(func(t *testing.T, events []byte, encoded, initial bool) {
		stream := io.Reader(bytes.NewReader(events))
		if !initial {
			stream = io.MultiReader(bytes.NewReader(initialEnd(t, encoded)), stream)
		}
		fuzz.Cost(t, len(events), func() { synctest.Test(t, func(t *testing.T) { follow(t, watched(encoded, stream)) }) })
	})
}

// follow applies what a cluster sends within some seconds, and returns how many changes that were.
func follow(t *testing.T, through roundTrip) (changes int) {
	c, err := live.New(live.Options{Client: clientThrough(t, through), Kinds: []world.Kind{world.Pod}})
	if err != nil {
		t.Fatal(err)
	}
	c.Start()
	defer c.Stop()
	s := store.New()
	for until := c.Now().Add(30 * time.Second); ; {
		in, ok := c.Next(until)
		if !ok {
			return changes
		}
		if changed, ok := in.Event.(world.Changed); ok {
			changes++
			if _, err := s.Apply(changed); err != nil {
				fuzz.Error(t, err)
			}
		}
	}
}

// An event that is endless, takes much memory or has a quantity that takes a minute to read ends its watch; the ones before it count.
func TestWatch_BoundsEvents(t *testing.T) {
	const good = `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"1","resourceVersion":"2"}}}`
	pod := func(spec string) string {
		return `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"c","namespace":"b","uid":"2","resourceVersion":"3"},"spec":` + spec + `}}`
	}
	frame := func(pod *v1.Pod) []byte { return protobufEvent(t, "ADDED", pod) }
	containers := bytes.Repeat([]byte{0x12, 0}, 200_000)
	crowded := encodedPod(append(binary.AppendUvarint([]byte{0x12}, uint64(len(containers))), containers...))
	for name, c := range map[string]struct {
		encoded bool
		events  io.Reader
	}{
		"a pod of containers":                        {false, strings.NewReader(good + pod(`{"containers":[`+strings.Repeat("{},", 200_000)+"{}]}"))},
		"a quantity that is no amount":               {false, strings.NewReader(good + pod(`{"containers":[{"resources":{"requests":{"cpu":"1e-100000000"}}}]}`))},
		"an endless event":                           {false, io.MultiReader(strings.NewReader(good+`{"type":"`), &zeros{left: 1 << 30})},
		"a pod of containers in a protocol buffer":   {true, bytes.NewReader(append(frame(mk.Pod("a").Obj()), protobufEvent(t, "ADDED", crowded)...))},
		"a frame that is too long":                   {true, bytes.NewReader(append(frame(mk.Pod("a").Obj()), 0xff, 0xff, 0xff, 0xff))},
		"a frame that is shorter than its length":    {true, bytes.NewReader(append(frame(mk.Pod("a").Obj()), 0, 1, 0, 0, 7))},
		"a frame of nothing, and then one of an end": {true, bytes.NewReader(append(frame(mk.Pod("a").Obj()), 0, 0, 0, 0, 0, 0))},
	} {
		t.Run(name, func(t *testing.T) {
			events := io.MultiReader(bytes.NewReader(initialEnd(t, c.encoded)), c.events)
			fuzz.Cost(t, 0, func() {
				synctest.Test(t, func(t *testing.T) {
					if got := follow(t, watched(c.encoded, events)); got != 1 {
						t.Errorf("%d changes came, want 1", got)
					}
				})
			})
		})
	}
}

// encodedPod is a pod as it is encoded.
type encodedPod []byte

func (p encodedPod) Marshal() ([]byte, error) { return p, nil }

// zeros is a text without an end, nearly.
type zeros struct{ left int }

func (z *zeros) Read(to []byte) (int, error) {
	if z.left <= 0 {
		return 0, io.EOF
	}
	for i := range to {
		to[i] = '0'
	}
	z.left -= len(to)
	return len(to), nil
}

// initialEnd is the event that ends the first list of a watch, an empty one.
func initialEnd(t testing.TB, encoded bool) []byte {
	if !encoded {
		return []byte(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}`)
	}
	end := &v1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}}
	return protobufEvent(t, "BOOKMARK", end)
}

// protobufEvent is an event as an API server frames it.
func protobufEvent(f testing.TB, kind string, pod interface{ Marshal() ([]byte, error) }) []byte {
	object := protobufOf(f, "Pod", pod)
	event, err := (&metav1.WatchEvent{Type: kind, Object: apiruntime.RawExtension{Raw: object}}).Marshal()
	if err != nil {
		f.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}

func protobufOf(f testing.TB, kind string, o interface{ Marshal() ([]byte, error) }) []byte {
	raw, err := o.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	envelope := apiruntime.Unknown{TypeMeta: apiruntime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: raw}
	encoded, err := envelope.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	return append([]byte("k8s\x00"), encoded...)
}

// FuzzReadOnce reads lists of objects from an API server, in JSON and protobuf.
//
//orrery:reads core/world/live
func FuzzReadOnce(f *testing.F) {
	f.Add([]byte(podList(3, `{"metadata":{"name":"a","labels":{"a":"b"}}}`, "")), false)
	f.Add([]byte{0x12, 4, 0x12, 2, 0x12, 0, 0x12, 0}, true)
	f.Fuzz(func(t *testing.T, data []byte, encoded bool) {
		serve := asJSON(string(data))
		if encoded {
			serve = protobuf(t, "PodList", data)
		}
		client := clientThrough(t, func(r *http.Request) (*http.Response, error) {
			recorder := httptest.NewRecorder()
			serve(recorder, r)
			return recorder.Result(), nil
		})
		fuzz.Cost(t, len(data), func() {
			if _, _, err := live.ReadOnce(t.Context(), client, []world.Kind{world.Pod}); err != nil {
				fuzz.Error(t, err)
			}
		})
	})
}

// FuzzCall reads the answers to a binding.
//
//orrery:reads core/world/live
func FuzzCall(f *testing.F) {
	status, err := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Code: 409, Reason: "Conflict", Message: "no\x1b[2J"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(409), "application/json", "", status)
	f.Add(uint16(201), "application/json", "", []byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
	f.Add(uint16(429), "text/plain", "3", []byte("slow \xff down"))
	f.Add(uint16(503), "", "99999999999", []byte(`{"kind":"Status","details":{"retryAfterSeconds":2147483647}}`))
	f.Fuzz(func(t *testing.T, code uint16, kind, retryAfter string, body []byte) {
		status := 200 + int(code)%400
		var outcome *world.Outcome
		fuzz.Cost(t, len(body), func() {
			synctest.Test(t, func(t *testing.T) {
				outcome = bindThrough(t, func(r *http.Request) (*http.Response, error) {
					if r.Method != http.MethodPost {
						return answerOf(http.StatusOK, "application/json", bytes.NewReader([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"1"}}`))), nil
					}
					a := answerOf(status, kind, bytes.NewReader(body))
					a.Header.Set("Retry-After", retryAfter)
					return a, nil
				})
			})
		})
		if outcome != nil && !outcome.OK() && outcome.Message == "" {
			t.Errorf("the binding fails and does not say why: %+v", *outcome)
		}
	})
}

// bindThrough binds a pod and returns what came of it within an hour, or nil.
func bindThrough(t *testing.T, through roundTrip) *world.Outcome {
	c, err := live.New(live.Options{Client: clientThrough(t, through)})
	if err != nil {
		t.Fatal(err)
	}
	c.Start()
	defer c.Stop()
	c.Do(world.Effect{ID: 1, Action: world.Bind{Pod: world.PodRef{Namespace: "b", Name: "a", UID: "1"}, Node: "n"}})
	in, ok := c.Next(c.Now().Add(time.Hour))
	if !ok {
		return nil
	}
	outcome := in.Event.(world.EffectDone).Outcome
	return &outcome
}

// FuzzExtender reads the answers of extenders to each verb, with the connection around them.
//
//orrery:reads core/world/live core/world/extender
func FuzzExtender(f *testing.F) {
	f.Add(uint8(0), uint16(200), []byte(`{"Nodes":{"items":[{"metadata":{"name":"n1"}}]},"FailedNodes":{"n2":"\u001b"}}`))
	f.Add(uint8(1), uint16(200), []byte(`[{"Host":"n1","Score":10}]`))
	f.Add(uint8(2), uint16(200), []byte(`{"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"1"}],"NumPDBViolations":-1},"n2":null}}`))
	f.Add(uint8(3), uint16(200), []byte(`{"Error":"no"}`))
	f.Add(uint8(3), uint16(500), []byte(`x`))
	var status int
	var answer []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write(answer)
	}))
	f.Cleanup(server.Close)
	client, err := live.NewExtenderClient(&configv1.Extender{URLPrefix: server.URL, FilterVerb: "f", PrioritizeVerb: "p", PreemptVerb: "e", BindVerb: "b"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, verb uint8, code uint16, body []byte) {
		status, answer = 200+int(code)%400, body
		pod := mk.Pod("p").Obj()
		call := world.CallExtender{
			Verb: world.ExtenderVerb(verb) % (world.ExtenderBind + 1), Pod: world.PodRef{Namespace: "d", Name: "p", UID: "1"}, Timeout: time.Minute, URL: server.URL,
			Request: world.ExtenderRequest{Pod: pod, Nodes: []*v1.Node{mk.Node("n1").Obj(), mk.Node("n2").Obj()}, Node: "n1"},
		}
		fuzz.Cost(t, len(body), func() {
			answer, err := client.Call(t.Context(), call)
			if (answer == nil) == (err == nil) {
				t.Errorf("answer %v and error %v", answer, err)
			}
			if err != nil {
				fuzz.Error(t, err)
			}
		})
	})
}
