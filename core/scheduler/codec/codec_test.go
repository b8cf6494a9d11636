package codec_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"orrery/core/objects/nodenames"
	"orrery/core/scheduler/codec"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// holder has one of each kind of value.
type holder struct {
	count   int
	number  int64
	sum     uint64
	stage   uint8
	set     bool
	name    types.UID
	at      time.Time
	list    []string
	byName  map[string]int
	names   sets.Set[string]
	first   *v1.Pod
	same    *v1.Pod
	none    *v1.Pod
	part    *v1.PodCondition
	actions []world.Action
}

func (h *holder) code(c *codec.Coder) {
	c.Count(&h.count)
	codec.Int(c, &h.number)
	codec.Uint(c, &h.sum)
	codec.Enum(c, &h.stage, 3)
	c.Bool(&h.set)
	codec.Text(c, &h.name)
	c.Time(&h.at)
	codec.Texts(c, &h.list)
	codec.Map(c, &h.byName, func(key *string, value *int) {
		codec.Text(c, key)
		codec.Int(c, value)
	})
	codec.Set(c, &h.names)
	codec.Object(c, &h.first)
	codec.Object(c, &h.same)
	codec.OptionalObject(c, &h.none)
	codec.Message(c, &h.part)
	codec.Slice(c, &h.actions, func(a *world.Action) { c.Action(a) })
}

func full() *holder {
	pod, node := mk.Pod("web").Obj(), "n1"
	ref, object := world.PodRefOf(pod), world.ObjectRef{Namespace: "default", Name: "data", UID: "u", ResourceVersion: "7"}
	at := metav1.NewTime(time.Unix(5, 6).UTC())
	claim := mk.ResourceClaim("gpus").Obj()
	return &holder{
		count: 3, number: math.MinInt64, sum: math.MaxUint64, stage: 3, set: true, name: "uid", at: time.Unix(1, 999_999_999).UTC(),
		list: []string{"", "b"}, byName: map[string]int{"a": -1, "b": 2}, names: sets.New("x", "y"),
		first: pod, same: pod, part: &v1.PodCondition{Type: v1.PodScheduled, Message: "why"},
		actions: []world.Action{
			nil,
			world.Bind{Pod: ref, Node: node},
			world.PatchStatus{Pod: ref, Condition: &v1.PodCondition{Type: "t"}, NominatedNode: &node},
			world.PatchStatus{Pod: ref, ExtendedResources: &v1.PodExtendedResourceClaimStatus{ResourceClaimName: "gpus"}},
			world.Delete{Pod: ref},
			world.EmitEvent{Regarding: ref, Related: &ref, Type: "t", Reason: "r", Action: "a", Note: "n", Controller: "c"},
			world.ClaimVolume{Pod: ref, Node: node, Volume: object, Claim: object, ByController: true},
			world.SelectNode{Pod: ref, Node: node, Claim: object},
			world.ReserveResourceClaim{Pod: ref, Node: node, Claim: object, Allocation: &resourcev1.AllocationResult{}, AllocatedAt: &at},
			world.UnreserveResourceClaim{Pod: ref, Claim: object},
			world.DeallocateResourceClaim{Pod: ref, Claim: object},
			world.CreateResourceClaim{Pod: ref, Node: node, Claim: claim},
			world.DeleteResourceClaim{Pod: ref, Claim: object},
			world.CallExtender{Pod: ref, Extender: 1, Verb: world.ExtenderBind, URL: "http://x", Timeout: 5, Request: world.ExtenderRequest{Pod: pod, NamesOnly: true, Node: node}},
			world.CancelExtenderCalls{Pod: ref},
		},
	}
}

func TestCoder_ReadsWhatItWrote(t *testing.T) {
	want := full()
	state, err := codec.Write(want.code)
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Objects) != 2 {
		t.Errorf("%d objects are listed, want the pod and the claim, each once", len(state.Objects))
	}
	got := &holder{}
	if err := codec.Read(state, got.code); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(holder{}), cmpopts.IgnoreUnexported(nodenames.Names{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if got.first != want.first || got.same != got.first {
		t.Error("what was one object is two")
	}
}

// Every action that an engine may have to be answered about can be written, so that none is found out only when it is under way.
func TestCoder_ActionsHaveAllTheirFields(t *testing.T) {
	seen := map[string]bool{}
	for _, action := range full().actions[1:] {
		of := reflect.ValueOf(action)
		for i := range of.NumField() {
			if name := of.Type().Name() + "." + of.Type().Field(i).Name; !of.Field(i).IsZero() {
				seen[name] = true
			}
		}
	}
	for _, action := range full().actions[1:] {
		of := reflect.TypeOf(action)
		for i := range of.NumField() {
			if name := of.Name() + "." + of.Field(i).Name; !seen[name] && name != "CallExtender.Verb" {
				t.Errorf("the field %s is set in no action of this test", name)
			}
		}
	}
}

// Whatever is cut off a state, and whichever byte of it is another, reading it ends with an error or with some values.
func TestCoder_HostileData(t *testing.T) {
	state, err := codec.Write(full().code)
	if err != nil {
		t.Fatal(err)
	}
	for end := range state.Data {
		if err := codec.Read(codec.State{Objects: state.Objects, Data: state.Data[:end]}, (&holder{}).code); err == nil {
			t.Fatalf("the first %d of %d bytes are read without an error", end, len(state.Data))
		}
	}
	for at := range state.Data {
		for _, value := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			data := append([]byte{}, state.Data...)
			data[at] = value
			_ = codec.Read(codec.State{Objects: state.Objects, Data: data}, (&holder{}).code)
		}
	}
}

