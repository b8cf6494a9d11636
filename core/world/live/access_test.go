package live_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"orrery/core/world"
	"orrery/core/world/live"
)

// gate is an API server that permits some paths, whose lists are empty, forbids others, and records the requests.
type gate struct {
	mu     sync.Mutex
	asked  []string
	permit func(path string) bool
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	if !g.permit(r.URL.Path) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`))
		return
	}
	if r.URL.Query().Get("watch") != "" {
		return
	}
	kind := ""
	if strings.HasSuffix(r.URL.Path, "/workloads") { // which a dynamic client reads
		kind = `"apiVersion":"scheduling.k8s.io/v1alpha1","kind":"WorkloadList",`
	}
	_, _ = w.Write([]byte(`{` + kind + `"metadata":{"resourceVersion":"7"},"items":[]}`))
}

func reached(t *testing.T, kinds []world.Kind, namespace string, permit func(path string) bool) (live.Access, *gate) {
	t.Helper()
	g := &gate{permit: permit}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	client, err := live.NewClient(&rest.Config{Host: server.URL, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	access, err := live.CheckAccess(t.Context(), client, kinds, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return access, g
}

func TestCheckAccess_FallsBackToNamespace(t *testing.T) {
	inTeamA := func(path string) bool { return strings.Contains(path, "/namespaces/team-a/") }
	access, g := reached(t, world.Kinds(), "team-a", inTeamA)
	if got, want := len(access.Kinds)+len(access.Unreadable)-len(access.Namespaces), len(world.Kinds()); got != want {
		t.Errorf("%d kinds are accounted for, want %d", got, want)
	}
	for _, kind := range world.Kinds() {
		resource := kind.Resource()
		if kind == world.DeviceTaintRule {
			resource.Version = "v1" // which is asked for first, and refused
		}
		tries := 0
		for _, path := range g.asked {
			if strings.HasSuffix(path, "/"+resource.Resource) && strings.Contains(path, resource.Version) {
				tries++
			}
		}
		within := access.Namespaces[kind] == "team-a"
		if readable := slices.Contains(access.Kinds, kind); readable != within {
			t.Errorf("%s: readable: %t, within team-a: %t", kind, readable, within)
		}
		// Everywhere, and then either in the namespace, where it is both listed and watched, or nowhere else.
		if want := 1 + 2*map[bool]int{true: 1}[within]; tries != want {
			t.Errorf("%s: asked for %d times, want %d: %q", kind, tries, want, g.asked)
		}
		i := slices.IndexFunc(access.Unreadable, func(u live.Unreadable) bool { return u.Kind == kind })
		if i < 0 || !access.Unreadable[i].Forbidden || (access.Unreadable[i].OnlyIn == "team-a") != within {
			t.Errorf("%s: what cannot be read of it is %+v", kind, access.Unreadable)
		}
	}
	for _, kind := range []world.Kind{world.Pod, world.PodDisruptionBudget, world.ReplicaSet} {
		if access.Namespaces[kind] == "" {
			t.Errorf("%s are not read in the namespace", kind)
		}
	}
}

func TestCheckAccess_NoFallbackWithoutNamespace(t *testing.T) {
	access, g := reached(t, []world.Kind{world.Pod, world.Node}, "", func(path string) bool { return path == "/api/v1/nodes" })
	if !slices.Equal(access.Kinds, []world.Kind{world.Node}) || len(access.Namespaces) > 0 || len(access.Unreadable) != 1 || access.Unreadable[0].OnlyIn != "" {
		t.Errorf("the access is %+v", access)
	}
	for _, path := range g.asked {
		if strings.Contains(path, "/namespaces/") {
			t.Errorf("it asked for %s", path)
		}
	}
}
