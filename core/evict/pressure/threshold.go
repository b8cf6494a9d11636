package pressure

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/safe/footprint"
)

// Value is an amount: a quantity, or a share of the capacity.
type Value struct {
	Quantity *resource.Quantity
	// Share is the part of the capacity, 0.1 for 10%; it applies if there is no quantity.
	Share float32
}

// Of returns the amount for a capacity, rounded down for a share.
func (v Value) Of(capacity resource.Quantity) resource.Quantity {
	if v.Quantity != nil {
		return v.Quantity.DeepCopy()
	}
	return *resource.NewQuantity(int64(float64(capacity.Value())*float64(v.Share)), resource.BinarySI)
}

func (v Value) String() string {
	if v.Quantity != nil {
		return v.Quantity.String()
	}
	return strconv.FormatFloat(float64(v.Share)*100, 'g', 4, 64) + "%"
}

// Threshold is met when less of a signal is available than its value.
type Threshold struct {
	Signal Signal
	Value  Value
	// Grace is how long it must be met before the kubelet acts; zero makes it a hard threshold.
	Grace time.Duration
	// MinReclaim is how much beyond the value must be available before it is no longer met; nil is nothing.
	MinReclaim *Value
}

// Hard reports whether the threshold has no grace period.
func (t Threshold) Hard() bool { return t.Grace == 0 }

func (t Threshold) String() string {
	if t.Hard() {
		return fmt.Sprintf("%s<%s", t.Signal, t.Value)
	}
	return fmt.Sprintf("%s<%s for %s", t.Signal, t.Value, t.Grace)
}

// Met reports whether less is available than the threshold's value, plus its minimum reclaim if withReclaim is set.
func (t Threshold) Met(o Observation, withReclaim bool) bool {
	want := t.Value.Of(o.Capacity)
	if withReclaim && t.MinReclaim != nil {
		want.Add(t.MinReclaim.Of(o.Capacity))
	}
	return want.Cmp(o.Available) > 0
}

// OnLayout adds the thresholds of the containers' filesystem, which cannot be set: they are those of the filesystem that
// holds it. It returns thresholds given for it as ignored.
func OnLayout(thresholds []Threshold, layout Layout) (all []Threshold, ignored []Signal) {
	var added []Threshold
	for _, t := range thresholds {
		if t.Signal == ContainerFsAvailable || t.Signal == ContainerFsInodesFree {
			ignored = append(ignored, t.Signal)
			continue
		}
		all = append(all, t)
		if twin := layout.containerTwin(t.Signal); twin != "" {
			t.Signal = twin
			added = append(added, t)
		}
	}
	return append(all, added...), ignored
}

// containerTwin returns the containers' signal that corresponds to a signal, empty if they lie elsewhere.
func (l Layout) containerTwin(s Signal) Signal {
	bytes, inodes := NodeFsAvailable, NodeFsInodesFree
	if l == ImageFs {
		bytes, inodes = ImageFsAvailable, ImageFsInodesFree
	}
	switch s {
	case bytes:
		return ContainerFsAvailable
	case inodes:
		return ContainerFsInodesFree
	}
	return ""
}

// parseValue parses a threshold's value; it is nil for 0% and 100%, which disable the threshold.
func parseValue(s Signal, text string) (*Value, error) {
	if strings.HasSuffix(text, "%") {
		if text == "0%" || text == "100%" {
			return nil, nil
		}
		share, err := parseShare(s, text)
		switch {
		case err != nil:
			return nil, err
		case share < 0:
			return nil, fmt.Errorf("eviction percentage threshold %s must be >= 0%%: %s", s, text)
		case share > 1:
			return nil, fmt.Errorf("eviction percentage threshold %s must be <= 100%%: %s", s, text)
		}
		return &Value{Share: share}, nil
	}
	q, err := parseQuantity(s, text)
	if err != nil {
		return nil, err
	}
	if q.Sign() <= 0 {
		return nil, fmt.Errorf("eviction threshold %s must be positive: %s", s, q)
	}
	return &Value{Quantity: q}, nil
}

func parseReclaim(s Signal, text string) (*Value, error) {
	if strings.HasSuffix(text, "%") {
		share, err := parseShare(s, text)
		if err != nil {
			return nil, err
		}
		if !(share > 0) {
			return nil, fmt.Errorf("eviction percentage minimum reclaim %s must be positive: %s", s, text)
		}
		return &Value{Share: share}, nil
	}
	q, err := parseQuantity(s, text)
	if err != nil {
		return nil, err
	}
	if q.Sign() < 0 {
		return nil, fmt.Errorf("negative eviction minimum reclaim specified for %s", s)
	}
	return &Value{Quantity: q}, nil
}

func parseGrace(s Signal, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("reading the grace period of %s: %s", s, oneLine(err))
	}
	if d < 0 {
		return 0, fmt.Errorf("invalid eviction grace period specified: %s, must be a positive value", quoteUnprintable(text))
	}
	return d, nil
}

func parseShare(s Signal, text string) (float32, error) {
	share, err := strconv.ParseFloat(strings.TrimRight(text, "%"), 32)
	if err != nil || share != share {
		return 0, fmt.Errorf("%s of %s is no percentage: write it like 10%%", quoteUnprintable(text), s)
	}
	return float32(share) / 100, nil
}

func parseQuantity(s Signal, text string) (*resource.Quantity, error) {
	if footprint.HugeExponent(text) {
		return nil, fmt.Errorf("reading %s of %s: its exponent is that of no amount", quoteUnprintable(text), s)
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s of %s: %s", quoteUnprintable(text), s, oneLine(err))
	}
	return &q, nil
}
