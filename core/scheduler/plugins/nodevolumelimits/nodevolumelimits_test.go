package nodevolumelimits_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

const (
	csi      = "disk.example.com"
	ebs      = "ebs.csi.aws.com"
	portworx = "kubernetes.io/portworx-volume"
	exceeded = "Unschedulable: node(s) exceed max volume count"
)

// handle tells of changes, as an engine's does.
type handle struct {
	plugintest.Handle
	*store.Store
}

var _ framework.ObjectChanges = handle{}

func plugin(t plugintest.TB, h fwk.Handle, gates map[string]bool) *nodevolumelimits.NodeVolumeLimits {
	t.Helper()
	return pluginOf(t, release.V135, h, gates)
}

func pluginOf(t plugintest.TB, r release.Release, h fwk.Handle, gates map[string]bool) *nodevolumelimits.NodeVolumeLimits {
	t.Helper()
	features, err := config.ParseFeaturesOf(r, gates)
	if err != nil {
		t.Fatalf("%v", err)
	}
	p, err := nodevolumelimits.New(context.Background(), nil, h, features)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p.(*nodevolumelimits.NodeVolumeLimits)
}

func tracking(t plugintest.TB, s *store.Store, gates map[string]bool) *nodevolumelimits.NodeVolumeLimits {
	t.Helper()
	return plugin(t, handle{plugintest.Handle{Objects: s.Informers()}, s}, gates)
}

// onNode is node n with these pods.
func onNode(t plugintest.TB, pods ...*v1.Pod) fwk.NodeInfo {
	t.Helper()
	for _, pod := range pods {
		pod.Spec.NodeName = "n"
	}
	node, err := cache.SnapshotOf(pods, []*v1.Node{mk.Node("n").Obj()}).Get("n")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return node
}

func csiVolume(name, handle string) *v1.PersistentVolume {
	return mk.Volume(name).CSI(csi, handle).Obj()
}

func onEBS(id string) v1.VolumeSource {
	return v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id}}
}

func onPortworx(id string) v1.VolumeSource {
	return v1.VolumeSource{PortworxVolume: &v1.PortworxVolumeSource{VolumeID: id}}
}

func ephemeral() v1.VolumeSource { return v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}} }

