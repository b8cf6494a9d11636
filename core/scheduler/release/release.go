package release

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/version"
)

// Release is a minor release of Kubernetes. The zero value is 1.35, which recordings without a release were made with.
type Release uint8

// The releases that are modelled, in order.
const (
	V135 Release = iota
	V136
	V137
)

// Oldest and Newest bound what is modelled.
const (
	Oldest = V135
	Newest = V137
)

// oldestMinor is the minor number of Oldest; the others follow it one by one.
const oldestMinor = 35

// patches are the versions that core/parity compares with.
var patches = [...]int{V135: 4, V136: 3, V137: 2}

// All returns the releases, oldest first.
func All() []Release {
	all := make([]Release, len(patches))
	for i := range all {
		all[i] = Release(i)
	}
	return all
}

// String returns the release as --emulated-version and /statusz write it: 1.36.
func (r Release) String() string { return "1." + strconv.Itoa(r.minor()) }

// IsZero reports whether the release is the one that goes without saying: documents and recordings leave it out.
func (r Release) IsZero() bool { return r == 0 }

// Patch is the version of the release that core/parity compares with, such as 1.36.3.
func (r Release) Patch() string {
	if int(r) >= len(patches) {
		return r.String()
	}
	return r.String() + "." + strconv.Itoa(patches[r])
}

// Emulated is the version that a LeaseCandidate announces to emulate: 1.36.0.
func (r Release) Emulated() string { return r.String() + ".0" }

func (r Release) minor() int { return oldestMinor + int(r) }

// Parse reads a release: 1.36, v1.36 or one of its patches, 1.36.3.
func Parse(text string) (Release, error) {
	numbers := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(numbers) < 2 || len(numbers) > 3 {
		return 0, fmt.Errorf("reading the release of Kubernetes %+.40q: it is written as %s", text, Newest)
	}
	for _, n := range numbers {
		if _, err := strconv.ParseUint(n, 10, 31); err != nil {
			return 0, fmt.Errorf("reading the release of Kubernetes %+.40q: %+.40q is no number; it is written as %s", text, n, Newest)
		}
	}
	minor, _ := strconv.Atoi(numbers[1])
	r := minor - oldestMinor
	if numbers[0] != "1" || r < 0 || r > int(Newest) {
		return 0, fmt.Errorf("release %.40s of Kubernetes is not modelled: this program decides as %s", text, list())
	}
	return Release(r), nil
}

// list names the releases in a sentence.
func list() string {
	var names []string
	for _, r := range All() {
		names = append(names, r.String())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// OfServer returns the release by which an API server's own kube-scheduler decides: the newest modelled one if the server is newer,
// which it reports too, and the oldest if the server is older or its version cannot be read.
func OfServer(info version.Info) (r Release, newer bool) {
	major, errMajor := strconv.Atoi(info.Major)
	minor, errMinor := strconv.Atoi(strings.TrimRight(info.Minor, "+")) // providers write 36+
	switch {
	case errMajor != nil || errMinor != nil || major < 1 || (major == 1 && minor < Oldest.minor()):
		return Oldest, false
	case major > 1 || minor > Newest.minor():
		return Newest, true
	}
	return Release(minor - oldestMinor), false
}

// DiffersFrom reports whether an API server's own kube-scheduler decides by another release, and which one comes nearest to it.
func (r Release) DiffersFrom(info version.Info) (nearest Release, differs bool) {
	nearest, newer := OfServer(info)
	return nearest, newer || nearest != r
}

// AsksForClaimBinding reports whether API servers of the release want rights on resourceclaims/binding of who writes which devices a claim has.
// Older ones do not know that resource.
func (r Release) AsksForClaimBinding() bool { return r >= V136 }

// MarshalText writes the release as String does.
func (r Release) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (r *Release) UnmarshalText(text []byte) (err error) {
	*r, err = Parse(string(text))
	return err
}
