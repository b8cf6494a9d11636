package requests

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
)

func TestIsScalar(t *testing.T) {
	for name, tc := range map[v1.ResourceName]struct{ scalar, extended bool }{
		"example.com/gpu":                      {true, true},
		"hugepages-2Mi":                        {true, false},
		"kubernetes.io/batch-cpu":              {true, false},
		"sub.kubernetes.io/thing":              {true, false},
		"attachable-volumes-aws-ebs":           {true, false},
		"pods":                                 {false, false},
		"gpu":                                  {false, false},
		"requests.example.com/gpu":             {false, false},
		"example.com/with space":               {false, false},
		"deviceclass.resource.kubernetes.io/x": {true, false},
	} {
		if got := IsScalar(name); got != tc.scalar {
			t.Errorf("%s is counted: %v, want %v", name, got, tc.scalar)
		}
		if got := IsExtended(name); got != tc.extended {
			t.Errorf("%s is an extended resource: %v, want %v", name, got, tc.extended)
		}
	}
}

// Every name that needs no closer look is valid in a quota.
func TestIsUsual_NamesAreValid(t *testing.T) {
	usual := 0
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[a-z0-9]{1,3}`)
		name := strings.Join(rapid.SliceOfN(part, 1, 70).Draw(t, "domain"), rapid.SampledFrom([]string{".", "-", ""}).Draw(t, "by")) +
			rapid.SampledFrom([]string{"/", "/", "/", "", "//", "./", "/-"}).Draw(t, "slash") +
			strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "name"), rapid.SampledFrom([]string{"-", ".", "_", "..", ""}).Draw(t, "and by"))
		if !isUsual(name) {
			return
		}
		usual++
		if errs := validation.IsQualifiedName("requests." + name); len(errs) > 0 {
			t.Fatalf("%q counts as valid, and is not: %v", name, errs)
		}
	})
	for _, name := range []string{"nvidia.com/gpu", "example.com/gpu-milli", "a/b", strings.Repeat("a", usualDomain) + "/" + strings.Repeat("b", usualName)} {
		if !isUsual(name) {
			t.Errorf("%q needs a closer look", name)
		}
	}
	if usual == 0 {
		t.Error("no name was compared")
	}
}
