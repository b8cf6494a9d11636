package requests

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// IsScalar reports whether the scheduler counts a resource other than cpu, memory and ephemeral storage.
func IsScalar(name v1.ResourceName) bool {
	s := string(name)
	return strings.HasPrefix(s, v1.ResourceHugePagesPrefix) ||
		strings.HasPrefix(s, v1.ResourceAttachableVolumesPrefix) ||
		strings.Contains(s, v1.ResourceDefaultNamespacePrefix) ||
		IsExtended(name)
}

// IsExtended reports whether a resource is an extended resource: a domain other than kubernetes.io, a slash and a name that
// together are a valid name in a quota.
func IsExtended(name v1.ResourceName) bool {
	s := string(name)
	if !strings.Contains(s, "/") ||
		strings.Contains(s, v1.ResourceDefaultNamespacePrefix) ||
		strings.HasPrefix(s, v1.DefaultResourceRequestsPrefix) {
		return false
	}
	return isUsual(s) || len(validation.IsQualifiedName(v1.DefaultResourceRequestsPrefix+s)) == 0
}

// isUsual reports whether a name needs no closer look to be valid in a quota, as nearly all are: a domain and a name of lower-case
// letters, digits, and single dots and dashes. Regular expressions take 20 times as long.
func isUsual(name string) bool {
	domain, rest, _ := strings.Cut(name, "/")
	return len(domain) <= usualDomain && len(rest) <= usualName && isDotted(domain) && isDotted(rest)
}

// How long a usual domain is at most, which is a DNS subdomain behind the prefix of a quota, and a usual name.
const (
	usualDomain = 253 - len(v1.DefaultResourceRequestsPrefix)
	usualName   = 63
)

// isDotted reports whether a text is made of lower-case letters and digits, with single dots and dashes between them.
func isDotted(text string) bool {
	parted := true
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			parted = false
		case parted || c != '.' && c != '-':
			return false
		default:
			parted = true
		}
	}
	return !parted
}
