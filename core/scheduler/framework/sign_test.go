package framework_test

import (
	"context"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

// signer is a Filter plugin that signs pods.
type signer struct {
	filter
	fragments []fwk.SignFragment
	signs     answer
}

func (s signer) SignPod(context.Context, *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return s.fragments, s.signs.status()
}

// Shows BATCH-03, BATCH-04 and A-15.
func TestSignPod(t *testing.T) {
	with := func(name string, fragments ...fwk.SignFragment) signer {
		return signer{filter: filter{fake: fake{name: name}}, fragments: fragments}
	}
	refuses := with("R")
	refuses.signs = answer{fwk.Unschedulable, "too special"}
	unmarshalable := with("U", fwk.SignFragment{Key: "channel", Value: make(chan int)})
	on, err := config.ParseFeatures(map[string]bool{string(config.OpportunisticBatching): true})
	if err != nil {
		t.Fatal(err)
	}
	off, err := config.ParseFeatures(map[string]bool{string(config.OpportunisticBatching): false})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		plugins []fwk.Plugin
		options framework.Options
		want    string
	}{
		{
			"all fragments in one object, each once, sorted by key",
			[]fwk.Plugin{with("A", fwk.SignFragment{Key: "z", Value: []int{1}}), with("B", fwk.SignFragment{Key: "a", Value: nil}, fwk.SignFragment{Key: "z", Value: []int{1}})},
			framework.Options{Features: on},
			`{"a":null,"v1.Pod.Spec.SchedulerName":"default-scheduler","z":[1]}`,
		},
		{"the gate is off", []fwk.Plugin{with("A")}, framework.Options{Features: off}, ""},
		{"an extender", []fwk.Plugin{with("A")}, framework.Options{Features: on, Extenders: []fwk.Extender{extender{}}}, ""},
		{"a plugin does not sign this pod", []fwk.Plugin{with("A"), refuses}, framework.Options{Features: on}, ""},
		{"a plugin that scores cannot sign", []fwk.Plugin{with("A"), score{fake: fake{name: "S"}}}, framework.Options{Features: on}, ""},
		{"one that only reserves need not", []fwk.Plugin{with("A"), reserve{fake: fake{name: "S"}}}, framework.Options{Features: on}, `{"v1.Pod.Spec.SchedulerName":"default-scheduler"}`},
		{"a fragment that JSON cannot represent", []fwk.Plugin{unmarshalable}, framework.Options{Features: on}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := profile(t, tt.options, tt.plugins...).Sign(ctx, web, false)
			if string(got) != tt.want || (tt.want == "") != (got == nil) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