func TestCoder_SaysWhatIsWrong(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0x7f}
	for name, row := range map[string]struct {
		data []byte
		code func(*codec.Coder)
		want string
	}{
		"a list that is not there": {huge, func(c *codec.Coder) { codec.Texts(c, new([]string)) }, "elements, which are not there"},
		"a text that is not there": {huge, func(c *codec.Coder) { codec.Text(c, new(string)) }, "ends before"},
		"a value that is none":     {[]byte{4, 0}, func(c *codec.Coder) { codec.Enum(c, new(uint8), 3) }, "none of the 4"},
		"a count below zero":       {[]byte{1, 0}, func(c *codec.Coder) { c.Count(new(int)) }, "a count, -1"},
		"a number too large":       {[]byte{0xff, 0x7f, 0}, func(c *codec.Coder) { codec.Uint(c, new(uint8)) }, "out of range"},
		"an object that is not":    {[]byte{2, 0}, func(c *codec.Coder) { codec.Object(c, new(*v1.Pod)) }, "there is no object 1"},
		"no object":                {[]byte{0, 0}, func(c *codec.Coder) { codec.Object(c, new(*v1.Pod)) }, "an object is missing"},
		"keys out of order": {[]byte{4, 1, 'b', 1, 'a', 0}, func(c *codec.Coder) {
			codec.Map(c, &map[string]bool{}, func(key *string, _ *bool) { codec.Text(c, key) })
		}, "not in order"},
		"a time of no year":  {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0}, func(c *codec.Coder) { c.Time(new(time.Time)) }, "none of the years"},
		"an unknown action":  {[]byte{0x7e, 0}, func(c *codec.Coder) { c.Action(new(world.Action)) }, "no known kind"},
		"more than there is": {[]byte{0, 0}, func(*codec.Coder) {}, "goes on after its end"},
	} {
		if err := codec.Read(codec.State{Data: row.data}, row.code); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
	if err := codec.Read(codec.State{Data: []byte{2, 0}, Objects: []world.Object{mk.Node("n").Obj()}}, func(c *codec.Coder) { codec.Object(c, new(*v1.Pod)) }); err == nil || !strings.Contains(err.Error(), "not *v1.Pod") {
		t.Errorf("a node in a pod's place: %v", err)
	}
}

func TestCoder_RefusesToWrite(t *testing.T) {
	for _, action := range []world.Action{world.RunPlugin{}, world.CallExtender{Verb: world.ExtenderFilter}} {
		if _, err := codec.Write(func(c *codec.Coder) { c.Action(&action) }); err == nil {
			t.Errorf("a %T is written", action)
		}
	}
}

// The API has whole seconds. The time at which an engine allocated devices is finer, and it counts from that.
func TestCoder_KeepsTheNanosecondsOfAllocations(t *testing.T) {
	at := metav1.NewTime(time.Unix(100, 250).UTC())
	claim := mk.ResourceClaim("gpus").Obj()
	claim.Status.Allocation = &resourcev1.AllocationResult{AllocationTimestamp: &at}
	code := func(claim **resourcev1.ResourceClaim) func(*codec.Coder) {
		return func(c *codec.Coder) { codec.Object(c, claim) }
	}
	state, err := codec.Write(code(&claim))
	if err != nil {
		t.Fatal(err)
	}
	encoded := claim.DeepCopy()
	encoded.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: at.Truncate(time.Second)}
	var read *resourcev1.ResourceClaim
	if err := codec.Read(codec.State{Objects: []world.Object{encoded}, Data: state.Data}, code(&read)); err != nil {
		t.Fatal(err)
	}
	if got := read.Status.Allocation.AllocationTimestamp; !got.Equal(&at) {
		t.Errorf("the devices were allocated at %v, want %v", got, at)
	}
}
