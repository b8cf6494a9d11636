package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orrery/core/answers/change"
	"orrery/core/testing/fuzz"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		words string
		want  change.Change
	}{
		{"cordon n1", change.Change{Verb: change.Cordon, Name: "n1"}},
		{"uncordon n1", change.Change{Verb: change.Uncordon, Name: "n1"}},
		{"drain n1", change.Change{Verb: change.Drain, Name: "n1"}},
		{"add 3 nodes like n1", change.Change{Verb: change.AddNodes, Name: "n1", Count: 3}},
		{"add 1 node like n1", change.Change{Verb: change.AddNodes, Name: "n1", Count: 1}},
		{"delete node n1", change.Change{Verb: change.DeleteNode, Name: "n1"}},
		{"delete pod shop/web-0", change.Change{Verb: change.DeletePod, Name: "shop/web-0"}},
		{"requests web cpu=500m memory=1Gi", change.Change{
			Verb: change.SetRequests, Name: "web", Requests: []change.Request{{"cpu", "500m"}, {"memory", "1Gi"}},
		}},
		{"requests web cpu=9007199254740 memory=8Pi", change.Change{
			Verb: change.SetRequests, Name: "web", Requests: []change.Request{{"cpu", "9007199254740"}, {"memory", "8Pi"}},
		}},
		{"priority web 100", change.Change{Verb: change.SetPriority, Name: "web", Value: "100"}},
		{"priority web high", change.Change{Verb: change.SetPriority, Name: "web", Value: "high"}},
		{"scale web 0", change.Change{Verb: change.Scale, Name: "web"}},
		{"profile web packer", change.Change{Verb: change.SetProfile, Name: "web", Value: "packer"}},
		{"taint n1 team=red:NoSchedule", change.Change{Verb: change.Taint, Name: "n1", Value: "team=red:NoSchedule"}},
		{"taint n1 fire:NoExecute", change.Change{Verb: change.Taint, Name: "n1", Value: "fire:NoExecute"}},
		{"untaint n1 team", change.Change{Verb: change.Untaint, Name: "n1", Value: "team"}},
		{"ungate web", change.Change{Verb: change.Ungate, Name: "web"}},
		{"tolerate web level>-5:NoExecute", change.Change{Verb: change.Tolerate, Name: "web", Value: "level>-5:NoExecute"}},
		{"tolerate web level<5", change.Change{Verb: change.Tolerate, Name: "web", Value: "level<5"}},
		{"add pv 10Gi", change.Change{Verb: change.AddVolume, Requests: change.Storage("10Gi")}},
		{"add pv 10Gi of fast in zone-b", change.Change{Verb: change.AddVolume, Name: "fast", Value: "zone-b", Requests: change.Storage("10Gi")}},
		{"add pv 1Ti of local on n1", change.Change{Verb: change.AddVolume, Name: "local", Node: "n1", Requests: change.Storage("1Ti")}},
		{"capacity fast 500Gi in zone-b", change.Change{Verb: change.SetCapacity, Name: "fast", Value: "zone-b", Requests: change.Storage("500Gi")}},
		{"capacity fast 0", change.Change{Verb: change.SetCapacity, Name: "fast", Requests: change.Storage("0")}},
		{"delete pvc shop/data-0", change.Change{Verb: change.DeleteClaim, Name: "shop/data-0"}},
		{"delete gang ml/train/workers", change.Change{Verb: change.DeleteGang, Name: "ml/train/workers"}},
		{"delete gang ml/train/workers/0", change.Change{Verb: change.DeleteGang, Name: "ml/train/workers/0"}},
		{"mincount ml/train/workers 3", change.Change{Verb: change.SetMinCount, Name: "ml/train/workers", Count: 3}},
		{"upgrade 1.37", change.Change{Verb: change.Upgrade, Name: "1.37"}},
		{"class shop/data-0 fast", change.Change{Verb: change.SetClass, Name: "shop/data-0", Value: "fast"}},
		{"tolerate web team", change.Change{Verb: change.Tolerate, Name: "web", Value: "team"}},
		{"select web disk=ssd", change.Change{Verb: change.Select, Name: "web", Value: "disk=ssd"}},
		{"select shop/web tier=fast replacing teir", change.Change{Verb: change.Select, Name: "shop/web", Value: "tier=fast", Of: "teir"}},
		{"spread web topology.kubernetes.io/zone nodeTaintsPolicy=Honor", change.Change{
			Verb: change.SetSpread, Name: "web", Of: "topology.kubernetes.io/zone", Value: "nodeTaintsPolicy=Honor",
		}},
		{"label n1 disk=ssd", change.Change{Verb: change.Label, Name: "n1", Value: "disk=ssd"}},
		{"label n1 example.com/spare=", change.Change{Verb: change.Label, Name: "n1", Value: "example.com/spare="}},
		{"unselect web disk", change.Change{Verb: change.Unselect, Name: "web", Value: "disk"}},
		{"add device like gpu-4/gpu-0", change.Change{Verb: change.AddDevice, Name: "gpu-4/gpu-0"}},
		{"add device like gpu.example.com/gpu-4/gpu-0 on gpu-5", change.Change{Verb: change.AddDevice, Name: "gpu.example.com/gpu-4/gpu-0", Node: "gpu-5"}},
		{"taint device gpu-4/gpu-0 broken=ecc:NoExecute", change.Change{Verb: change.TaintDevice, Name: "gpu-4/gpu-0", Value: "broken=ecc:NoExecute"}},
		{"untaint device gpu-4/gpu-0 broken", change.Change{Verb: change.UntaintDevice, Name: "gpu-4/gpu-0", Value: "broken"}},
		{"free claim shop/gpu", change.Change{Verb: change.FreeClaim, Name: "shop/gpu"}},
		{"class claim shop/gpu small", change.Change{Verb: change.SetDeviceClass, Name: "shop/gpu", Value: "small"}},
		{"class claim shop/gpu small of one/large", change.Change{Verb: change.SetDeviceClass, Name: "shop/gpu", Value: "small", Of: "one/large"}},
		{"count claim shop/gpu 2", change.Change{Verb: change.SetDeviceCount, Name: "shop/gpu", Count: 2}},
		{"unconstrain claim shop/gpu a.com/numa", change.Change{Verb: change.DropConstraint, Name: "shop/gpu", Value: "a.com/numa"}},
		{"relax claim shop/gpu of one", change.Change{Verb: change.RelaxClaim, Name: "shop/gpu", Of: "one"}},
		{"tolerate claim shop/gpu broken:NoSchedule", change.Change{Verb: change.TolerateDevices, Name: "shop/gpu", Value: "broken:NoSchedule"}},
		// a volume claim, a pod and a node of the names that lead to claims for devices and to devices
		{"class claim fast", change.Change{Verb: change.SetClass, Name: "claim", Value: "fast"}},
		{"tolerate claim team", change.Change{Verb: change.Tolerate, Name: "claim", Value: "team"}},
		{"taint device team=red:NoSchedule", change.Change{Verb: change.Taint, Name: "device", Value: "team=red:NoSchedule"}},
		{"move shop/web n2", change.Change{Verb: change.Move, Name: "shop/web", Value: "n2"}},
	} {
		got, err := change.Parse(strings.Fields(c.words))
		if err != nil {
			t.Errorf("%s: %v", c.words, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.words, diff)
		}
		if got.String() != c.words {
			t.Errorf("%s is written %s", c.words, got)
		}
	}
}

