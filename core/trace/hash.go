package trace

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// NameHasher replaces names by hashes, equal names by equal hashes, so that references still hold: from a pod to its
// node, from a selector to a label's value. Without the salt, a reader of the file cannot test guesses of names.
//
// # What is replaced
//
// Every text in an object that is not on the following list: names of objects, namespaces, UIDs, values of labels,
// annotations and selectors, images, addresses, names of claims, disks and holders of leases; and in the configuration the
// values of added node affinities and the name of the lease. Texts written for people (messages) are dropped.
//
// # What is kept, because decisions are made by it
//
//   - Keys: of labels, taints, tolerations, selectors and annotations, topology keys, names of resources. The name of a
//     device class in that of a resource is replaced, and so are the names of pods that a PodDisruptionBudget lists.
//   - What is an enumeration in the API: phases, effects, operators, policies, conditions' types and reasons.
//   - Values that are whole numbers, as Gt and Lt compare them, and "true" and "false".
//   - Names of schedulers, as they have to match the configuration, and of priority classes that begin with "system-".
//   - Names of drivers, provisioners and declared features, also in annotations; expressions and values of device
//     attributes.
//   - What a scheduler says of its victim in a condition, as it does not write again what is there.
//   - Resource versions, quantities, ports, times, and the thresholds of kubelets.
//   - What makes a name two names or no valid one: the dash between a pod and its volume in the name of an ephemeral claim,
//     those in the zones of a GCE disk that is in several, the scheme of an AWS disk; and that a name or a value is one that
//     Kubernetes refuses.
//   - In [HashNames], the order of all names; see there.
//
// # Who decides on hashed names
//
// HashNames replaces names in a recording that is made, whose decisions another scheduler took by the real names. So it has
// to keep everything that decides. A recording whose names are replaced while it is written cannot know the order of names
// that are still to come: there the recorded engine itself has to see the hashed names, see [NameHasher.Event].
//
// Decisions may still change where arguments of plugins that are not Kubernetes' own name values: they are kept.
type NameHasher struct {
	mac   hash.Hash
	cache map[string]string
	// compounds are the names that are hashed as two.
	compounds compounds
	// order, if not nil, puts hashes in the order of their names.
	order *nameOrder
	// seen, if not nil, collects the names instead.
	seen *nameSet
}

// NewNameHasher makes a hasher from a salt, which should be random and either stored apart from the files or discarded.
func NewNameHasher(salt []byte) (*NameHasher, error) {
	const shortest = 8
	if len(salt) < shortest {
		return nil, errors.New("hashing names takes a salt of at least 8 bytes: with less, names can be found by trying them out")
	}
	return &NameHasher{mac: hmac.New(sha256.New, salt), cache: map[string]string{}, compounds: newCompounds()}, nil
}

// maxCachedNames bounds the memory of hashed names.
//
//orrery:limit recordings; hashed names that are kept; all are forgotten, and made again
const maxCachedNames = 1 << 18

// hashDigits is how many hexadecimal digits a hashed name has.
const hashDigits = 16

// Name returns the hash of a name, an h and 16 hexadecimal digits: a valid name for any object. A compound has a dash between
// two of them.
func (h *NameHasher) Name(name string) string {
	if name == "" {
		return ""
	}
	if h.seen != nil {
		h.seen.add(name)
		return name
	}
	if hashed, ok := h.cache[name]; ok {
		return hashed
	}
	hashed := h.hash(name)
	if len(h.cache) >= maxCachedNames {
		clear(h.cache)
	}
	h.cache[name] = hashed
	return hashed
}

func (h *NameHasher) hash(name string) string {
	if base, rest, ok := h.compounds.split(name); ok {
		return h.Name(base) + "-" + h.Name(rest)
	}
	h.mac.Reset()
	h.mac.Write([]byte(name))
	digits := hex.EncodeToString(h.mac.Sum(nil)[:hashDigits/2])
	if h.order != nil {
		rank := h.order.rank(name)
		digits = rank + digits[len(rank):]
	}
	return "h" + digits + refusal(name)
}

// refusal returns what makes a hash a name that is refused, for a name that is: an engine leaves out the object of either.
func refusal(name string) string {
	switch {
	case len(name) > store.MaxNameLength, name == ".", name == "..", !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl):
		return "\x01"
	case strings.Contains(name, "/"):
		return "/"
	}
	return ""
}

// labelValue hashes a label's value. One that is not valid stays so, since a selector with it matches nothing.
func (h *NameHasher) labelValue(value string) string {
	if _, err := strconv.ParseInt(value, 10, 64); err == nil || value == "true" || value == "false" {
		return value
	}
	if len(content.IsLabelValue(value)) > 0 {
		return h.Name(value) + "-"
	}
	return h.Name(value)
}

// places hashes each value of a label that lists places, as that of a volume that spans zones does.
func (h *NameHasher) places(value string) string {
	parts := strings.Split(value, placeSeparator)
	for i := range parts {
		parts[i] = h.labelValue(parts[i])
	}
	return strings.Join(parts, placeSeparator)
}

const placeSeparator = "__"

