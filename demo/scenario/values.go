package scenario

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/footprint"
)

// duration is written as 90s, 1m30s or 250ms.
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("this is no duration: write it with its unit, as in 90s, 1m30s or 250ms")
	}
	if v < 0 || v > maxLength {
		return fmt.Errorf("a duration is between 0 and %v", maxLength)
	}
	*d = duration(v)
	return nil
}

func (d duration) of() time.Duration { return time.Duration(d) }

// span is a duration, or one of those between two: 20s..40s.
type span struct{ from, to time.Duration }

func (s *span) UnmarshalText(text []byte) error {
	var from, to duration
	low, high, between := strings.Cut(string(text), "..")
	if err := from.UnmarshalText([]byte(low)); err != nil {
		return err
	}
	to = from
	if between {
		if err := to.UnmarshalText([]byte(high)); err != nil {
			return err
		}
	}
	if to < from {
		return fmt.Errorf("it ends before it begins: write the shorter one first")
	}
	*s = span{from.of(), to.of()}
	return nil
}

// pick is one of the durations, always the same for the same pod.
func (s span) pick(pod types.UID, what string) time.Duration {
	return s.from + time.Duration(hashBelow(pod, what, uint64(s.to-s.from)+1))
}

// hashBelow is a number below n, always the same for the same pod and purpose.
func hashBelow(pod types.UID, what string, n uint64) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what))
	_, _ = h.Write([]byte(pod))
	sum := h.Sum64()
	return (sum ^ sum>>32) % n
}

// date is a moment in time, as RFC 3339 writes it.
type date time.Time

func (d *date) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("this is no date: write it as in 2026-03-02T09:00:00Z")
	}
	if year := t.Year(); year < 2000 || year > 2100 {
		return fmt.Errorf("the year is between 2000 and 2100")
	}
	*d = date(t.UTC())
	return nil
}

// amount is a quantity, such as 500m or 2Gi.
type amount struct{ resource.Quantity }

func (a *amount) UnmarshalText(text []byte) error {
	if footprint.HugeExponent(text) {
		return fmt.Errorf("its exponent is that of no amount: write it as in 2, 500m or 4Gi")
	}
	q, err := resource.ParseQuantity(string(text))
	if err != nil || q.Sign() < 0 {
		return fmt.Errorf("this is no amount: write it as in 2, 500m or 4Gi")
	}
	if q.CmpInt64(maxAmount) > 0 {
		return fmt.Errorf("this is more than there can be of anything: at most 1Pi")
	}
	a.Quantity = q
	return nil
}

// taint is written as key=value:Effect or key:Effect.
type taint struct{ v1.Taint }

func (t *taint) UnmarshalText(text []byte) error {
	rest, effect, ok := cutLast(string(text), ":")
	if !ok {
		return fmt.Errorf("a taint is written as key=value:Effect, such as dedicated=ml:NoSchedule")
	}
	key, value, _ := strings.Cut(rest, "=")
	found, err := effectOf(effect)
	if err != nil || key == "" {
		return fmt.Errorf("a taint is written as key=value:Effect, with the effect NoSchedule, PreferNoSchedule or NoExecute")
	}
	t.Taint = v1.Taint{Key: key, Value: value, Effect: found}
	return nil
}

func effectOf(text string) (v1.TaintEffect, error) {
	switch e := v1.TaintEffect(text); e {
	case v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute:
		return e, nil
	}
	return "", fmt.Errorf("unknown effect %q: there are NoSchedule, PreferNoSchedule and NoExecute", text)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// toleration is written like a taint; without an effect it is of every effect, without a value of every value, and "for
// 20s" at its end limits it. The word everything tolerates all taints.
type toleration struct{ v1.Toleration }

func (t *toleration) UnmarshalText(text []byte) error {
	rest, limit, limited := strings.Cut(string(text), " for ")
	made := v1.Toleration{Operator: v1.TolerationOpExists}
	if limited {
		var d duration
		if err := d.UnmarshalText([]byte(limit)); err != nil {
			return err
		}
		seconds := int64(d.of() / time.Second)
		made.TolerationSeconds = &seconds
	}
	if rest != "everything" {
		pair, effect, hasEffect := cutLast(rest, ":")
		if hasEffect {
			e, err := effectOf(effect)
			if err != nil {
				return err
			}
			made.Effect = e
		}
		key, value, hasValue := strings.Cut(pair, "=")
		if key == "" {
			return fmt.Errorf("a toleration is written as key=value:Effect, key:Effect, key or everything, and may end in: for 20s")
		}
		made.Key = key
		if hasValue {
			made.Operator, made.Value = v1.TolerationOpEqual, value
		}
	}
	t.Toleration = made
	return nil
}

// replicaChange is a new number, or by how much it changes: 12, +3, -2.
type replicaChange struct {
	by       bool
	replicas int
}

func (c *replicaChange) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n > maxPods || n < -maxPods {
		return fmt.Errorf("write how many there are to be, or how many more or fewer: 12, +3 or -2")
	}
	*c = replicaChange{by: text[0] == '+' || text[0] == '-', replicas: n}
	return nil
}

func (c replicaChange) of(now int) int {
	if c.by {
		return max(0, now+c.replicas)
	}
	return c.replicas
}

// stringList may be written as one word.
type stringList []string

// OneOrMore lets a single name be written without a list.
func (stringList) OneOrMore() {}

// topologyKey is the label that says in which zone, region or on which node something is; other words are labels.
func topologyKey(word string) string {
	switch word {
	case "zone":
		return v1.LabelTopologyZone
	case "region":
		return v1.LabelTopologyRegion
	case "node":
		return v1.LabelHostname
	}
	return word
}

// growing is an amount, and how much comes on top each second: 300Mi, or 300Mi growing 5Mi.
type growing struct{ now, growth int64 }

func (b *growing) UnmarshalText(text []byte) error {
	var now, growth amount
	first, more, grows := strings.Cut(string(text), " growing ")
	if err := now.UnmarshalText([]byte(first)); err != nil {
		return fmt.Errorf("this is no amount: write it as in 300Mi, or with what comes on top each second as in 300Mi growing 5Mi")
	}
	if grows {
		if err := growth.UnmarshalText([]byte(more)); err != nil {
			return err
		}
	}
	*b = growing{now.Value(), growth.Value()}
	return nil
}

func (p *priority) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil {
		return fmt.Errorf("a priority is a whole number, as in 1000, or has fields, as in {value: 1000, preemptionPolicy: Never}")
	}
	p.Value = int32(n)
	return nil
}
