package framework

import (
	"context"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// idle is a plugin that accepts everything, so that only the runtime is measured.
type idle struct {
	name string
	skip bool
}

var skip = fwk.NewStatus(fwk.Skip)

type datum struct{}

func (d *datum) Clone() fwk.StateData { return d }

func (p *idle) Name() string { return p.name }

func (p *idle) PreFilter(_ context.Context, s fwk.CycleState, _ *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if p.skip {
		return nil, skip
	}
	s.Write(fwk.StateKey(p.name), &datum{})
	return nil, nil
}

func (p *idle) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (p *idle) Filter(_ context.Context, s fwk.CycleState, _ *v1.Pod, _ fwk.NodeInfo) *fwk.Status {
	if _, err := s.Read(fwk.StateKey(p.name)); err != nil {
		return fwk.AsStatus(err)
	}
	return nil
}

func (p *idle) Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	return 50, nil
}

func (p *idle) ScoreExtensions() fwk.ScoreExtensions { return nil }

type binder struct{}

func (binder) Name() string                                                      { return "Bind" }
func (binder) Bind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status { return nil }

// manyNodes returns both runtimes with thirteen plugins, and 5,000 nodes.
func manyNodes(b *testing.B) (map[string]running, []fwk.NodeInfo) {
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("node-%04d", i))
	}
	snapshot := newNodes(names...)
	list, err := snapshot.NodeInfos().List()
	if err != nil {
		b.Fatal(err)
	}
	plugins := []fwk.Plugin{sorter{}, binder{}}
	c := &configv1.Plugins{}
	for i := range 13 {
		plugins = append(plugins, &idle{name: fmt.Sprintf("Plugin%02d", i), skip: i%2 == 1 && i < 10})
	}
	for _, p := range plugins {
		c.MultiPoint.Enabled = append(c.MultiPoint.Enabled, configv1.Plugin{Name: p.Name()})
	}
	theirs, ours, theirErr, ourErr := environment{snapshot, list, nominator{}}.build(plugins, c)
	if theirErr != nil || ourErr != nil {
		b.Fatal(theirErr, ourErr)
	}
	return map[string]running{"kube-scheduler": theirs, "Orrery": ours}, list
}

func BenchmarkFilterOf5000Nodes(b *testing.B) {
	runtimes, nodes := manyNodes(b)
	for name, r := range runtimes {
		b.Run(name, func(b *testing.B) {
			pod, state := newPod("in", 0), r.newState()
			r.RunPreFilterPlugins(ctx, state, pod)
			b.ReportAllocs()
			for b.Loop() {
				for _, node := range nodes {
					if status := r.RunFilterPluginsWithNominatedPods(ctx, state, pod, node); !status.IsSuccess() {
						b.Fatal(status)
					}
				}
			}
		})
	}
}

func BenchmarkScoresOf5000Nodes(b *testing.B) {
	runtimes, nodes := manyNodes(b)
	for name, r := range runtimes {
		b.Run(name, func(b *testing.B) {
			pod, state := newPod("in", 0), r.newState()
			b.ReportAllocs()
			for b.Loop() {
				if _, status := r.RunScorePlugins(ctx, state, pod, nodes); !status.IsSuccess() {
					b.Fatal(status)
				}
			}
		})
	}
}