func TestParse_Errors(t *testing.T) {
	for _, c := range []struct{ words, says string }{
		{"", `it begins with ""`},
		{"explode n1", "has to begin with one of: cordon, uncordon, drain, add, add pv, delete node"},
		{"delete n1", `say what to delete: "delete node NODE", "delete pod POD", "delete pvc CLAIM" or "delete gang GANG"`},
		{"delete gang train/workers", `"train/workers" is not NAMESPACE/WORKLOAD/GROUP`},
		{"delete gang ml//workers", `"ml//workers" is not NAMESPACE/WORKLOAD/GROUP`},
		{"mincount ml/train/workers/0 3", `"ml/train/workers/0" is not NAMESPACE/WORKLOAD/GROUP`},
		{"mincount ml/train/workers 0", `"0" is not a number from 1 to`},

		{"select web", "1 words follow, and 2 should"},
		{"select web disk", `"disk" is not KEY=VALUE`},
		{"select web disk=ssd instead-of key", "4 words follow, and 2 should"},
		{"label n1 -disk=ssd", `"-disk" is not the key of a label`},
		{"label n1 disk=a/b", `"a/b" is not the value of a label`},
		{"spread web zone skew=2", "a field of the constraint should follow: maxSkew=2"},
		{"spread web zone maxSkew=0", `"0" is not a skew`},
		{"spread web zone nodeTaintsPolicy=Yes", `"Yes" is neither Honor nor Ignore`},

		{"add pv", "a size should follow; it is written \"add pv SIZE [of CLASS] [in ZONE|on NODE]\""},
		{"add pv lots", `"lots" is not an amount of storage`},
		{"add pv 1e-100000000", "has an exponent that is that of no amount of storage"},
		{"add pv 10Gi in a on b", `"in" should not follow`},
		{"add pv 10Gi at a", `"at" should not follow`},
		{"capacity fast", "a class and a size should follow"},
		{"capacity fast 9000000Ti", `"9000000Ti" is too much of storage`},
		{"class data", "1 words follow, and 2 should"},
		{"cordon", "0 words follow, and 1 should; it is written \"cordon NODE\""},
		{"cordon a b", "2 words follow, and 1 should"},
		{"add some nodes like n1", `"some" is not a number from 1 to 10000`},
		{"add 0 nodes like n1", `"0" is not a number from 1`},
		{"add 999999 nodes like n1", `"999999" is not a number`},
		{"add 3 nodes", `"N nodes like NODE" should follow`},
		{"requests web", "at least one amount should follow"},
		{"requests web cpu", `"cpu" is not RESOURCE=AMOUNT`},
		{"requests web cpu=lots", `"lots" is not an amount of cpu: write one like 500m, 2 or 4Gi`},
		{"requests web cpu=1e-100000000", `"1e-100000000" has an exponent that is that of no amount of cpu`},
		{"requests web cpu=-1", `"-1" is not an amount`},
		{"requests web cpu=1 cpu=2", "cpu is given twice"},
		{"requests web cpu=1e30", `"1e30" is too much of cpu: the greatest amount allowed is 9007199254740;`},
		{"requests web cpu=9007199254741", "the greatest amount allowed is 9007199254740;"},
		{"requests web cpu=1 memory=8193Ti", `"8193Ti" is too much of memory: the greatest amount allowed is 9007199254740992;`},
		{"requests web example.com/gpu=8E", "the greatest amount allowed is 9007199254740992;"},
		{"scale web many", `"many" is not a number from 0`},
		{"scale web -1", `"-1" is not a number from 0`},
		{"taint n1 team=red", "names no effect"},
		{"taint n1 team=red:Never", `"Never" is not an effect: it is NoSchedule, PreferNoSchedule or NoExecute`},
		{"taint n1 :NoSchedule", "has no key"},
		{"taint n1 level>5:NoSchedule", `"level>5:NoSchedule" compares, and a taint has a value`},
		{"tolerate web level<", `compares with "", which is not a whole number`},
		{"tolerate web level>high", `compares with "high", which is not a whole number`},
		{"add device", `"like DEVICE" should follow, and perhaps "on NODE"; it is written "add device like DEVICE [on NODE]"`},
		{"add device like gpu-0", `"gpu-0" is not a device: write POOL/DEVICE or DRIVER/POOL/DEVICE`},
		{"taint device a/b broken", "names no effect: end it with :NoSchedule or :NoExecute"},
		{"taint device a/b broken:PreferNoSchedule", "is not an effect of device taints"},
		{"untaint device a/b k=v", "is not the key of a taint"},
		{"free claim", "0 words follow, and 1 should; it is written \"free claim RESOURCECLAIM\""},
		{"count claim a/b 0", `"0" is not a number from 1 to 32`},
		{"tolerate claim a/b =x", "has no key"},
		{"untaint n1 team=red", "is not the key of a taint"},
		{"cordon " + strings.Repeat("x", 600), "no name has more than 512"},
	} {
		_, err := change.Parse(strings.Fields(c.words))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.40q: the error is %v, want one that says %q", c.words, err, c.says)
		}
	}
}

