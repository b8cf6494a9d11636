package framework

import (
	"context"
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
)

// findSigners decides whether this profile can tell that two pods are alike: every plugin that judges nodes must be able
// to say what it looks at in a pod, and no extender may have a say.
func (p *Profile) findSigners() {
	p.signs = p.around.Features.Enabled(config.OpportunisticBatching) && len(p.around.Extenders) == 0
	seen := map[string]bool{}
	add := func(name string, plugin fwk.Plugin) {
		if seen[name] {
			return
		}
		seen[name] = true
		signer, ok := plugin.(fwk.SignPlugin)
		if !ok {
			p.signs = false
			return
		}
		p.signers = append(p.signers, signer)
	}
	for _, s := range p.stages.preFilter {
		add(s.name, s.plugin)
	}
	for _, s := range p.stages.filter {
		add(s.name, s.plugin)
	}
	for _, s := range p.stages.preScore {
		add(s.name, s.plugin)
	}
	for _, s := range p.stages.score {
		add(s.name, s.plugin)
	}
}

// SignPod describes all that the plugins look at in a pod: pods with one signature get the same verdicts and scores on
// the same nodes. It is nil if a plugin cannot say what it looks at, in this pod or at all. Its form is a JSON object with
// one member for each fragment.
func (p *Profile) SignPod(ctx context.Context, pod *v1.Pod, recordPluginStats bool) fwk.PodSignature {
	w := watch{profile: p, point: Sign, timed: p.observer != nil}
	if p.observer != nil && recordPluginStats {
		w.began = p.around.Stopwatch()
		defer w.done(fwk.Success)
	}
	if !p.signs {
		return nil
	}
	all := map[string]any{fwk.SchedulerNameSignerName: pod.Spec.SchedulerName}
	for i, signer := range p.signers {
		start := w.start()
		fragments, status := signer.SignPod(ctx, pod)
		w.took(signer.Name(), status, start)
		if !status.IsSuccess() {
			// Who refused once is likely to refuse again, and asked first it saves the others the work.
			p.signers[0], p.signers[i] = p.signers[i], p.signers[0]
			return nil
		}
		for _, f := range fragments {
			all[f.Key] = f.Value
		}
	}
	signature, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return signature
}
