package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/config"
)

// What is shown of a configuration has no key and no password of an extender; the other form has them, and is unchanged by that.
func TestYAML_HasNoSecrets(t *testing.T) {
	c := config.Default(config.DefaultFeatures())
	c.Extenders = []configv1.Extender{
		{URLPrefix: "https://us3r:s3cret@host/path", FilterVerb: "filter", TLSConfig: &configv1.ExtenderTLSConfig{
			ServerName: "name", CertFile: "cert.pem", KeyFile: "key.pem", CertData: []byte("s3cret"), KeyData: []byte("s3cret"), CAData: []byte("ca"),
		}},
		{URLPrefix: "https://s3cretkey@host"},
		{URLPrefix: "https://us3r:s3/cret@host"},
	}
	const base64 = "czNjcmV0"
	text, err := c.YAML()
	if err != nil || strings.Contains(string(text), "s3") || strings.Contains(string(text), base64) {
		t.Errorf("%s, %v", text, err)
	}
	for _, shown := range []string{"https://host/path", "key.pem", "serverName: name", "filterVerb: filter"} {
		if !strings.Contains(string(text), shown) {
			t.Errorf("it lacks %s: %s", shown, text)
		}
	}
	whole, err := c.YAMLWithSecrets()
	if err != nil || !strings.Contains(string(whole), "https://us3r:s3cret@host/path") || strings.Count(string(whole), base64) != 2 {
		t.Errorf("%s, %v", whole, err)
	}
	if kept, _ := json.Marshal(c.Extenders); !strings.Contains(string(kept), base64) || !strings.Contains(string(kept), "s3cret@host") {
		t.Errorf("the configuration has become %s", kept)
	}
}