func TestParseAll_SplitsAtCommas(t *testing.T) {
	want := []change.Change{{Verb: change.Cordon, Name: "a"}, {Verb: change.Drain, Name: "b"}}
	for _, words := range [][]string{{"cordon", "a,", "drain", "b"}, {"cordon a, drain b"}, {"cordon", "a", ",", "drain", "b"}, {"cordon a,drain b"}} {
		got, err := change.ParseAll(words)
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", words, diff)
		}
	}
	if got, err := change.ParseAll(nil); err != nil || len(got) > 0 {
		t.Errorf("no words are %v, %v", got, err)
	}
	if _, err := change.ParseAll([]string{"cordon a,,drain b"}); err == nil {
		t.Error("two commas with nothing between them are no error")
	}
}

// anyChange returns a random change in its syntax.
func anyChange(t *rapid.T, nodes, pods, owners []string) string {
	node := rapid.SampledFrom(nodes).Draw(t, "node")
	pod := rapid.SampledFrom(pods).Draw(t, "pod")
	effect := rapid.SampledFrom([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}).Draw(t, "effect")
	n := rapid.IntRange(0, 6).Draw(t, "n")
	return rapid.SampledFrom([]string{
		"cordon " + node, "uncordon " + node, "drain " + node, "delete node " + node, "delete pod " + pod,
		fmt.Sprintf("add %d nodes like %s", n+2, node), fmt.Sprintf("requests %s cpu=%d00m memory=%dGi", pod, n*5+1, n+1),
		fmt.Sprintf("priority %s %d", pod, n*100), fmt.Sprintf("scale %s %d", rapid.SampledFrom(owners).Draw(t, "owner"), n),
		"profile " + pod + " default-scheduler", "taint " + node + " k=v:" + effect, "untaint " + node + " k", "ungate " + pod,
		"add pv 10Gi of c in " + node, "add pv 1Gi on " + node, "capacity c 5Gi in " + node, "delete pvc " + pod, "class " + pod + " c",
		"tolerate " + pod + " k=v", "unselect " + pod + " kubernetes.io/hostname",
	}).Draw(t, "change")
}

