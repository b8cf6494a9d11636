package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"
)

// kind is the required kind of a configuration file.
const kind = "KubeSchedulerConfiguration"

var (
	scheme = registeredScheme()
	// strictDecoder reads YAML and JSON into the types of scheme and reports unknown and repeated fields. It neither
	// defaults nor converts.
	strictDecoder = serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
)

func registeredScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(configv1.AddToScheme(s))
	return s
}

// decode reads the document. It returns nil if the document cannot be decoded; otherwise any errors come with a
// configuration that is worth validating.
func decode(data []byte) (*configv1.KubeSchedulerConfiguration, field.ErrorList) {
	repeated, bad := inspectDocument(data)
	if bad != nil {
		return nil, field.ErrorList{bad}
	}
	obj, gvk, err := strictDecoder.Decode(data, nil, nil)
	if obj == nil || (err != nil && !runtime.IsStrictDecodingError(err)) {
		return nil, append(repeated, decodeError(nil, data, err))
	}
	written, ok := obj.(*configv1.KubeSchedulerConfiguration)
	if !ok {
		return nil, field.ErrorList{field.Invalid(field.NewPath("kind"), gvk.Kind,
			fmt.Sprintf("couldn't decode as KubeSchedulerConfiguration, got %s", gvk))}
	}
	errs := strictErrors(nil, err, repeated)
	for i := range written.Profiles {
		path := field.NewPath("profiles").Index(i).Child("pluginConfig")
		for j := range written.Profiles[i].PluginConfig {
			errs = append(errs, decodeArgs(path.Index(j).Child("args"), &written.Profiles[i].PluginConfig[j])...)
		}
	}
	return written, errs
}

// decodeArgs decodes the args of an in-tree plugin and keeps those of others as they are. Args that cannot be decoded
// become empty, so that validation does not report them again.
func decodeArgs(path *field.Path, pc *configv1.PluginConfig) field.ErrorList {
	want := configv1.SchemeGroupVersion.WithKind(pc.Name + "Args")
	empty, err := scheme.New(want)
	if err != nil {
		return nil
	}
	if raw := bytes.TrimSpace(pc.Args.Raw); len(raw) > 0 && raw[0] != '{' {
		pc.Args.Object = empty
		return field.ErrorList{field.TypeInvalid(path, json.RawMessage(raw), "must be the fields of "+want.Kind)}
	}
	obj, got, err := strictDecoder.Decode(pc.Args.Raw, &want, nil)
	if obj == nil || (err != nil && !runtime.IsStrictDecodingError(err)) {
		pc.Args.Object = empty
		return field.ErrorList{decodeError(path, pc.Args.Raw, err)}
	}
	if got.GroupKind() != want.GroupKind() {
		pc.Args.Object = empty
		return field.ErrorList{field.Invalid(path.Child("kind"), got.Kind,
			fmt.Sprintf("args for plugin %s were not of type %s, got %s", pc.Name, want.GroupKind(), got.GroupKind()))}
	}
	pc.Args.Object = obj
	return strictErrors(path, err, nil)
}

// strictErrors returns the unknown and repeated fields of a strict decoding. For repeated keys in YAML the decoder gives no
// path, so the caller passes those it found itself.
func strictErrors(path *field.Path, err error, repeated field.ErrorList) field.ErrorList {
	strict, ok := runtime.AsStrictDecodingError(err)
	if !ok {
		return nil
	}
	var errs field.ErrorList
	for _, one := range strict.Errors() {
		var located interface{ FieldPath() string }
		switch {
		case errors.As(one, &located):
			where := childPath(path, located.FieldPath())
			if strings.HasPrefix(one.Error(), "duplicate field") {
				errs = append(errs, &field.Error{Type: field.ErrorTypeDuplicate, Field: where, BadValue: field.OmitValueType{}, Detail: one.Error()})
			} else {
				errs = append(errs, &field.Error{Type: field.ErrorTypeForbidden, Field: where, Detail: one.Error()})
			}
		case len(repeated) > 0:
			errs = append(errs, repeated...)
		default:
			errs = append(errs, documentError("%v", one))
		}
	}
	return errs
}

// decodeError puts the reason why nothing could be decoded where its reader will look for it.
func decodeError(path *field.Path, data []byte, err error) *field.Error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case runtime.IsMissingKind(err):
		return field.Required(path.Child("kind"), "must be "+kind)
	case runtime.IsMissingVersion(err):
		return field.Required(path.Child("apiVersion"), "must be "+configv1.SchemeGroupVersion.String())
	case runtime.IsNotRegisteredError(err):
		return unknownType(path, data, err)
	case errors.As(err, &mistyped):
		return &field.Error{Type: field.ErrorTypeTypeInvalid, Field: childPath(path, mistyped.Field), BadValue: field.OmitValueType{}, Detail: err.Error()}
	case path != nil:
		return field.Invalid(path, field.OmitValueType{}, err.Error())
	}
	return documentError("%v", err)
}

// unknownType reports the apiVersion or, if that is right, the kind.
func unknownType(path *field.Path, data []byte, err error) *field.Error {
	// The decoder's text ends with its own source line, which helps no reader.
	text, _, _ := strings.Cut(err.Error(), " in scheme ")
	var written metav1.TypeMeta
	if yaml.Unmarshal(data, &written) == nil && written.APIVersion == configv1.SchemeGroupVersion.String() {
		return field.Invalid(path.Child("kind"), written.Kind, text)
	}
	return field.Invalid(path.Child("apiVersion"), written.APIVersion, text)
}

func childPath(path *field.Path, relative string) string {
	if path == nil {
		return relative
	}
	if relative == "" {
		return path.String()
	}
	return path.String() + "." + relative
}
