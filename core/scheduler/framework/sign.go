package framework

import (
	"context"
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
)

// findSigners decides whether this profile can sign pods: every plugin that filters or scores must implement
// [fwk.SignPlugin], and there must be no extender.
func (p *Profile) findSigners() {
	p.canSign = p.deps.Features.Enabled(config.OpportunisticBatching) && len(p.deps.Extenders) == 0
	seen := map[string]bool{}
	add := func(name string, plugin fwk.Plugin) {
		if seen[name] {
			return
		}
		seen[name] = true
		signer, ok := plugin.(fwk.SignPlugin)
		if !ok {
			p.canSign = false
			return
		}
		p.signers = append(p.signers, signer)
	}
	for _, s := range p.points.preFilter {
		add(s.Plugin, s.plugin)
	}
	for _, s := range p.points.filter {
		add(s.Plugin, s.plugin)
	}
	for _, s := range p.points.preScore {
		add(s.Plugin, s.plugin)
	}
	for _, s := range p.points.score {
		add(s.Plugin, s.plugin)
	}
}

// Sign describes everything the plugins read of a pod: pods with equal signatures get the same verdicts and scores on the
// same nodes. It is nil if a plugin does not sign the pod. It is a JSON object with one member for each fragment.
func (p *Profile) Sign(ctx context.Context, pod *v1.Pod, recordPluginStats bool) fwk.PodSignature {
	w := instrument{profile: p, point: Sign, timed: p.onTiming != nil}
	if p.onTiming != nil && recordPluginStats {
		w.began = p.deps.Stopwatch()
		defer w.done(fwk.Success)
	}
	if !p.canSign {
		return nil
	}
	var all map[string]any // made late: with default spread constraints the first plugin refuses every pod
	for i, signer := range p.signers {
		start := w.start()
		var fragments []fwk.SignFragment
		status := p.call(Sign, signer.Name(), pod, func() (status *fwk.Status) {
			fragments, status = signer.SignPod(ctx, pod)
			return status
		})
		w.observe(signer.Name(), status, start)
		if !status.IsSuccess() {
			// The refusing plugin is likely to refuse again; called first, it saves the others the work.
			p.signers[0], p.signers[i] = p.signers[i], p.signers[0]
			return nil
		}
		if all == nil {
			all = map[string]any{}
		}
		for _, f := range fragments {
			all[f.Key] = f.Value
		}
	}
	if all == nil {
		all = map[string]any{}
	}
	all[fwk.SchedulerNameSignerName] = pod.Spec.SchedulerName
	signature, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return signature
}

// SignPod is Sign for plugins, whose calls are not timed.
func (p *Profile) SignPod(ctx context.Context, pod *v1.Pod) fwk.PodSignature {
	return p.Sign(ctx, pod, false)
}
