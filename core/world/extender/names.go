package extender

import (
	"encoding/json"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"orrery/core/world"
)

// argsWithNames is the JSON of ExtenderArgs with the names of the nodes, which are most of it in large clusters.
func argsWithNames(r *world.ExtenderRequest) ([]byte, error) {
	args, err := json.Marshal(extenderv1.ExtenderArgs{Pod: r.Pod})
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, len(args)+r.Names.JSONLen())
	body = append(body, args[:len(args)-len(noNames)]...)
	return append(r.Names.AppendJSON(body), '}'), nil
}

// noNames is the end of ExtenderArgs without names: NodeNames is its last field.
const noNames = "null}"
