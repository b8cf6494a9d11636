package serving

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	cliflag "k8s.io/component-base/cli/flag"
)

// reviewer is an API server that knows the token "good" as admin and "guest" as a guest, lets admin do anything, and has a ConfigMap of
// authentication settings.
type reviewer struct{ settings map[string]string }

func (s reviewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/tokenreviews"):
		var review authenticationv1.TokenReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		switch review.Spec.Token {
		case "good":
			review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: "admin"}}
		case "guest":
			review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: "guest"}}
		case "expired":
			review.Status.Error = "token has expired"
		}
		_ = json.NewEncoder(w).Encode(review)
	case strings.HasSuffix(r.URL.Path, "/subjectaccessreviews"):
		var review authorizationv1.SubjectAccessReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		review.Status.Allowed = review.Spec.User == "admin"
		_ = json.NewEncoder(w).Encode(review)
	case s.settings == nil:
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`))
	case r.URL.Query().Get("sendInitialEvents") != "":
		w.WriteHeader(http.StatusUnprocessableEntity) // the client lists instead
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`))
	case r.URL.Query().Get("watch") != "":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		object := map[string]any{"metadata": map[string]any{"namespace": settingsNamespace, "name": settingsName, "resourceVersion": "1"}, "data": s.settings}
		if !strings.HasSuffix(r.URL.Path, settingsName) {
			object = map[string]any{"kind": "ConfigMapList", "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{object}}
		}
		_ = json.NewEncoder(w).Encode(object)
	}
}

func (s reviewer) kubeconfig(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	file := filepath.Join(t.TempDir(), "kubeconfig")
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: "c", Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: server.URL}},
		Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c"}},
	}, file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReviewClient_HidesPasswordOfAddress(t *testing.T) {
	for _, host := range []string{"http://me:c4n4ry@127.0.0.1:1", "http://me:c4n4ry@127.0.0.1 :1"} {
		file := filepath.Join(t.TempDir(), "kubeconfig")
		err := clientcmd.WriteToFile(clientcmdapi.Config{
			CurrentContext: "c", Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: host}},
			Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c"}},
		}, file)
		if err != nil {
			t.Fatal(err)
		}
		client, err := reviewClient(file, "authentication", 0)
		if err == nil {
			_, err = client.CoreV1().ConfigMaps("").List(t.Context(), metav1.ListOptions{})
		}
		if err == nil || strings.Contains(err.Error(), "me:") || strings.Contains(err.Error(), "c4n4ry") {
			t.Errorf("%s: %v", host, err)
		}
	}
}

var distantFuture = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// authority is a CA, and signs client certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotAfter: distantFuture,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

