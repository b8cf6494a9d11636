package engine_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// volumeRun is a long run of which many pods have volumes.
type volumeRun struct {
	*longRun
	claims      []*v1.PersistentVolumeClaim
	volumes     []*v1.PersistentVolume
	csiNodes    map[string]bool
	attachments map[string]world.Object
}

// The nodes that have a volume's driver, reach it, and are in its zone, are evaluated by classes; volumes, attachments and drivers' limits
// change in between, and several pods have the same volume.
func TestReuse_DecidesTheSameWithVolumes(t *testing.T) {
	t.Parallel()
	r := &volumeRun{longRun: newLongRun(t, 11, twoProfiles), csiNodes: map[string]bool{}, attachments: map[string]world.Object{}}
	for range len(r.nodes) {
		r.changeCSINode()
	}
	for r.cycles < *cycles/3 && !t.Failed() {
		r.change()
		for range r.draw.IntN(6) {
			r.addPodWithVolumes()
		}
		for range r.draw.IntN(6) {
			r.changeStorage()
		}
		r.decide()
	}
	if stats := r.engines[0].ReuseStats(); stats.Reused < stats.Computed {
		t.Errorf("less was reused than computed: %+v", stats)
	}
}

// put adds an object, or changes it.
func (r *volumeRun) put(known bool, o world.Object) {
	op := world.Added
	if known {
		op = world.Modified
	}
	r.apply(world.Changed{Op: op, Object: o})
}

func (r *volumeRun) changeStorage() {
	switch r.draw.IntN(5) {
	case 0, 1:
		r.changeCSINode()
	case 2:
		r.changeAttachment()
	case 3:
		r.changeVolume()
	case 4:
		r.changeClaim()
	}
}

func (r *volumeRun) changeCSINode() {
	name := pick(r.draw, r.nodes...).Name
	if r.csiNodes[name] && r.draw.IntN(10) == 0 {
		delete(r.csiNodes, name)
		r.apply(world.Changed{Op: world.Deleted, Object: mk.CSINode(name).Obj()})
		return
	}
	b := mk.CSINode(name).Limit("a.example.com", pick[int32](r.draw, 1, 3, 3, 3, 40)).Limit("ebs.csi.aws.com", pick[int32](r.draw, 2, 39))
	if r.draw.IntN(3) > 0 {
		b.Migrated("kubernetes.io/aws-ebs")
	}
	r.put(r.csiNodes[name], b.Obj())
	r.csiNodes[name] = true
}

func (r *volumeRun) changeAttachment() {
	if len(r.volumes) == 0 {
		return
	}
	name := fmt.Sprint("attachment-", r.draw.IntN(20))
	if known := r.attachments[name]; known != nil {
		delete(r.attachments, name)
		r.apply(world.Changed{Op: world.Deleted, Object: known})
		return
	}
	attached := mk.Attachment(name, pick(r.draw, r.nodes...).Name, "a.example.com", pick(r.draw, r.volumes...).Name)
	r.attachments[name] = attached
	r.apply(world.Changed{Op: world.Added, Object: attached})
}

// changeVolume moves a volume to another zone, by its labels or by its node affinity.
func (r *volumeRun) changeVolume() {
	if len(r.volumes) == 0 {
		return
	}
	at := r.oneLately()
	volume := r.newVolume(r.volumes[at].Name)
	volume.Spec.PersistentVolumeSource = r.volumes[at].Spec.PersistentVolumeSource
	r.volumes[at] = volume
	r.put(true, volume)
}

// changeClaim takes a claim's volume away, or gives it back.
func (r *volumeRun) changeClaim() {
	if len(r.claims) == 0 {
		return
	}
	at := r.oneLately()
	b := mk.Claim(r.claims[at].Name).Namespace(r.claims[at].Namespace)
	if r.draw.IntN(4) > 0 {
		b.Bound(r.volumes[at].Name)
	}
	r.put(true, b.Obj())
}

func (r *volumeRun) newVolume(name string) *v1.PersistentVolume {
	b := mk.Volume(name)
	switch r.draw.IntN(4) {
	case 0:
		b.CSI("a.example.com", name)
	case 1:
		b.CSI("b.example.com", name)
	default:
		b.Source(v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-" + name}})
	}
	switch r.draw.IntN(6) {
	case 0, 1:
		b.On(v1.LabelTopologyZone, pick(r.draw, "z1", "z2", "z3"), pick(r.draw, "z1", "z4"))
	case 2:
		b.On("disk", pick(r.draw, "ssd", "hdd"))
	case 3:
		b.Label(v1.LabelTopologyZone, pick(r.draw, "z1", "z2", "z2__z3"))
	case 4:
		b.On(v1.LabelHostname, pick(r.draw, r.nodes...).Name)
	}
	return b.Obj()
}

// lately is how many of the newest claims and volumes are used and changed again: so what changed is soon asked for.
const lately = 8

// oneLately is the index of a claim made lately, and of its volume.
func (r *volumeRun) oneLately() int {
	return len(r.claims) - 1 - r.draw.IntN(min(lately, len(r.claims)))
}

// addPodWithVolumes adds a pod with a claim or two, new ones or those of another pod.
func (r *volumeRun) addPodWithVolumes() {
	pod := r.newPod()
	for range 1 + r.draw.IntN(2) {
		claim := ""
		if len(r.claims) > 0 && r.draw.IntN(5) == 0 {
			claim = r.claims[r.oneLately()].Name
		} else {
			claim = r.addClaim(pod.Namespace)
		}
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: claim, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}})
	}
	r.add(pod)
}

func (r *volumeRun) addClaim(namespace string) string {
	r.created++
	volume := r.newVolume(fmt.Sprint("volume-", r.created))
	claim := mk.Claim(fmt.Sprint("claim-", r.created)).Namespace(namespace).Bound(volume.Name).Obj()
	r.volumes, r.claims = append(r.volumes, volume), append(r.claims, claim)
	r.put(false, volume)
	r.put(false, claim)
	return claim.Name
}
