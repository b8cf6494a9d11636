package review

import (
	"fmt"
	"strings"
)

// extenders warns of extenders that are asked too often, or never, and of what has no effect on them.
func extenders(s *subject) []Finding {
	var found []Finding
	for i, e := range s.written.Extenders {
		at := fmt.Sprintf("extenders[%d]", i)
		warn := func(field, text string) { found = append(found, s.at(at+field, "%s", text)) }
		asked := e.FilterVerb != "" || e.PrioritizeVerb != "" || e.BindVerb != "" || e.PreemptVerb != ""
		if !asked {
			warn("", "it has no verb: it is never asked")
		} else if len(e.ManagedResources) == 0 {
			warn("", "it manages no resources: it is asked for every pod, which waits for its answer")
		}
		if e.Weight != 0 && e.PrioritizeVerb == "" {
			warn(".weight", "it has no prioritizeVerb: the weight has no effect")
		}
		if e.EnableHTTPS && strings.HasPrefix(e.URLPrefix, "http://") {
			warn(".enableHTTPS", "urlPrefix begins with http://: it is asked without TLS")
		}
		if e.NodeCacheCapable && e.FilterVerb == "" && e.PrioritizeVerb == "" && e.PreemptVerb == "" {
			warn(".nodeCacheCapable", "it is sent no nodes: this has no effect")
		}
	}
	return found
}
