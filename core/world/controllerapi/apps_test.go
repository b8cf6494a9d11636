package controllerapi_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/world/controllerapi"
	"orrery/core/world/podapi"
)

// A set keeps its templates of claims. One is as it was if it says a default that went without saying.
func TestUpdate_ClaimTemplatesAreCompared(t *testing.T) {
	set := func(change func(*v1.PersistentVolumeClaim)) *appsv1.StatefulSet {
		labels := map[string]string{"app": "db"}
		template := v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: mk.Pod("db").Obj().Spec}
		data := mk.Claim("data").Size("1Gi").Obj()
		data.Spec.VolumeMode = nil
		change(data)
		return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "default", ResourceVersion: "1"}, Spec: appsv1.StatefulSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template, VolumeClaimTemplates: []v1.PersistentVolumeClaim{*data},
		}}
	}
	old := set(func(*v1.PersistentVolumeClaim) {})
	for _, tt := range []struct {
		name    string
		change  func(*v1.PersistentVolumeClaim)
		refused bool
	}{
		{"nothing", func(*v1.PersistentVolumeClaim) {}, false},
		{"the default mode is named", func(c *v1.PersistentVolumeClaim) { c.Spec.VolumeMode = ptr.To(v1.PersistentVolumeFilesystem) }, false},
		{"the kind is named", func(c *v1.PersistentVolumeClaim) {
			c.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}
		}, false},
		{"another mode", func(c *v1.PersistentVolumeClaim) { c.Spec.VolumeMode = ptr.To(v1.PersistentVolumeBlock) }, true},
		{"another size", func(c *v1.PersistentVolumeClaim) { c.Spec.Resources = mk.Claim("").Size("2Gi").Obj().Spec.Resources }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if errs := controllerapi.Update(set(tt.change), old, podapi.Options{}); (len(errs) > 0) != tt.refused {
				t.Errorf("refused: want %v, got %v", tt.refused, errs)
			}
		})
	}
}
