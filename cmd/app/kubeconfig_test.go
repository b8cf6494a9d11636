package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orrery/core/testing/fuzz"
	"orrery/core/testing/race"
)

// A kubeconfig that takes much memory or time to decode is refused before that, and one of a thousand clusters is not.
func TestKubeconfig_BoundsMemory(t *testing.T) {
	race.Alone(t)
	const head, refused = "apiVersion: v1\nkind: Config\ncurrent-context: c-7\n", "has more than 150000 names and values or 16777216 bytes of text"
	large := head + "clusters:\n"
	certificate := strings.Repeat("aGVs", 500)
	for i := range 1000 {
		large += fmt.Sprintf("- name: k-%d\n  cluster:\n    server: https://host-%d:6443\n    insecure-skip-tls-verify: true\n", i, i)
	}
	large += "contexts:\n"
	for i := range 1000 {
		large += fmt.Sprintf("- name: c-%d\n  context:\n    cluster: k-%d\n    user: u-%d\n    namespace: default\n", i, i, i)
	}
	large += "users:\n"
	for i := range 1000 {
		large += fmt.Sprintf("- name: u-%d\n  user:\n    token: %s\n", i, certificate)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a thousand clusters":      {large, ""},
		"many clusters":            {head + "clusters: [" + strings.Repeat("{},", 1<<20) + "{}]\n", refused},
		"many extensions":          {head + "preferences: {extensions: [" + strings.Repeat("{},", 1<<20) + "{}]}\n", refused},
		"many lines":               {head + "clusters:\n" + strings.Repeat("-\n", 1<<20), refused},
		"lists of lists":           {head + "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n", refused},
		"one text many times":      {head + "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 100) + "]\n", refused},
		"an anchor within itself":  {head + "a: &a [*a]\n", refused},
		"as many values as may be": {head + "clusters: [" + strings.Repeat("{},", maxKubeconfigValues/2-10) + "{}]\n", "duplicate name"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			fuzz.Cost(t, len(c.text), func() {
				flags := newKubectlFlags()
				flags.kubeconfig = file
				if _, err := flags.restConfig(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("the error is %.300v, want one with %q", err, c.want)
				}
			})
		})
	}
}
