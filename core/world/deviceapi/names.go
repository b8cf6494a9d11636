package deviceapi

import (
	"fmt"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Invalid makes an error of each message about a value.
func Invalid(path *field.Path, value any, messages []string) field.ErrorList {
	var wrong field.ErrorList
	for _, message := range messages {
		wrong = append(wrong, field.Invalid(path, value, message))
	}
	return wrong
}

// label checks the name of a request, a device or a counter.
func label(name string, path *field.Path) field.ErrorList {
	return Invalid(path, name, validation.IsDNS1123Label(name))
}

func labelValue(value string, path *field.Path) field.ErrorList {
	return Invalid(path, value, validation.IsValidLabelValue(value))
}

func labelKey(key string, path *field.Path) field.ErrorList {
	return Invalid(path, key, validation.IsQualifiedName(key))
}

func driverName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	var wrong field.ErrorList
	if len(name) > resourcev1.DriverNameMaxLength {
		wrong = append(wrong, field.TooLong(path, "", resourcev1.DriverNameMaxLength))
	}
	return append(wrong, Invalid(path, name, validation.IsDNS1123Subdomain(strings.ToLower(name)))...)
}

func poolName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	var wrong field.ErrorList
	if len(name) > resourcev1.PoolNameMaxLength {
		wrong = append(wrong, field.TooLong(path, "", resourcev1.PoolNameMaxLength))
	}
	for part := range strings.SplitSeq(name, "/") {
		wrong = append(wrong, Invalid(path, part, validation.IsDNS1123Subdomain(part))...)
	}
	return wrong
}

// className checks the name of a device class in a request.
func className(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	return Invalid(path, name, validation.IsDNS1123Subdomain(name))
}

// attributeName checks the name of an attribute or a capacity, which may have a domain before it. One with two slashes passes.
func attributeName(name resourcev1.QualifiedName, path *field.Path) field.ErrorList {
	parts := strings.Split(string(name), "/")
	switch len(parts) {
	case 1:
		return identifier(parts[0], path)
	case 2:
		var wrong field.ErrorList
		if parts[0] == "" {
			wrong = append(wrong, field.Invalid(path, "", "the domain must not be empty"))
		} else {
			wrong = append(wrong, driverName(parts[0], path)...)
		}
		if parts[1] == "" {
			return append(wrong, field.Invalid(path, "", "the name must not be empty"))
		}
		return append(wrong, identifier(parts[1], path)...)
	}
	return nil
}

// fullName is attributeName for a name that needs its domain.
func fullName(name resourcev1.FullyQualifiedName, path *field.Path) field.ErrorList {
	wrong := attributeName(resourcev1.QualifiedName(name), path)
	if !strings.Contains(string(name), "/") {
		wrong = append(wrong, field.Invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash"))
	}
	return wrong
}

func identifier(id string, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if len(id) > resourcev1.DeviceMaxIDLength {
		wrong = append(wrong, field.TooLong(path, "", resourcev1.DeviceMaxIDLength))
	}
	return append(wrong, Invalid(path, id, content.IsCIdentifier(id))...)
}

func conflict(path *field.Path, set []string, format string) *field.Error {
	return field.Invalid(path, fmt.Sprintf("{%s}", strings.Join(set, ", ")), format)
}
