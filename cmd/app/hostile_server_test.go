package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/trace"
	"orrery/core/world"
)

// hostileModes are the ways in which the hostile API server answers; each is a context of its kubeconfig.
var hostileModes = []string{"refuses", "errs", "fails", "garbles", "breaks", "lists"}

// inHeader is what of the escapes a client accepts in a header.
var inHeader = strings.Map(func(r rune) rune {
	if r < utf8.RuneSelf && unicode.IsControl(r) {
		return -1
	}
	return r
}, escapes)

// hostileServer is an API server that means harm. The first part of a path is the mode.
type hostileServer struct {
	objects []world.Object
}

// serveHostile serves the objects of a trace until the test ends, and returns a kubeconfig.
func serveHostile(t *testing.T, file []byte) string {
	t.Helper()
	s := &hostileServer{}
	r, err := trace.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		if in, ok := record.Body.(trace.Input); ok {
			s.objects = append(s.objects, in.Event.(world.Changed).Object)
		}
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	text := "apiVersion: v1\nkind: Config\nusers: [{name: me, user: {token: t}}]\n"
	var contexts, clusters []string
	for _, mode := range hostileModes {
		contexts = append(contexts, fmt.Sprintf("{name: %s, context: {cluster: %s, user: me}}", strconv.QuoteToASCII(mode+escapes), mode))
		clusters = append(clusters, fmt.Sprintf("{name: %s, cluster: {server: %q}}", mode, server.URL+"/"+mode))
	}
	return text + fmt.Sprintf("current-context: %s\ncontexts: [%s]\nclusters: [%s]\n", strconv.QuoteToASCII("refuses"+escapes), strings.Join(contexts, ", "), strings.Join(clusters, ", "))
}

func (s *hostileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mode, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Warning", `299 - "`+inHeader+`"`)
	watch := r.URL.Query().Get("watch") != ""
	switch {
	case mode == "refuses":
		w.WriteHeader(http.StatusForbidden)
		hostileStatus(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	case mode == "errs":
		w.WriteHeader(http.StatusInternalServerError)
		hostileStatus(w, http.StatusInternalServerError, metav1.StatusReason(escapes))
	case mode == "fails":
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, escapes)
	case mode == "garbles":
		fmt.Fprintf(w, `{"kind": %q, %s`, "\u202e", escapes)
	case mode == "breaks":
		w.Header().Set("Warning", escapes) // it ends the connection
	case watch:
		fmt.Fprint(w, `{"type": "ERROR", "object": `)
		hostileStatus(w, http.StatusInternalServerError, metav1.StatusReason(escapes))
		fmt.Fprint(w, `}`)
	default:
		s.list(w, path[strings.LastIndexByte(path, '/')+1:])
	}
}

func (s *hostileServer) list(w http.ResponseWriter, resource string) {
	for _, kind := range world.Kinds() {
		if kind.Resource().Resource != resource {
			continue
		}
		items := []world.Object{}
		for _, o := range s.objects {
			if world.KindOf(o) == kind {
				items = append(items, o)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"kind": string(kind) + "List", "apiVersion": kind.Resource().GroupVersion().String(),
			"metadata": map[string]any{"resourceVersion": "1"}, "items": items,
		})
		return
	}
	w.WriteHeader(http.StatusNotFound)
	hostileStatus(w, http.StatusNotFound, metav1.StatusReasonNotFound)
}

func hostileStatus(w http.ResponseWriter, code int32, reason metav1.StatusReason) {
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: code, Reason: reason,
		Message: "the server says " + escapes,
	})
}
