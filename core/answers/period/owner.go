package period

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"orrery/core/objects/owners"
	"orrery/core/trace/journey"
)

// ownerSum is what is known of an owner's pods.
type ownerSum struct {
	Owner
	longest time.Duration
	waited  time.Duration
	held    []journey.Held
	by      map[Exclusion]time.Duration
}

// owner adds a pod to its owner.
func (c *Collector) owner(p *journey.Pod, took time.Duration, until time.Time, waiting bool, why Exclusion) {
	key := ownerOf(p.Object)
	o := c.owners[key]
	if o == nil {
		o = &ownerSum{Owner: Owner{Namespace: p.Namespace, Owner: owners.Of(p.Object)}, by: map[Exclusion]time.Duration{}}
		c.owners[key] = o
	}
	o.Pods++
	o.Attempts += p.Attempts
	o.waited += took
	o.by[why] += took
	if waiting {
		o.Waiting++
	}
	if took > o.longest || o.Pod == "" {
		o.longest, o.Pod, o.At = took, p.Name, until
	}
	hold := func(plugin string, by time.Duration) {
		if by == 0 {
			return
		}
		for i := range o.held {
			if o.held[i].Plugin == plugin {
				o.held[i].For += by
				return
			}
		}
		o.held = append(o.held, journey.Held{Plugin: plugin, For: by})
	}
	for _, h := range p.HeldBy {
		hold(h.Plugin, h.For)
	}
	hold(gates, p.In[journey.Gated])
	hold(permits, p.In[journey.Permit])
	hold(queued, p.In[journey.Queued]+p.In[journey.Attempt])
	hold(binding, p.In[journey.Binding])
}

// What held a pod where no plugin rejected it.
const (
	gates   = "scheduling gates"
	permits = "permit"
	queued  = "activeQ"
	binding = "binding"
)

// causeAtLeast is what part of the waiting a cause has, or it is left out.
const causeAtLeast = 50

// worst are the owners whose pods waited longest, and how many there are besides.
func (c *Collector) worst() (list []Owner, more int) {
	all := make([]*ownerSum, 0, len(c.owners))
	for _, o := range c.owners {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *ownerSum) int {
		return cmp.Or(cmp.Compare(b.waited, a.waited), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Owner.Owner, b.Owner.Owner))
	})
	list = []Owner{}
	for _, o := range all[:min(len(all), maxOwners)] {
		list = append(list, c.finished(o))
	}
	return list, len(all) - len(list)
}

func (c *Collector) finished(sum *ownerSum) Owner {
	o := sum.Owner
	o.Waited, o.Longest, o.Causes = sum.waited.Seconds(), sum.longest.Seconds(), []Cause{}
	slices.SortStableFunc(sum.held, func(a, b journey.Held) int {
		return cmp.Or(cmp.Compare(b.For, a.For), strings.Compare(a.Plugin, b.Plugin))
	})
	for _, h := range sum.held[:min(len(sum.held), maxCauses)] {
		if h.For*causeAtLeast < sum.waited {
			break
		}
		o.Causes = append(o.Causes, Cause{h.Plugin, c.reasons[o.Namespace+"/"+o.Owner+"\x00"+h.Plugin], h.For.Seconds()})
	}
	var most time.Duration
	for _, e := range Exclusions {
		if d := sum.by[e.Exclusion]; d > most {
			most, o.Excluded = d, e.Exclusion
		}
	}
	if sum.by[""] >= most {
		o.Excluded = ""
	}
	return o
}
