package live_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"orrery/core/world"
	"orrery/core/world/live"
)

// readFrom reads a kind from a server once.
func readFrom(t *testing.T, kind world.Kind, serve http.HandlerFunc) ([]world.Listed, error) {
	t.Helper()
	lists, _, err := live.ReadOnce(t.Context(), clientOf(t, serve), []world.Kind{kind})
	return lists, err
}

func clientOf(t *testing.T, serve http.HandlerFunc) live.Client {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	client, err := live.NewClient(&rest.Config{Host: server.URL, QPS: -1, ContentConfig: rest.ContentConfig{
		ContentType: "application/json", AcceptContentTypes: "application/vnd.kubernetes.protobuf,application/json",
	}})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// podList is a list of so many pods in JSON.
func podList(n int, pod, next string) string {
	return `{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"` + next + `"},"items":[` + strings.Repeat(pod+",", n-1) + pod + "]}"
}

func asJSON(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// protobuf is an answer that says it is of the kind, with these bytes as the object.
func protobuf(t *testing.T, kind string, object []byte) http.HandlerFunc {
	envelope := apiruntime.Unknown{TypeMeta: apiruntime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: object}
	encoded, err := envelope.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
		_, _ = w.Write(append([]byte("k8s\x00"), encoded...))
	}
}

// endless writes until the reader has gone.
func endless(w io.Writer, text string) {
	for part := []byte(strings.Repeat(text, 4096)); ; {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

// mostMemory is what reading an answer of a megabyte may allocate.
const mostMemory = 256 << 20

func TestReadOnce_BoundsAnswers(t *testing.T) {
	var packed bytes.Buffer
	to := gzip.NewWriter(&packed)
	_, _ = to.Write(bytes.Repeat([]byte(" "), 1<<20))
	_ = to.Close()
	packedSpaces := packed.Bytes()
	const large, memory = "the API server's answer is too large: it has more than 32 MiB", "the API server's answer is too large: what it sent up to here takes more than"
	for name, c := range map[string]struct {
		kind  world.Kind
		serve http.HandlerFunc
		want  string
	}{
		"a list without an end": {world.Pod, func(w http.ResponseWriter, _ *http.Request) { endless(w, "{}, ") }, large},
		"an error without an end": {world.Pod, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			endless(w, "no, ")
		}, "an error on the server"},
		"packed without an end": {world.Pod, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			for range 40 { // parts of a mebibyte
				_, _ = w.Write(packedSpaces)
			}
		}, large},
		"what is not packed": {world.Pod, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			asJSON("{}")(w, r)
		}, "unpacking the API server's answer"},
		"a list that goes on with the same part": {world.Pod, asJSON(podList(3, "{}", "again")), "the same part of the list again and again"},
		"empty pods":                             {world.Pod, asJSON(podList(60_000, "{}", "")), memory},
		"empty pods for services":                {world.Service, asJSON(podList(60_000, "{}", "")), memory},
		"a list that names no type":              {world.Pod, asJSON(strings.Replace(podList(60_000, "{}", ""), `"kind":"PodList","apiVersion":"v1",`, "", 1)), memory},
		"custom objects":                         {"foos.v1.example.com", asJSON(`{"kind":"FooList","apiVersion":"example.com/v1","items":[{"a":[` + strings.Repeat("{},", 60_000) + "{}]}]}"), ""},
		"empty pods in a protocol buffer":        {world.Pod, protobuf(t, "PodList", bytes.Repeat([]byte{0x12, 0}, 300_000)), memory},
		"a pod of containers":                    {world.Pod, protobuf(t, "Pod", append([]byte{0x12, 0xc0, 0xcf, 0x24}, bytes.Repeat([]byte{0x12, 0}, 300_000)...)), memory},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var err error
			if c.want == large { // it would be asked for again
				_, err = live.CheckAccess(t.Context(), clientOf(t, c.serve), []world.Kind{c.kind}, "")
			} else {
				_, err = readFrom(t, c.kind, c.serve)
			}
			runtime.ReadMemStats(&after)
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > mostMemory {
				t.Errorf("%d MiB are allocated", took>>20)
			}
		})
	}
}

// Pods that are packed well take much memory for the bytes that are sent: they are asked for again, unpacked and fewer.
func TestReadOnce_AsksForLessAgain(t *testing.T) {
	pod := `{"metadata":{"name":"a"},"spec":{"containers":[` + strings.Repeat(`{"name":"a"},`, 199) + `{"name":"a"}]}}`
	var asked []string
	lists, err := readFrom(t, world.Pod, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
		next := ""
		if from+limit < 200 {
			next = strconv.Itoa(from + limit)
		}
		text := podList(min(limit, 200-from), pod, next)
		packed := r.Header.Get("Accept-Encoding")
		asked = append(asked, fmt.Sprint(limit, packed))
		if packed != "gzip" {
			_, _ = io.WriteString(w, text)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		to := gzip.NewWriter(w)
		_, _ = io.WriteString(to, text)
		_ = to.Close()
	})
	if err != nil || len(lists[0].Objects) != 200 {
		t.Fatalf("%d lists, and the error %v", len(lists), err)
	}
	if want := "500gzip 25identity"; !strings.HasPrefix(strings.Join(asked, " "), want) || len(asked) != 9 {
		t.Errorf("it asks for %v", asked)
	}
}

// Every answer is bounded, not those of lists alone: that of a lease, of a pod, and to a write.
func TestClient_BoundsEveryAnswer(t *testing.T) {
	for name, ask := range map[string]func(context.Context, live.Client) error{
		"a lease": func(ctx context.Context, c live.Client) error {
			_, err := c.CoordinationV1().Leases("n").Get(ctx, "l", metav1.GetOptions{})
			return err
		},
		"a pod": func(ctx context.Context, c live.Client) error {
			_, err := c.CoreV1().Pods("n").Get(ctx, "p", metav1.GetOptions{})
			return err
		},
		"a plain list": func(ctx context.Context, c live.Client) error {
			_, err := c.CoreV1().Pods("n").List(ctx, metav1.ListOptions{})
			return err
		},
		"a binding": func(ctx context.Context, c live.Client) error {
			return c.CoreV1().Pods("n").Bind(ctx, &v1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, metav1.CreateOptions{})
		},
	} {
		for text, begin := range map[string]string{"of one text": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"`, "of small parts": `{"kind":"PodList","apiVersion":"v1","items":[{}`} {
			t.Run(name+" "+text, func(t *testing.T) {
				client := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, begin)
					endless(w, ",{}")
				})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := ask(t.Context(), client)
				runtime.ReadMemStats(&after)
				if err == nil || !strings.Contains(err.Error(), "the API server's answer is too large") {
					t.Errorf("the error is %.300v", err)
				}
				if taken := after.TotalAlloc - before.TotalAlloc; taken > mostMemory {
					t.Errorf("it took %d MiB", taken>>20)
				}
			})
		}
	}
}
