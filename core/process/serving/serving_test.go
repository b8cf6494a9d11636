package serving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/server/healthz"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/config"
	"orrery/core/trace/stream"
)

// ask asks a path as a user; without a name as somebody who could not be told who they are. Only admin may do anything.
func ask(e *Endpoints, path, name string) (int, string) {
	authn := authenticator.RequestFunc(func(*http.Request) (*authenticator.Response, bool, error) {
		return &authenticator.Response{User: &user.DefaultInfo{Name: name}}, name != "", nil
	})
	authz := authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if a.GetUser().GetName() == "admin" {
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionNoOpinion, "", nil
	})
	w := httptest.NewRecorder()
	withAuth(e.Handler(), authn, authz).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func endpoints(t *testing.T, gates ...string) *Endpoints {
	t.Helper()
	features, err := config.ParseFeatureFlag(gates...)
	if err != nil {
		t.Fatal(err)
	}
	return &Endpoints{Config: config.Default(features), Leading: func() bool { return true }}
}

func TestServer_RequiresAuthorization(t *testing.T) {
	for _, path := range []string{"/metrics", "/metrics/resources", "/metrics/slis", "/configz", "/healthz", "/readyz", "/debug/pprof/", stream.Path, "/nothing"} {
		for name, want := range map[string]int{"": http.StatusUnauthorized, "guest": http.StatusForbidden} {
			if code, _ := ask(endpoints(t), path, name); code != want {
				t.Errorf("%s for %q: %d, want %d", path, name, code, want)
			}
		}
	}
}

func TestEndpoints_DependOnConfiguration(t *testing.T) {
	quiet := endpoints(t)
	quiet.Config.EnableProfiling = false
	for name, c := range map[string]struct {
		of   *Endpoints
		path string
		want int
	}{
		"profiles, if profiling is on":        {endpoints(t), "/debug/pprof/", 200},
		"no profiles otherwise":               {quiet, "/debug/pprof/", 404},
		"a status page behind its gate":       {endpoints(t, "ComponentStatusz=true"), "/statusz", 200},
		"no status page without it":           {endpoints(t), "/statusz", 404},
		"no flags without theirs":             {endpoints(t), "/flagz", 404},
		"metrics, of the process if no other": {endpoints(t), "/metrics", 200},
	} {
		t.Run(name, func(t *testing.T) {
			if code, body := ask(c.of, c.path, "admin"); code != c.want {
				t.Errorf("%d, want %d: %.200s", code, c.want, body)
			}
		})
	}
}

func TestConfigz_ShowsVersionedConfiguration(t *testing.T) {
	_, body := ask(endpoints(t), "/configz", "admin")
	var shown struct {
		ComponentConfig struct {
			Kind     string
			Profiles []struct{ SchedulerName string }
		}
	}
	if err := json.Unmarshal([]byte(body), &shown); err != nil {
		t.Fatal(err)
	}
	if c := shown.ComponentConfig; c.Kind != "KubeSchedulerConfiguration" || c.Profiles[0].SchedulerName != "default-scheduler" {
		t.Errorf("shown: %.300s", body)
	}
}

func TestResources_OnlyOfLeader(t *testing.T) {
	e := endpoints(t)
	e.Resources = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "kube_pod_resource_request") })
	if _, body := ask(e, "/metrics/resources", "admin"); body == "" {
		t.Error("the leader shows nothing")
	}
	e.Leading = func() bool { return false }
	if code, body := ask(e, "/metrics/resources", "admin"); code != 200 || body != "" {
		t.Errorf("a follower shows %d %q", code, body)
	}
}

func TestReadyz_NamesFailingCheck(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := endpoints(t)
	e.Readyz = []healthz.HealthChecker{ShutdownCheck(ctx), Check{"sync", func() error { return errors.New("not yet") }}}
	code, body := ask(e, "/readyz", "admin")
	if code != 500 || !strings.Contains(body, "[-]sync") || !strings.Contains(body, "[+]shutdown ok") {
		t.Errorf("%d %s", code, body)
	}
	cancel()
	if _, body = ask(e, "/readyz", "admin"); !strings.Contains(body, "[-]shutdown") {
		t.Errorf("while it stops: %s", body)
	}
	if code, _ := ask(e, "/livez", "admin"); code != 200 {
		t.Errorf("alive: %d", code)
	}
}

// Each method of each path is authorized by the verb of its name, which is the one that the documents tell administrators to grant.
func TestServer_AuthorizesByDocumentedVerb(t *testing.T) {
	e, paths := everything(t)
	var verb, path string
	authz := authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		verb, path = a.GetVerb(), a.GetPath()
		if a.IsResourceRequest() {
			t.Errorf("%s counts as a resource", path)
		}
		return authorizer.DecisionDeny, "", nil
	})
	authn := authenticator.RequestFunc(func(*http.Request) (*authenticator.Response, bool, error) {
		return &authenticator.Response{User: &user.DefaultInfo{Name: "guest"}}, true, nil
	})
	handler := withAuth(e.Handler(), authn, authz)
	for _, of := range paths {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete} {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, "https://x"+of, nil))
			if verb != strings.ToLower(method) || path != of {
				t.Errorf("%s %s is authorized as %s of %s", method, of, verb, path)
			}
		}
	}
	document, err := os.ReadFile("../../../docs/SECURITY.md")
	if err != nil || !strings.Contains(string(document), "| `PUT /debug/flags/v` | the level of the log, up to 7 | `put` of that nonResourceURL") {
		t.Errorf("docs/SECURITY.md names another verb for PUT /debug/flags/v: %v", err)
	}
}

// The configuration that is served has no secrets.
func TestConfigz_HasNoSecrets(t *testing.T) {
	e := endpoints(t)
	e.Config.Extenders = []configv1.Extender{{
		URLPrefix: "https://us3r:s3cret@host/path", FilterVerb: "filter",
		TLSConfig: &configv1.ExtenderTLSConfig{KeyData: []byte("s3cret"), CertData: []byte("s3cret")},
	}}
	code, body := ask(e, "/configz", "admin")
	if code != http.StatusOK || !strings.Contains(body, "https://host/path") || strings.Contains(body, "s3") || strings.Contains(body, "czNjcmV0") {
		t.Errorf("%d %s", code, body)
	}
}

func TestOpen_PortZeroIsNoServer(t *testing.T) {
	o := NewOptions()
	o.Secure.BindPort = 0
	if s, err := o.Open(); s != nil || err != nil {
		t.Errorf("got %v, %v", s, err)
	}
}