func (a *authority) file(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(file, []byte(a.pem), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (a *authority) client(t *testing.T, name string) *tls.Certificate {
	t.Helper()
	return a.clientUntil(t, name, distantFuture)
}

func (a *authority) clientUntil(t *testing.T, name string, end time.Time) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: end,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serve starts a server with the flags on a free port of the loopback, and returns its address.
func serve(t *testing.T, flags ...string) string {
	t.Helper()
	return serveAt(t, endpoints(t), flags...)
}

func serveAt(t *testing.T, e *Endpoints, flags ...string) string {
	t.Helper()
	return serveWith(t, e, func(*Server) {}, flags...)
}

// serveWith changes the server before it starts.
func serveWith(t *testing.T, e *Endpoints, change func(*Server), flags ...string) string {
	t.Helper()
	o, sets := NewOptions(), cliflag.NamedFlagSets{}
	o.AddFlags(&sets)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	all := append([]string{"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(port)}, flags...)
	for _, flag := range all {
		name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		for _, section := range sets.Order {
			if set := sets.FlagSets[section]; set.Lookup(name) != nil {
				if err := set.Set(name, value); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if errs := o.Validate(); len(errs) > 0 {
		t.Fatal(errs)
	}
	s, err := o.Open()
	if errors.Is(err, syscall.EADDRINUSE) { // another process has taken the port since it was free
		return serveWith(t, e, change, flags...)
	}
	if err != nil {
		t.Fatal(err)
	}
	change(s)
	s.Start(e)
	t.Cleanup(s.Stop)
	return s.Address().String()
}

// get requests a path over TLS and returns the status code.
func get(t *testing.T, address, path string, cert *tls.Certificate, headers map[string]string) int {
	t.Helper()
	config := &tls.Config{InsecureSkipVerify: true}
	if cert != nil {
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

func TestServer_AuthenticatesAndAuthorizes(t *testing.T) {
	users, proxies, strangers := newAuthority(t), newAuthority(t), newAuthority(t)
	settings := map[string]string{
		"client-ca-file": users.pem, "requestheader-client-ca-file": proxies.pem, "requestheader-username-headers": `["X-Remote-User"]`,
		"requestheader-group-headers": `["X-Remote-Group"]`, "requestheader-extra-headers-prefix": `["X-Remote-Extra-"]`,
		"requestheader-allowed-names": `["front-proxy"]`,
	}
	byFlags := func(kubeconfig string) []string {
		return []string{"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig}
	}
	admin, proxied := map[string]string{"Authorization": "Bearer good"}, map[string]string{"X-Remote-User": "admin"}
	for name, c := range map[string]struct {
		settings map[string]string
		flags    []string
		path     string
		cert     *tls.Certificate
		headers  map[string]string
		want     int
	}{
		"health is for everybody":                      {path: "/healthz", want: 200},
		"no token is anonymous":                        {path: "/metrics", want: 403},
		"a token that is reviewed":                     {path: "/metrics", headers: admin, want: 200},
		"a token that the review rejects":              {path: "/metrics", headers: map[string]string{"Authorization": "Bearer bad"}, want: 401},
		"a client certificate of the cluster's CA":     {settings: settings, path: "/metrics", cert: users.client(t, "admin"), want: 200},
		"another user of the cluster's CA":             {settings: settings, path: "/metrics", cert: users.client(t, "guest"), want: 403},
		"a client certificate of another CA":           {settings: settings, path: "/metrics", cert: strangers.client(t, "admin"), want: 401},
		"a front proxy of the cluster's settings":      {settings: settings, path: "/metrics", cert: proxies.client(t, "front-proxy"), headers: proxied, want: 200},
		"a front proxy that is not allowed":            {settings: settings, path: "/metrics", cert: proxies.client(t, "other"), headers: proxied, want: 401},
		"proxy headers without a certificate":          {settings: settings, path: "/metrics", headers: proxied, want: 403},
		"the cluster's settings are skipped on demand": {settings: settings, flags: []string{"--authentication-skip-lookup=true"}, path: "/metrics", cert: users.client(t, "admin"), want: 403},
		"a client certificate of --client-ca-file":     {flags: []string{"--client-ca-file=" + users.file(t)}, path: "/metrics", cert: users.client(t, "admin"), want: 200},
		"a front proxy of --requestheader-client-ca":   {flags: []string{"--requestheader-client-ca-file=" + proxies.file(t)}, path: "/metrics", cert: proxies.client(t, "any"), headers: proxied, want: 200},
		"a front proxy outside of its allowed names":   {flags: []string{"--requestheader-client-ca-file=" + proxies.file(t), "--requestheader-allowed-names=front-proxy"}, path: "/metrics", cert: proxies.client(t, "any"), headers: proxied, want: 401},
		"a path of --authorization-always-allow-paths": {flags: []string{"--authorization-always-allow-paths=/configz"}, path: "/configz", want: 200},
		"health without its place among allowed paths": {flags: []string{"--authorization-always-allow-paths=/configz"}, path: "/healthz", want: 403},
	} {
		t.Run(name, func(t *testing.T) {
			address := serve(t, append(byFlags(reviewer{c.settings}.kubeconfig(t)), c.flags...)...)
			got := 0
			for range 3000 { // the cluster's settings arrive a while after the start
				if got = get(t, address, c.path, c.cert, c.headers); got == c.want {
					return
				}
			}
			t.Errorf("%d, want %d", got, c.want)
		})
	}
}

func TestServer_WithoutKubeconfigOnlyServesAllowedPaths(t *testing.T) {
	address := serve(t)
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 403} {
		if got := get(t, address, path, nil, map[string]string{"Authorization": "Bearer good"}); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

func TestOpen_FailsWithoutClusterSettingsOnDemand(t *testing.T) {
	o, sets := NewOptions(), cliflag.NamedFlagSets{}
	o.AddFlags(&sets)
	o.Authentication.kubeconfig, o.Authentication.tolerateLookup = reviewer{}.kubeconfig(t), false
	o.Secure.BindAddress, o.Secure.BindPort = net.IPv4(127, 0, 0, 1), 0
	if _, err := o.Authentication.authenticator(nil); err == nil || !strings.Contains(err.Error(), "looking up authentication settings") {
		t.Errorf("error %v", err)
	}
}

func TestOpen_KeepsGeneratedCertificateInCertDir(t *testing.T) {
	dir := t.TempDir()
	o := SecureOptions{BindAddress: net.IPv4(127, 0, 0, 1), certDir: dir}
	var kept [2]string
	for i := range kept {
		c, err := o.certificate()
		if err != nil {
			t.Fatal(err)
		}
		cert, _ := c.CurrentCertKeyContent()
		kept[i] = string(cert)
	}
	if kept[0] != kept[1] || kept[0] == "" {
		t.Error("the second start has another certificate")
	}
	if files, _ := filepath.Glob(dir + "/kube-scheduler.*"); len(files) != 2 {
		t.Errorf("files %q", files)
	}
}

func TestOptions_Validate(t *testing.T) {
	for flag, want := range map[string]string{
		"secure-port=70000": "--secure-port 70000", "secure-port=-1": "--secure-port -1", "secure-port=0": "",
		"requestheader-username-headers= ":        "--requestheader-username-headers: empty value",
		"requestheader-uid-headers=X-Remote-Uid":  "",
		"requestheader-extra-headers-prefix=ok, ": "--requestheader-extra-headers-prefix: empty value",
	} {
		o, sets := NewOptions(), cliflag.NamedFlagSets{}
		o.AddFlags(&sets)
		name, value, _ := strings.Cut(flag, "=")
		for _, section := range sets.Order {
			if set := sets.FlagSets[section]; set.Lookup(name) != nil {
				if err := set.Set(name, value); err != nil {
					t.Fatal(err)
				}
			}
		}
		text := ""
		for _, err := range o.Validate() {
			text += err.Error()
		}
		if want == "" && text != "" || !strings.Contains(text, want) {
			t.Errorf("--%s: %q, want %q", flag, text, want)
		}
	}
}
