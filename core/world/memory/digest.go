package memory

import (
	"fmt"

	"orrery/core/world"
)

// digest is a running FNV-1a hash.
type digest uint64

const (
	startDigest digest = 14695981039346656037
	digestPrime digest = 1099511628211
)

// Digest hashes every input delivered so far, including every object completely: two runs with the same digest are
// identical.
func (c *Cluster) Digest() string { return fmt.Sprintf("%016x", uint64(c.digest)) }

func (d *digest) addBytes(b []byte) {
	h := *d
	for _, x := range b {
		h = (h ^ digest(x)) * digestPrime
	}
	*d = h
}

func (d *digest) addText(s string) {
	d.addNumber(uint64(len(s)))
	h := *d
	for i := range len(s) {
		h = (h ^ digest(s[i])) * digestPrime
	}
	*d = h
}

func (d *digest) addNumber(n uint64) {
	h := *d
	for range 8 {
		h = (h ^ digest(n&0xff)) * digestPrime
		n >>= 8
	}
	*d = h
}

func (d *digest) addInput(in world.Input) {
	d.addNumber(uint64(in.At.UnixNano()))
	switch e := in.Event.(type) {
	case world.Changed:
		d.addNumber(uint64(e.Op))
		d.addObject(e.Object)
	case world.Listed:
		d.addText(string(e.Kind))
		for _, o := range e.Objects {
			d.addObject(o)
		}
	case world.EffectDone:
		d.addNumber(uint64(e.Effect))
		d.addNumber(uint64(e.Outcome.Code))
		d.addText(string(e.Outcome.Reason))
		d.addText(e.Outcome.Message)
		if answer := e.Outcome.Answer; answer != nil {
			d.addAnswer(answer)
		}
	case world.ActivateRequest:
		for _, pod := range e.Activate {
			d.addText(pod.String())
		}
	}
}

// addObject adds an object's protobuf encoding, in which maps are sorted.
func (d *digest) addObject(o world.Object) {
	raw, err := o.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		d.addText(err.Error())
		return
	}
	d.addBytes(raw)
}

func (d *digest) addAnswer(a *world.ExtenderAnswer) {
	d.addText(a.Error)
	for _, node := range a.Nodes {
		d.addText(node)
	}
	for _, node := range a.Changed {
		d.addObject(node)
	}
	for _, failed := range a.Failed {
		d.addText(failed.Node)
		d.addText(failed.Reason)
	}
	for _, score := range a.Scores {
		d.addText(score.Host)
		d.addNumber(uint64(score.Score))
	}
	for _, victims := range a.Victims {
		d.addText(victims.Node)
		for _, uid := range victims.Pods {
			d.addText(string(uid))
		}
	}
}