func TestParse_ReadsChangeString(t *testing.T) {
	names := []string{"a", "shop/web-0", "node.with.dots", "UPPER_case-1"}
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			texts = append(texts, anyChange(t, names, names, names))
		}
		first, err := change.ParseAll([]string{strings.Join(texts, ", ")})
		if err != nil {
			t.Fatal(err)
		}
		again, err := change.ParseAll([]string{change.Words(first)})
		if err != nil {
			t.Fatalf("%q does not read back: %v", change.Words(first), err)
		}
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%q reads back differently:\n%s", texts, diff)
		}
	})
}

// FuzzParse reads hypothetical changes in words.
//
//orrery:reads core/answers/change
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"cordon a", "add 3 nodes like b", "add pv 1Gi of c in z", "capacity c 1Gi", "requests p cpu=1 memory=2Gi", "taint n k=v:NoExecute", "untaint n k:NoSchedule",
		"tolerate p k:NoExecute", "scale o 3, drain a", "priority p -5", "cordon \x1b[2J", "requests p cpu=1e400", "delete pod \u202ea",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var changes []change.Change
		var err error
		fuzz.Cost(t, len(text), func() { changes, err = change.ParseAll([]string{text}) })
		if err != nil {
			fuzz.Error(t, err)
			return
		}
		again, err := change.ParseAll([]string{change.Words(changes)})
		if err != nil || !slices.EqualFunc(changes, again, func(a, b change.Change) bool { return cmp.Equal(a, b) }) {
			t.Errorf("%q reads as %v, and that back as %v, %v", text, changes, again, err)
		}
	})
}