// image hashes an image's name. It adds the default tag first, as the scheduler does when it compares names.
func (h *NameHasher) image(name string) string {
	if name == "" {
		return ""
	}
	if strings.LastIndex(name, ":") <= strings.LastIndex(name, "/") {
		name += ":latest"
	}
	return h.Name(name) + ":t"
}

// path hashes every part of a slash-separated name.
func (h *NameHasher) path(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = h.Name(parts[i])
	}
	return strings.Join(parts, "/")
}

// disk hashes what identifies a disk. Those of AWS have a scheme, and the part after it is all that tells disks apart.
func (h *NameHasher) disk(id string) string {
	const scheme, prefix = "aws://", "vol-"
	if rest, ok := strings.CutPrefix(id, prefix); ok {
		return prefix + h.Name(rest)
	}
	url, ok := strings.CutPrefix(id, scheme)
	if !ok {
		return h.Name(id)
	}
	zone, path, _ := strings.Cut(url, "/")
	if rest, ok := strings.CutPrefix(strings.Trim(path, "/"), prefix); ok && !strings.Contains(rest, "/") {
		return scheme + h.Name(zone) + "/" + prefix + h.Name(rest)
	}
	return scheme + h.Name(url)
}

// resource hashes the name of a device class in that of a resource, of which the rest is kept.
func (h *NameHasher) resource(name string) string {
	if at := strings.Index(name, resourcev1.ResourceDeviceClassPrefix); at >= 0 {
		at += len(resourcev1.ResourceDeviceClassPrefix)
		return name[:at] + h.Name(name[at:])
	}
	if class, ok := strings.CutSuffix(name, v1.ResourceClaimsPerClass); ok {
		return h.Name(class) + v1.ResourceClaimsPerClass
	}
	return name
}

func (h *NameHasher) ref(r world.PodRef) world.PodRef {
	return world.PodRef{Namespace: h.Name(r.Namespace), Name: h.Name(r.Name), UID: types.UID(h.Name(string(r.UID)))}
}

// redactedMessage replaces a message that is not empty, so that it stays not empty.
const redactedMessage = "hidden"

// answer replaces the names in an extender's answer; a Writer hashes its objects itself.
func (h *NameHasher) answer(a *world.ExtenderAnswer) *world.ExtenderAnswer {
	hashed := *a
	if a.Error != "" {
		hashed.Error = redactedMessage
	}
	hashed.Nodes = mapEach(a.Nodes, h.Name)
	hashed.Failed = mapEach(a.Failed, func(f world.FailedNode) world.FailedNode {
		return world.FailedNode{Node: h.Name(f.Node), Reason: redactedMessage, Unresolvable: f.Unresolvable}
	})
	hashed.Scores = mapEach(a.Scores, func(s world.HostScore) world.HostScore {
		return world.HostScore{Host: h.Name(s.Host), Score: s.Score}
	})
	hashed.Victims = mapEach(a.Victims, func(on world.AnsweredVictims) world.AnsweredVictims {
		pods := mapEach(on.Pods, func(uid types.UID) types.UID { return types.UID(h.Name(string(uid))) })
		return world.AnsweredVictims{Node: h.Name(on.Node), Pods: pods, PDBViolations: on.PDBViolations}
	})
	return &hashed
}

func mapEach[T any](list []T, one func(T) T) []T {
	mapped := make([]T, len(list))
	for i := range list {
		mapped[i] = one(list[i])
	}
	return mapped
}

// Event replaces the names in the objects of an event from a cluster. An engine that sees no others decides by the hashes, and
// what it decides is recorded as it is.
func (h *NameHasher) Event(e world.Event) world.Event {
	switch ev := e.(type) {
	case world.Changed:
		ev.Object = h.Object(ev.Object)
		return ev
	case world.Listed:
		for _, o := range ev.Objects {
			h.learn(o)
		}
		ev.Objects = mapEach(ev.Objects, h.Object)
		return ev
	}
	return e
}

// hashBody replaces the names outside objects; a Writer hashes objects itself, after trimming them.
func (h *NameHasher) hashBody(b Body) Body {
	switch b := b.(type) {
	case Input:
		switch ev := b.Event.(type) {
		case world.EffectDone:
			if ev.Outcome.Message != "" {
				ev.Outcome.Message = redactedMessage
			}
			if ev.Outcome.Answer != nil {
				ev.Outcome.Answer = h.answer(ev.Outcome.Answer)
			}
			b.Event, b.Effect.Pod = ev, h.ref(b.Effect.Pod)
			if b.Effect.Verb.namesObject() {
				b.Effect.Detail = h.Name(b.Effect.Detail)
			}
		case world.ActivateRequest:
			asked := world.ActivateRequest{}
			for _, pod := range ev.Activate {
				asked.Activate = append(asked.Activate, types.NamespacedName{Namespace: h.Name(pod.Namespace), Name: h.Name(pod.Name)})
			}
			b.Event = asked
		}
		return b
	case Decision:
		b.Pod, b.Node, b.Nominated, b.Digest = h.ref(b.Pod), h.Name(b.Node), h.Name(b.Nominated), 0
		return b
	case Checkpoint:
		b.Digest = 0
		return b
	case Mark:
		b.Pod, b.Text = h.ref(b.Pod), ""
		return b
	case Usage:
		return h.usage(b)
	}
	return b
}
