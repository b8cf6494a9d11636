package cycle

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/oracle/extenderserver"
	"orrery/core/world"
	"orrery/core/world/extender"
)

// addExtenders draws extenders. Each gives every node another score, far apart, so that no two nodes are equally good:
// of such kube-scheduler chooses a random one.
func (g *generator) addExtenders() {
	if !g.often(extenders, 12) {
		return
	}
	for i := range 1 + g.IntN(2) {
		c := configv1.Extender{
			URLPrefix: fmt.Sprintf("http://extender-%d", i), PrioritizeVerb: "prioritize", Weight: pick[int64](g, 1, 1, 3),
			NodeCacheCapable: g.oneIn(2), Ignorable: g.oneIn(3),
		}
		if !g.oneIn(5) {
			c.FilterVerb = "filter"
		}
		if i == 0 && g.oneIn(3) {
			c.BindVerb = "bind"
		}
		if (g.about[preemption] || g.oneIn(2)) && !g.samplesCandidates() {
			c.PreemptVerb = "preempt"
		}
		if g.oneIn(3) {
			name := []string{"example.com/gpu", "other.org/licence"}[i]
			c.ManagedResources = []configv1.ExtenderManagedResource{{Name: name, IgnoredByScheduler: g.oneIn(2) && g.fitsEverywhere()}}
		}
		g.c.Config.Extenders = append(g.c.Config.Extenders, c)
		rules := extenderserver.Rules{}
		for _, node := range g.c.Nodes {
			switch g.IntN(10) {
			case 0, 1:
				rules.Refused = append(rules.Refused, node.Name)
			case 2:
				rules.Unresolvable = append(rules.Unresolvable, node.Name)
			case 3:
				rules.Dropped = append(rules.Dropped, node.Name)
			}
		}
		for _, often := range []*uint32{&rules.Breaks, &rules.Errs, &rules.Invents} {
			if g.oneIn(4) {
				*often = pick[uint32](g, 2, 3, 5)
			}
		}
		g.c.Extenders = append(g.c.Extenders, rules)
	}
}

// fitsEverywhere reports whether every profile has NodeResourcesFit. Without it Orrery rejects a configuration with ignored
// resources when it is read, and kube-scheduler when it starts.
func (g *generator) fitsEverywhere() bool {
	return !slices.ContainsFunc(g.c.Config.Profiles, func(p configv1.KubeSchedulerProfile) bool {
		return p.Plugins != nil && slices.ContainsFunc(p.Plugins.MultiPoint.Disabled, func(d configv1.Plugin) bool { return d.Name == "NodeResourcesFit" })
	})
}

// samplesCandidates reports whether the dry run of a profile's preemption ends before the last node: then kube-scheduler asks about
// random nodes.
func (g *generator) samplesCandidates() bool {
	return slices.ContainsFunc(g.c.Config.Profiles, func(p configv1.KubeSchedulerProfile) bool {
		return slices.ContainsFunc(p.PluginConfig, func(c configv1.PluginConfig) bool { return c.Name == "DefaultPreemption" })
	})
}

// extenderHandlers are the extenders of one side; bind is what they do to bind a pod.
func (p *decisionCase) extenderHandlers(bind func(extenderserver.Binding)) []http.Handler {
	var handlers []http.Handler
	for i := range p.settings.orreryConfig.Extenders {
		rules := extenderserver.Rules{} // a reduced case may have fewer rules than extenders
		if i < len(p.extenders) {
			rules = p.extenders[i]
		}
		handlers = append(handlers, extenderserver.Handler(rules, i, bind))
	}
	return handlers
}

// serveExtenders makes kube-scheduler's extenders call the case's, without a network.
func (p *decisionCase) serveExtenders(all []fwk.Extender, client *recordingClient) {
	handlers := p.extenderHandlers(func(bound extenderserver.Binding) {
		pods{client: client, namespace: bound.Namespace}.write(bound.Name, apiCall{bind: bound.Node})
	})
	for _, x := range all {
		number := slices.IndexFunc(p.settings.orreryConfig.Extenders, func(c configv1.Extender) bool { return c.URLPrefix == x.Name() })
		extenderserver.Connect(x, handlers[number])
	}
}

// askExtenders answers the calls of extenders that have been made, and reports whether there were any.
func (u *orreryScheduler) askExtenders() bool {
	u.carryOutEffects()
	asked := u.asked
	u.asked = nil
	for _, f := range asked {
		u.apply(world.EffectDone{Effect: f.ID, Outcome: u.answer(f.Action.(world.CallExtender))})
	}
	u.carryOutEffects()
	return len(asked) > 0
}

func (u *orreryScheduler) answer(call world.CallExtender) world.Outcome {
	u.seen.Count("extenders asked to %v", call.Verb)
	body, err := extender.RequestBody(call)
	must(err)
	request, err := http.NewRequest(http.MethodPost, call.URL, bytes.NewReader(body))
	must(err)
	response, err := extenderserver.InProcess{Handler: u.extenders[call.Extender]}.RoundTrip(request)
	must(err)
	if response.StatusCode != http.StatusOK {
		return world.Outcome{Code: fwk.Error, Message: fmt.Sprintf("failed %v with extender at URL %v, code %v", call.Verb, call.URL, response.StatusCode)}
	}
	answer, err := extender.Answer(call, response.Body, extender.MaxResponse)
	if err != nil {
		return world.Outcome{Code: fwk.Error, Message: err.Error()}
	}
	return world.Outcome{Answer: answer}
}
