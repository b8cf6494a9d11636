package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kubectlHelp is the output of "kubectl options" (v1.35) for the flags of a cluster and a user.
const kubectlHelp = `
    --as string                      Username to impersonate for the operation. User could be a regular user or a service account in a namespace.
    --as-group stringArray           Group to impersonate for the operation, this flag can be repeated to specify multiple groups.
    --as-uid string                  UID to impersonate for the operation.
    --as-user-extra stringArray      User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key.
    --certificate-authority string   Path to a cert file for the certificate authority
    --client-certificate string      Path to a client certificate file for TLS
    --client-key string              Path to a client key file for TLS
    --cluster string                 The name of the kubeconfig cluster to use
    --context string                 The name of the kubeconfig context to use
    --disable-compression            If true, opt-out of response compression for all requests to the server
    --insecure-skip-tls-verify       If true, the server's certificate will not be checked for validity. This will make your HTTPS connections insecure
    --kubeconfig string              Path to the kubeconfig file to use for CLI requests.
-n, --namespace string               If present, the namespace scope for this CLI request
    --request-timeout string         The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don't timeout requests. (default "0")
-s, --server string                  The address and port of the Kubernetes API server
    --tls-server-name string         Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used
    --token string                   Bearer token for authentication to the API server
    --user string                    The name of the kubeconfig user to use
`

func TestKubectlFlags_HelpIsKubectls(t *testing.T) {
	for _, namespaced := range []bool{true, false} {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		newKubectlFlags().addFlags(set, namespaced)
		var want []string
		for line := range strings.Lines(kubectlHelp) {
			if line = strings.Join(strings.Fields(line), " "); line != "" && (namespaced || !strings.HasPrefix(line, "-n")) {
				want = append(want, strings.TrimSuffix(line, "."))
			}
		}
		var got []string
		for line := range strings.Lines(set.FlagUsages()) {
			got = append(got, strings.TrimSuffix(strings.Join(strings.Fields(line), " "), "."))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("namespaced %v (-kubectl +orrery):\n%s", namespaced, diff)
		}
	}
}

// twoContexts is a kubeconfig with the contexts one (current) and two.
func twoContexts(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: "one",
		Clusters:       map[string]*clientcmdapi.Cluster{"one": {Server: "https://one", TLSServerName: "tls-one"}, "two": {Server: "https://two"}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"one": {Token: "token-one"}, "two": {Username: "jane", Password: "secret", Impersonate: "boss"}},
		Contexts: map[string]*clientcmdapi.Context{
			"one": {Cluster: "one", AuthInfo: "one", Namespace: "shop"}, "two": {Cluster: "two", AuthInfo: "two"},
		},
	}, file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func resolved(k *rest.Config, namespace string) string {
	text := fmt.Sprintf("%s as %s%s in %q", k.Host, k.BearerToken, k.Username, namespace)
	if i := k.Impersonate; i.UserName != "" {
		text += fmt.Sprintf(" for %s %s %v %v", i.UserName, i.UID, i.Groups, i.Extra)
	}
	if tls := k.TLSClientConfig; tls.ServerName != "" || tls.Insecure || tls.CAFile != "" || tls.CertFile != "" {
		text += fmt.Sprintf(" tls %s %v %s %s %s", tls.ServerName, tls.Insecure, tls.CAFile, tls.CertFile, tls.KeyFile)
	}
	if k.Timeout != 0 || k.DisableCompression {
		text += fmt.Sprintf(" timeout %s plain %v", k.Timeout, k.DisableCompression)
	}
	return text
}

func TestKubectlFlags_TakePrecedenceOverKubeconfig(t *testing.T) {
	t.Setenv("KUBECONFIG", twoContexts(t))
	for args, want := range map[string]string{
		"":                        `https://one as token-one in "shop" tls tls-one false   `,
		"--context=two":           `https://two as jane in "default" for boss  [] map[]`,
		"--cluster=two":           `https://two as token-one in "shop"`,
		"--user=two":              `https://one as jane in "shop" for boss  [] map[] tls tls-one false   `,
		"--token=mine -n staging": `https://one as mine in "staging" tls tls-one false   `,
		"-s https://three":        `https://three as token-one in "shop"`,
		"--context=two --token=t": `more than one authentication method found for two`,
		"--as=a --as-uid=7":       `https://one as token-one in "shop" for a 7 [] map[] tls tls-one false   `,
		"--as=a --as-group=x --as-group=y --as-user-extra=k=1 --as-user-extra=k=2 --as-user-extra=nothing": `https://one as token-one in "shop" for a  [x y] map[k:[1 2]] tls tls-one false   `,
		"--tls-server-name=other":                                  `https://one as token-one in "shop" tls other false   `,
		"--request-timeout=5s --disable-compression --cluster=two": `https://two as token-one in "shop" timeout 5s plain true`,
		"--insecure-skip-tls-verify --cluster=two":                 `https://two as token-one in "shop" tls  true   `,
		"--context=three":                                          `context "three" does not exist`,
	} {
		t.Run(args, func(t *testing.T) {
			f, set := newKubectlFlags(), pflag.NewFlagSet("", pflag.ContinueOnError)
			f.addFlags(set, true)
			if err := set.Parse(strings.Fields(args)); err != nil {
				t.Fatal(err)
			}
			k, err := f.restConfig()
			if err != nil {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %s", err, want)
				}
				return
			}
			namespace, _, err := f.load().Namespace()
			if err != nil {
				t.Fatal(err)
			}
			if got := resolved(k, namespace); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// An API server that is shown a certificate grants its rights, and does not look at the token.
func TestKubectlFlags_TokenReplacesCertificate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	user := &clientcmdapi.AuthInfo{ClientCertificateData: []byte("certificate"), ClientKeyData: []byte("key")}
	if err := clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"one": {Server: "https://one"}}, AuthInfos: map[string]*clientcmdapi.AuthInfo{"admin": user},
		Contexts: map[string]*clientcmdapi.Context{"one": {Cluster: "one", AuthInfo: "admin"}}, CurrentContext: "one",
	}, file); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"": "certificate", "--token=reader": ""} {
		f, set := newKubectlFlags(), pflag.NewFlagSet("", pflag.ContinueOnError)
		f.addFlags(set, true)
		if err := set.Parse(append(strings.Fields(args), "--kubeconfig="+file)); err != nil {
			t.Fatal(err)
		}
		k, err := f.restConfig()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(k.CertData); got != want || (k.KeyData == nil) != (want == "") {
			t.Errorf("with %q the certificate is %q, want %q", args, got, want)
		}
	}
}

func TestKubectlFlags_ForContextKeepsImpersonationOnly(t *testing.T) {
	t.Setenv("KUBECONFIG", twoContexts(t))
	f, set := newKubectlFlags(), pflag.NewFlagSet("", pflag.ContinueOnError)
	f.addFlags(set, true)
	if err := set.Parse([]string{"--token=mine", "--as=a", "--as-group=x", "--as-user-extra=k=1", "--server=https://three", "-n", "staging"}); err != nil {
		t.Fatal(err)
	}
	other := f.forContext("one")
	k, err := other.restConfig()
	if err != nil {
		t.Fatal(err)
	}
	namespace, _, _ := other.load().Namespace()
	if got, want := resolved(k, namespace), `https://one as token-one in "shop" for a  [x] map[k:[1]] tls tls-one false   `; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
