package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"orrery/core/world"
)

func (d *ScriptRunner) patch(m *moment) error {
	for i := range m.Patch {
		if err := d.patchOne(&m.Patch[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *ScriptRunner) patchOne(p *patch) error {
	if p.Node != "" {
		return d.eachNode([]string{p.Node}, func(name string) error { return d.patchObject(p, world.Node, "", name) })
	}
	namespace := p.Namespace
	if namespace == "" {
		namespace = v1.NamespaceDefault
	}
	return d.patchObject(p, world.Pod, namespace, p.Pod)
}

func (d *ScriptRunner) patchObject(p *patch, kind world.Kind, namespace, name string) error {
	var patchErr error
	err := d.edit(kind, namespace, name, func(o world.Object) { patchErr = p.apply(o) })
	return cmp.Or(patchErr, err)
}

// apply changes an object, unless the patch does not fit it.
func (p *patch) apply(o world.Object) error {
	with, err := p.With.JSON()
	if err != nil {
		return err
	}
	before, err := json.Marshal(o)
	if err != nil {
		return err
	}
	after, err := strategicpatch.StrategicMergePatch(before, with, o)
	if err != nil {
		return err
	}
	read := json.NewDecoder(bytes.NewReader(after))
	read.DisallowUnknownFields()
	switch o := o.(type) {
	case *v1.Node:
		err = replace(read, o)
	case *v1.Pod:
		err = replace(read, o)
	}
	return err
}

// replace reads an object anew, so that fields that are gone are empty.
func replace[T any](read *json.Decoder, o *T) error {
	var next T
	err := read.Decode(&next)
	if err == nil {
		*o = next
	}
	return err
}