func TestFilter(t *testing.T) {
	bound := func(claim, volume string) world.Object { return mk.Claim(claim).Bound(volume).Obj() }
	one := mk.CSINode("n").Limit(csi, 1).Obj()
	pod := func(claims ...string) *v1.Pod {
		b := mk.Pod("p")
		for _, claim := range claims {
			b.PVC(claim)
		}
		return b.Obj()
	}
	running := func(claims ...string) []*v1.Pod {
		p := pod(claims...)
		p.Name, p.UID = "running", "running"
		return []*v1.Pod{p}
	}
	for name, tc := range map[string]struct {
		pod     *v1.Pod
		running []*v1.Pod
		objects []world.Object
		want    string
	}{
		"no volumes":           {pod(), running("b"), []world.Object{one}, "Skip"},
		"volumes of no driver": {mk.Pod("p").Volume("v", v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}).Obj(), nil, []world.Object{one}, "Skip"},
		"a claim that does not exist": {
			pod("a"), nil, []world.Object{one}, `UnschedulableAndUnresolvable: looking up PVC default/a: persistentvolumeclaim "a" not found`,
		},
		"a claim without a name": {pod(""), nil, []world.Object{one}, "Error: PersistentVolumeClaim had no name"},
		"room for one":           {pod("a"), nil, []world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a")}, "Success"},
		"two volumes, room for one": {
			pod("a", "b"), nil, []world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a"), bound("b", "pv-b"), csiVolume("pv-b", "b")}, exceeded,
		},
		"one volume by two claims counts once": {
			pod("a", "b"), nil, []world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a"), bound("b", "pv-a")}, "Success",
		},
		"no room beside a pod's volume": {
			pod("a"), running("b"), []world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a"), bound("b", "pv-b"), csiVolume("pv-b", "b")}, exceeded,
		},
		"the volume is on the node already": {pod("a"), running("a"), []world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a")}, "Success"},
		"the volume is on the node already, which is over its limit": {
			pod("a"), running("a", "b"), []world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a"), bound("b", "pv-b"), csiVolume("pv-b", "b")}, "Success",
		},
		"a volume of another driver": {
			pod("a"), running("b"), []world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a"), bound("b", "pv-b"), mk.Volume("pv-b").CSI("other.example.com", "b").Obj()}, "Success",
		},
		"a node without a CSINode": {pod("a", "b"), nil, []world.Object{bound("a", "pv-a"), csiVolume("pv-a", "a"), bound("b", "pv-b"), csiVolume("pv-b", "b")}, "Success"},
		"a driver without a limit": {
			pod("a"), running("b"),
			[]world.Object{mk.CSINode("n").Driver(csi).Limit("other.example.com", 1).Obj(), bound("a", "pv-a"), csiVolume("pv-a", "a"), bound("b", "pv-b"), csiVolume("pv-b", "b")},
			"Success",
		},
		"of two entries for a driver the last holds": {
			pod("a"), nil, []world.Object{mk.CSINode("n").Limit(csi, 0).Limit(csi, 1).Obj(), bound("a", "pv-a"), csiVolume("pv-a", "a")}, "Success",
		},
		"a claim of a running pod does not exist": {pod("a"), running("b"), []world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a")}, "Success"},
		"an unbound claim counts for its class": {
			pod("a"), running("b"),
			[]world.Object{one, mk.Claim("a").Class("c").Obj(), mk.Claim("b").Class("c").Obj(), mk.Class("c", csi).Obj()},
			exceeded,
		},
		"an unbound claim that is on the node already": {pod("a"), running("a"), []world.Object{one, mk.Claim("a").Class("c").Obj(), mk.Class("c", csi).Obj()}, "Success"},
		"an unbound claim of a volume's name is no volume": {
			pod("a"), running("b"),
			[]world.Object{one, mk.Claim("a").Class("c").Obj(), mk.Class("c", csi).Obj(), bound("b", "pv-b"), csiVolume("pv-b", "default/a")},
			exceeded,
		},
		"a claim whose volume is lost counts for its class": {
			pod("a"), running("b"), []world.Object{one, mk.Claim("a").Class("c").Bound("gone").Obj(), mk.Class("c", csi).Obj(), bound("b", "pv-b"), csiVolume("pv-b", "b")}, exceeded,
		},
		"an unbound claim without a class":  {pod("a"), nil, []world.Object{mk.CSINode("n").Limit(csi, 0).Obj(), mk.Claim("a").Obj()}, "Success"},
		"an unbound claim of a lost class":  {pod("a"), nil, []world.Object{mk.CSINode("n").Limit(csi, 0).Obj(), mk.Claim("a").Class("c").Obj()}, "Success"},
		"a volume without a source":         {pod("a"), nil, []world.Object{mk.CSINode("n").Limit(csi, 0).Obj(), bound("a", "pv-a"), mk.Volume("pv-a").Obj()}, "Success"},
		"a volume without a handle":         {pod("a"), nil, []world.Object{mk.CSINode("n").Limit(csi, 0).Obj(), bound("a", "pv-a"), csiVolume("pv-a", "")}, "Success"},
		"a class without a provisioner":     {pod("a"), nil, []world.Object{mk.CSINode("n").Limit(csi, 0).Obj(), mk.Claim("a").Class("c").Obj(), mk.Class("c", "").Obj()}, "Success"},
		"the volume of an ephemeral volume": {mk.Pod("p").Volume("v", ephemeral()).Obj(), nil, []world.Object{mk.CSINode("n").Limit(csi, 0).Obj(), mk.Claim("p-v").Owner("p").Class("c").Obj(), mk.Class("c", csi).Obj()}, exceeded},
		"a claim in an ephemeral volume's place": {
			mk.Pod("p").Volume("v", ephemeral()).Obj(), nil,
			[]world.Object{one, mk.Claim("p-v").Owner("q").Obj()},
			"Error: PVC default/p-v was not created for pod default/p (pod is not owner)",
		},
		"a claim in the place of a running pod's ephemeral volume": {
			pod("a"),
			[]*v1.Pod{mk.Pod("running").Volume("v", ephemeral()).Obj()},
			[]world.Object{one, bound("a", "pv-a"), csiVolume("pv-a", "a"), mk.Claim("running-v").Obj()},
			"Error: PVC default/running-v was not created for pod default/running (pod is not owner)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			node, p := onNode(t, tc.running...), tracking(t, plugintest.Store(t, tc.objects...), nil)
			if got := plugintest.Filter(p, tc.pod, node); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := plugintest.StatusText(p.Filter(t.Context(), framework.NewCycleState(), tc.pod, node)); tc.want != "Skip" && got != tc.want {
				t.Errorf("without PreFilter: got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFilter_InTreeVolumes(t *testing.T) {
	full := func(driver string) *mk.CSINodeBuilder { return mk.CSINode("n").Limit(driver, 0) }
	onEBSVolume := mk.Volume("pv").Source(v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"}}).Obj()
	broken := mk.Volume("pv").Source(v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://x/y"}}).Obj()
	claim, bound := mk.Pod("p").PVC("a").Obj(), mk.Claim("a").Bound("pv").Obj()
	for name, tc := range map[string]struct {
		pod     *v1.Pod
		objects []world.Object
		want    string
	}{
		"a migrated volume, which the annotation need not name": {claim, []world.Object{full(ebs).Obj(), bound, onEBSVolume}, exceeded},
		"a volume that cannot be translated does not count":     {claim, []world.Object{full(ebs).Obj(), bound, broken}, "Success"},
		"an inline volume":                     {mk.Pod("p").Volume("v", onEBS("vol-1")).Obj(), []world.Object{full(ebs).Obj()}, exceeded},
		"an inline volume without a CSINode":   {mk.Pod("p").Volume("v", onEBS("vol-1")).Obj(), nil, "Success"},
		"an inline volume without a meaning":   {mk.Pod("p").Volume("v", onEBS("aws://x/y")).Obj(), []world.Object{full(ebs).Obj()}, "Error: converting volume(v) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://x/y)"},
		"an inline Portworx volume":            {mk.Pod("p").Volume("v", onPortworx("x")).Obj(), []world.Object{full("pxd.portworx.com").Migrated(portworx).Obj()}, exceeded},
		"Portworx, where it is not migrated":   {mk.Pod("p").Volume("v", onPortworx("x")).Obj(), []world.Object{full("pxd.portworx.com").Obj()}, "Success"},
		"a vSphere volume is never migrated":   {mk.Pod("p").Volume("v", v1.VolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{}}).Obj(), []world.Object{full("csi.vsphere.vmware.com").Obj()}, "Success"},
		"an unbound claim of an in-tree class": {claim, []world.Object{full(ebs).Obj(), mk.Claim("a").Class("c").Obj(), mk.Class("c", "kubernetes.io/aws-ebs").Obj()}, exceeded},
		"an unbound claim of an in-tree class that is not migrated": {
			claim, []world.Object{full("pxd.portworx.com").Obj(), mk.Claim("a").Class("c").Obj(), mk.Class("c", portworx).Obj()}, "Success",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(tracking(t, plugintest.Store(t, tc.objects...), nil), tc.pod, onNode(t)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// The volume of the pod counts beside its own attachment, as in kube-scheduler: nothing on the node uses it yet.
func TestFilter_Attachments(t *testing.T) {
	noVolume := mk.Attachment("x", "n", csi, "")
	noVolume.Spec.Source.PersistentVolumeName = nil
	for name, tc := range map[string]struct {
		attachments []world.Object
		want        string
	}{
		"no attachment":                               {nil, "Success"},
		"a volume that no pod uses":                   {[]world.Object{mk.Attachment("x", "n", csi, "pv-b")}, exceeded},
		"two attachments of one volume":               {[]world.Object{mk.Attachment("x", "n", csi, "pv-b"), mk.Attachment("y", "n", csi, "pv-b")}, exceeded},
		"the volume of a running pod":                 {[]world.Object{mk.Attachment("x", "n", csi, "pv-r")}, "Success"},
		"the volume of the pod":                       {[]world.Object{mk.Attachment("x", "n", csi, "pv-a")}, exceeded},
		"an attachment of another node":               {[]world.Object{mk.Attachment("x", "other", csi, "pv-b")}, "Success"},
		"an attachment of another driver":             {[]world.Object{mk.Attachment("x", "n", "other.example.com", "pv-b")}, "Success"},
		"an attachment without a driver":              {[]world.Object{mk.Attachment("x", "n", "", "pv-b")}, "Success"},
		"an attachment of a volume that is gone":      {[]world.Object{mk.Attachment("x", "n", csi, "gone")}, "Success"},
		"an attachment of a volume that is not CSI's": {[]world.Object{mk.Attachment("x", "n", csi, "pv-plain")}, "Success"},
		"an attachment without a PersistentVolume":    {[]world.Object{noVolume}, "Success"},
	} {
		t.Run(name, func(t *testing.T) {
			s := plugintest.Store(t, append(tc.attachments, mk.CSINode("n").Limit(csi, 2).Obj(), mk.Claim("a").Bound("pv-a").Obj(), mk.Claim("r").Bound("pv-r").Obj(),
				csiVolume("pv-a", "a"), csiVolume("pv-b", "b"), csiVolume("pv-r", "r"), mk.Volume("pv-plain").Obj())...)
			if got := plugintest.Filter(tracking(t, s, nil), mk.Pod("p").PVC("a").Obj(), onNode(t, mk.Pod("running").PVC("r").Obj())); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFilter_VolumeLimitScaling(t *testing.T) {
	driver := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: csi}}
	const missing = "Unschedulable: disk.example.com CSI driver is not installed on the node"
	for name, tc := range map[string]struct {
		objects []world.Object
		want    map[bool]string // by the gate
	}{
		"a node without a CSINode":          {[]world.Object{driver}, map[bool]string{false: "Success", true: missing}},
		"a node without the driver":         {[]world.Object{driver, mk.CSINode("n").Driver(ebs).Obj()}, map[bool]string{false: "Success", true: missing}},
		"a node with the driver":            {[]world.Object{driver, mk.CSINode("n").Driver(csi).Obj()}, map[bool]string{false: "Success", true: "Success"}},
		"a driver that has not been set up": {nil, map[bool]string{false: "Success", true: "Success"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := plugintest.Store(t, append(tc.objects, mk.Claim("a").Bound("pv-a").Obj(), csiVolume("pv-a", "a"))...)
			got := map[bool]string{}
			for on := range tc.want {
				got[on] = plugintest.Filter(tracking(t, s, map[string]bool{"VolumeLimitScaling": on}), mk.Pod("p").PVC("a").Obj(), onNode(t))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("by the gate (-want +got):\n%s", diff)
			}
		})
	}
}

// From 1.36 on a CSIDriver has to ask for it, and Portworx is migrated everywhere.
func TestFilter_ByRelease(t *testing.T) {
	driver := func(asks *bool) world.Object {
		return &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: csi}, Spec: storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: asks}}
	}
	const missing = "Unschedulable: disk.example.com CSI driver is not installed on the node"
	claim, inline := mk.Pod("p").PVC("a").Obj(), mk.Pod("p").Volume("v", onPortworx("x")).Obj()
	for name, tc := range map[string]struct {
		pod     *v1.Pod
		objects []world.Object
		want    map[release.Release]string
	}{
		"the CSIDriver does not say": {claim, []world.Object{driver(nil)}, map[release.Release]string{release.V135: missing, release.V136: "Success", release.V137: "Success"}},
		"the CSIDriver says no":      {claim, []world.Object{driver(ptr.To(false))}, map[release.Release]string{release.V135: missing, release.V136: "Success", release.V137: "Success"}},
		"the CSIDriver asks for it":  {claim, []world.Object{driver(ptr.To(true))}, map[release.Release]string{release.V135: missing, release.V136: missing, release.V137: missing}},
		"Portworx, where the node does not name it": {
			inline, []world.Object{mk.CSINode("n").Limit("pxd.portworx.com", 0).Obj()}, map[release.Release]string{release.V135: "Success", release.V136: exceeded, release.V137: exceeded},
		},
		"Portworx on a node without a CSINode": {inline, nil, map[release.Release]string{release.V135: "Success", release.V136: "Success", release.V137: "Success"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := plugintest.Store(t, append(tc.objects, mk.Claim("a").Bound("pv-a").Obj(), csiVolume("pv-a", "a"))...)
			got := map[release.Release]string{}
			for r := range tc.want {
				h := handle{plugintest.Handle{Objects: s.Informers()}, s}
				got[r] = plugintest.Filter(pluginOf(t, r, h, map[string]bool{"VolumeLimitScaling": true}), tc.pod, onNode(t))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("by the release (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSignPod(t *testing.T) {
	want := map[string]string{"v1.Pod.Spec.Volumes.NonSyntheticSources()": "[]"}
	if diff := cmp.Diff(want, plugintest.Signature(t, tracking(t, store.New(), nil), mk.Pod("p").Obj())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
