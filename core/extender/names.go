package extender

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"orrery/core/world"
)

// argsWithNames is the JSON of ExtenderArgs with the names of the nodes. In large clusters they are most of it, and nearly all are
// the same in JSON.
func argsWithNames(r *world.ExtenderRequest) ([]byte, error) {
	args, err := json.Marshal(extenderv1.ExtenderArgs{Pod: r.Pod})
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, len(args)+usualSize(r.Nodes))
	body = append(body, args[:len(args)-len(noNames)]...)
	body = append(body, '[')
	for i, node := range r.Nodes {
		if i > 0 {
			body = append(body, ',')
		}
		if body, err = appendName(body, node.Name); err != nil {
			return nil, err
		}
	}
	return append(body, "]}"...), nil
}

// usualSize is how long a list of names is in JSON, if all are as long as the last.
func usualSize(nodes []*v1.Node) int {
	if len(nodes) == 0 {
		return 0
	}
	return len(nodes) * (len(nodes[len(nodes)-1].Name) + len(`"",`))
}

// noNames is the end of ExtenderArgs without names: NodeNames is its last field.
const noNames = "null}"

func appendName(to []byte, name string) ([]byte, error) {
	if isPlain(name) {
		to = append(to, '"')
		to = append(to, name...)
		return append(to, '"'), nil
	}
	text, err := json.Marshal(name)
	return append(to, text...), err
}

// isPlain reports whether a text is the same in JSON: ASCII that nothing escapes.
func isPlain[T string | []byte](text T) bool {
	for i := range len(text) {
		if !plainBytes[text[i]] {
			return false
		}
	}
	return true
}

var plainBytes = func() (plain [256]bool) {
	for b := ' '; b < 0x7f; b++ {
		plain[b] = true
	}
	for _, b := range `"\<>&` {
		plain[b] = false
	}
	return plain
}()
