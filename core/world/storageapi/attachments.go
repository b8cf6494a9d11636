package storageapi

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
	"orrery/core/world/podapi"
)

// attachment checks a new attachment. Names are checked only then; see attachmentSpec for what changed ones need, too.
func attachment(a *storagev1.VolumeAttachment) field.ErrorList {
	spec := field.NewPath("spec")
	wrong := append(attachmentSpec(a), driverName(a.Spec.Attacher, spec.Child("attacher"))...)
	if name := a.Spec.Source.PersistentVolumeName; name != nil {
		wrong = append(wrong, deviceapi.Invalid(spec.Child("source", "persistentVolumeName"), *name, utilvalidation.IsDNS1123Subdomain(*name))...)
	}
	return wrong
}

func attachmentSpec(a *storagev1.VolumeAttachment) field.ErrorList {
	wrong := podapi.Meta(&a.ObjectMeta, false, validation.NameIsDNSSubdomain)
	spec := field.NewPath("spec")
	if a.Spec.Attacher == "" {
		wrong = append(wrong, field.Required(spec.Child("attacher"), ""))
	}
	wrong = append(wrong, attached(&a.Spec.Source, spec.Child("source"))...)
	return append(wrong, deviceapi.Invalid(spec.Child("nodeName"), a.Spec.NodeName, utilvalidation.IsDNS1123Subdomain(a.Spec.NodeName))...)
}

// attached checks what is attached: a volume by its name, or an in-tree volume of a pod.
func attached(s *storagev1.VolumeAttachmentSource, path *field.Path) field.ErrorList {
	const exactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
	named, inline := s.PersistentVolumeName, s.InlineVolumeSpec
	switch {
	case named == nil && inline == nil:
		return field.ErrorList{field.Required(path, exactlyOne)}
	case named != nil && inline != nil:
		return field.ErrorList{field.Forbidden(path, exactlyOne)}
	case inline != nil:
		return inlineVolume(inline, path.Child("inlineVolumeSpec"))
	case *named == "":
		return field.ErrorList{field.Required(path.Child("persistentVolumeName"), "must specify non empty persistentVolumeName")}
	}
	return nil
}

// inlineVolume checks a volume that is written in another object: it has a CSI source and hardly anything else.
func inlineVolume(s *v1.PersistentVolumeSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, part := range []struct {
		name  string
		given bool
	}{
		{"claimRef", s.ClaimRef != nil}, {"capacity", len(s.Capacity) > 0}, {"nodeAffinity", s.NodeAffinity != nil}, {"storageClassName", s.StorageClassName != ""},
	} {
		if part.given {
			wrong = append(wrong, field.Forbidden(path.Child(part.name), "may not be specified in the context of inline volumes"))
		}
	}
	if s.CSI == nil {
		wrong = append(wrong, field.Required(path.Child("csi"), "has to be specified in the context of inline volumes"))
	}
	if len(s.AccessModes) == 0 {
		wrong = append(wrong, field.Required(path.Child("accessModes"), ""))
	}
	wrong = append(wrong, accessModes(s.AccessModes, path.Child("accessModes"))...)
	if p := s.PersistentVolumeReclaimPolicy; p != "" && p != v1.PersistentVolumeReclaimRetain {
		wrong = append(wrong, field.Forbidden(path.Child("persistentVolumeReclaimPolicy"), "may only be Retain in the context of inline volumes"))
	}
	if m := s.VolumeMode; m != nil && *m != v1.PersistentVolumeFilesystem {
		wrong = append(wrong, field.Forbidden(path.Child("volumeMode"), "may not specify volumeMode other than Filesystem in the context of inline volumes"))
	}
	if s.PersistentVolumeSource == (v1.PersistentVolumeSource{}) {
		wrong = append(wrong, field.Required(path, "must specify a volume type"))
	}
	return append(wrong, source(s, path)...)
}

func changedAttachment(a, old *storagev1.VolumeAttachment) field.ErrorList {
	wrong := attachmentSpec(a)
	if !equality.Semantic.DeepEqual(a.Spec, old.Spec) {
		wrong = append(wrong, field.Invalid(field.NewPath("spec"), a.Spec, validation.FieldImmutableErrorMsg))
	}
	return wrong
}

func storageCapacity(c *storagev1.CSIStorageCapacity, o metav1validation.LabelSelectorValidationOptions) field.ErrorList {
	wrong := podapi.Meta(&c.ObjectMeta, true, validation.NameIsDNSSubdomain)
	wrong = append(wrong, metav1validation.ValidateLabelSelector(c.NodeTopology, o, field.NewPath("nodeTopology"))...)
	wrong = append(wrong, deviceapi.Invalid(field.NewPath("storageClassName"), c.StorageClassName, utilvalidation.IsDNS1123Subdomain(c.StorageClassName))...)
	if c.Capacity != nil && c.Capacity.Sign() < 0 {
		wrong = append(wrong, field.Invalid(field.NewPath("capacity"), c.Capacity.String(), validation.IsNegativeErrorMsg))
	}
	return wrong
}

// changedCapacity checks a change of a capacity, of which only the amounts may change. A label value that is wrong already may stay.
func changedCapacity(c, old *storagev1.CSIStorageCapacity) field.ErrorList {
	var strict metav1validation.LabelSelectorValidationOptions
	wasWrong := len(metav1validation.ValidateLabelSelector(old.NodeTopology, strict, nil)) > 0
	wrong := storageCapacity(c, metav1validation.LabelSelectorValidationOptions{AllowInvalidLabelValueInSelector: wasWrong})
	wrong = append(wrong, podapi.ChangedMeta(&c.ObjectMeta, &old.ObjectMeta)...)
	if !equality.Semantic.DeepEqual(c.NodeTopology, old.NodeTopology) {
		wrong = append(wrong, field.Invalid(field.NewPath("nodeTopology"), c.NodeTopology, validation.FieldImmutableErrorMsg))
	}
	if c.StorageClassName != old.StorageClassName {
		wrong = append(wrong, field.Invalid(field.NewPath("storageClassName"), c.StorageClassName, validation.FieldImmutableErrorMsg))
	}
	return wrong
}
