package diagnose_test

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
)

const csiDriver = "csi.example.com"

// delayed gives the pod a claim for 10Gi that gets its volume with the pod; the class and what there is of it is still to be added.
func (p *planted) delayed(class string) *mk.ClaimBuilder {
	c := mk.Claim("data").Size("10Gi").Class(class)
	p.pod.PVC("data")
	p.more = append(p.more, c.Obj())
	return c
}

func (p *planted) fastClass() *mk.ClassBuilder {
	class := mk.Class("fast", csiDriver)
	p.more = append(p.more, class.Obj())
	return class
}

func init() {
	plants = append(plants, []struct {
		name, words string
		plant       func(p *planted)
	}{
		{"no volume, and no provisioner", "no PersistentVolume&claim data&class local&no provisioner&small has 5Gi", func(p *planted) {
			p.delayed("local")
			p.more = append(p.more, mk.Class("local", "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj(), mk.Volume("small").Size("5Gi").Class("local").Obj())
		}},
		{"a local volume on another node", "node-0", func(p *planted) {
			p.delayed("local")
			p.more = append(p.more, mk.Class("local", "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj(),
				mk.Volume("there").Size("10Gi").Class("local").On(v1.LabelHostname, "node-0").Obj())
		}},
		{"a local volume on a cordoned node", "target&cordoned&claim data", func(p *planted) {
			p.delayed("local")
			p.more = append(p.more, mk.Class("local", "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj(),
				mk.Volume("there").Size("10Gi").Class("local").On(v1.LabelHostname, "target").Obj())
			p.target.Unschedulable()
		}},
		{"too little storage", "claim data&10Gi&4Gi in zone east, 6Gi short", func(p *planted) {
			p.fastClass().WaitForFirstConsumer()
			p.delayed("fast")
			p.more = append(p.more, mk.CSIDriver(csiDriver), mk.StorageCapacity("east", "fast", "4Gi", v1.LabelTopologyZone, "east"))
		}},
		{"a class for other zones", "class fast&zone south", func(p *planted) {
			p.fastClass().WaitForFirstConsumer().Obj().AllowedTopologies = []v1.TopologySelectorTerm{{
				MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: v1.LabelTopologyZone, Values: []string{"south"}}},
			}}
			p.delayed("fast")
		}},
		{"a volume that is made for another node", "claim data&node-0", func(p *planted) {
			p.fastClass().WaitForFirstConsumer()
			p.delayed("fast").Annotation("volume.kubernetes.io/selected-node", "node-0")
		}},
		{"a provisioner that nobody runs", "claim data&csi.example.com&no CSIDriver", func(p *planted) {
			p.fastClass()
			p.delayed("fast")
		}},
		{"a provisioner that is slow", "claim data&waits for provisioner csi.example.com", func(p *planted) {
			p.fastClass()
			p.delayed("fast")
			p.more = append(p.more, mk.CSIDriver(csiDriver))
		}},
		{"a claim that is being deleted", "claim data is being deleted&default/old", func(p *planted) {
			c, _ := p.claim("data", v1.ReadWriteMany)
			c.Obj().DeletionTimestamp, c.Obj().Finalizers = &metav1.Time{Time: start}, []string{"kubernetes.io/pvc-protection"}
			p.running("default", "old", "old", p.others[0].Obj().Name).PVC("data")
		}},
		{"a claim that lost its volume", "claim data&pv-gone", func(p *planted) {
			c := mk.Claim("data").Size("10Gi").Bound("pv-gone")
			c.Obj().Status.Phase = v1.ClaimLost
			p.pod.PVC("data")
			p.more = append(p.more, c.Obj())
		}},
		{"a mistyped claim", "claim dtaa&there is data", func(p *planted) {
			p.pod.PVC("dtaa")
			p.more = append(p.more, mk.Claim("data").Size("10Gi").Obj())
		}},
		{"a volume whose labels name another zone", "pv-data&zone south", func(p *planted) {
			_, v := p.claim("data", v1.ReadWriteOnce)
			v.Label(v1.LabelTopologyZone, "south")
		}},
		{"pinned by its volume to a full node", "target&pv-data&short of cpu", func(p *planted) {
			_, v := p.claim("data", v1.ReadWriteOnce)
			v.On(v1.LabelHostname, "target")
			p.fill("target", v1.ResourceCPU, "7")
		}},
	}...)
}
