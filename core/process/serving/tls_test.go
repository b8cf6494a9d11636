package serving

import (
	"crypto/tls"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	cliflag "k8s.io/component-base/cli/flag"
)

// Versions of TLS below --tls-min-version are refused, and without the flag those that are broken.
func TestTLS_MinimumVersion(t *testing.T) {
	for _, flag := range append(cliflag.TLSPossibleVersions(), "") {
		least, err := cliflag.TLSVersion(flag)
		if err != nil {
			t.Fatal(err)
		}
		address := serve(t, "--tls-min-version="+flag)
		for version := uint16(tls.VersionTLS10); version <= tls.VersionTLS13; version++ {
			c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
			if err == nil {
				c.Close()
			}
			if (err == nil) != (version >= least) {
				t.Errorf("--tls-min-version=%s and a client with %s: %v", flag, tls.VersionName(version), err)
			}
		}
		if flag == "" && least < tls.VersionTLS12 {
			t.Errorf("by default %s is taken", tls.VersionName(least))
		}
	}
}

// Below TLS 1.3 only the suites of --tls-cipher-suites are taken, whichever they are.
func TestTLS_CipherSuites(t *testing.T) {
	for _, name := range cliflag.PreferredTLSCipherNames() {
		if !strings.Contains(name, "_RSA_") || strings.HasPrefix(name, "TLS_AES") || strings.HasPrefix(name, "TLS_CHACHA20") {
			continue // the generated certificate is of RSA; those of TLS 1.3 cannot be chosen
		}
		address := serve(t, "--tls-cipher-suites="+name, "--disable-http2-serving=true") // HTTP/2 takes one of two suites
		for _, other := range cliflag.PreferredTLSCipherNames() {
			ids, err := cliflag.TLSCipherSuites([]string{other})
			if err != nil {
				t.Fatal(err)
			}
			c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: ids})
			if err == nil {
				c.Close()
			}
			same := ids[0] == suite(t, name)
			if (err == nil) != same {
				t.Errorf("--tls-cipher-suites=%s and a client with %s: %v", name, other, err)
			}
		}
	}
}

// HTTP/2 over TLS 1.2 requires a suite, so that without one the flags contradict each other.
func TestTLS_CipherSuitesOfHTTP2(t *testing.T) {
	for _, tt := range []struct {
		suites, version string
		withoutHTTP2    bool
		refused         bool
	}{
		{"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "", false, true},
		{"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "", true, false},
		{"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "VersionTLS13", false, false},
		{"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "", false, false},
	} {
		o := NewOptions()
		o.Secure.cipherSuites, o.Secure.minVersion, o.Secure.disableHTTP2 = strings.Split(tt.suites, ","), tt.version, tt.withoutHTTP2
		_, err := o.Secure.secureListener()
		if (err != nil) != tt.refused || err != nil && !strings.Contains(err.Error(), "--tls-cipher-suites") {
			t.Errorf("%+v: error %v", tt, err)
		}
	}
}

func suite(t *testing.T, name string) uint16 {
	t.Helper()
	ids, err := cliflag.TLSCipherSuites([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return ids[0]
}

// writePair writes a certificate for a name and its key.
func writePair(t *testing.T, dir, host string) (certFile, keyFile string) {
	t.Helper()
	cert, key, err := certutil.GenerateSelfSignedCertKey(host, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	if err := certutil.WriteCert(certFile, cert); err != nil {
		t.Fatal(err)
	}
	if err := keyutil.WriteKey(keyFile, key); err != nil {
		t.Fatal(err)
	}
	return certFile, keyFile
}

// served returns the certificate that a server shows to clients of a name.
func served(t *testing.T, address, name string) string {
	t.Helper()
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, ServerName: name})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return string(c.ConnectionState().PeerCertificates[0].Raw)
}

// leaf is the first certificate of a file.
func leaf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	return string(block.Bytes)
}

// Certificates, those by name too, are served anew once their files are replaced, and clients are checked against a new CA.
func TestTLS_ReloadsCertificates(t *testing.T) {
	dir, byName := t.TempDir(), t.TempDir()
	cert, key := writePair(t, dir, "first.example.com")
	named, namedKey := writePair(t, byName, "named.example.com")
	before, after := newAuthority(t), newAuthority(t)
	ca := before.file(t)
	kubeconfig := reviewer{}.kubeconfig(t)
	address := serve(t, "--tls-cert-file="+cert, "--tls-private-key-file="+key, "--tls-sni-cert-key="+named+","+namedKey, "--client-ca-file="+ca,
		"--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig)
	for name, file := range map[string]string{"other.example.com": cert, "named.example.com": named} {
		if served(t, address, name) != leaf(t, file) {
			t.Errorf("%s is not served the certificate of %s", name, file)
		}
	}
	old, young := before.client(t, "admin"), after.client(t, "admin")
	if code := get(t, address, "/metrics", old, nil); code != 200 {
		t.Errorf("a client of the first CA: %d", code)
	}
	writePair(t, dir, "second.example.com")
	writePair(t, byName, "named.example.com")
	if err := os.WriteFile(ca, []byte(after.pem), 0o600); err != nil {
		t.Fatal(err)
	}
	reloaded := func() bool {
		return served(t, address, "other.example.com") == leaf(t, cert) && served(t, address, "named.example.com") == leaf(t, named) &&
			get(t, address, "/metrics", old, nil) == 401 && get(t, address, "/metrics", young, nil) == 200
	}
	for range 3000 { // the files are watched, and read again each minute
		if reloaded() {
			return
		}
	}
	t.Error("what is served is not what the files have now")
}
