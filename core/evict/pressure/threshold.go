package pressure

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Value is an amount: a quantity, or a share of the capacity.
type Value struct {
	Quantity *resource.Quantity
	// Share is what part of the capacity it is, 0.1 for 10%; it counts if there is no quantity.
	Share float32
}

// Of is the amount for a capacity. A share is cut down to a whole number.
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
	// Grace is how long it must be met before anything is done; zero makes it a hard threshold.
	Grace time.Duration
	// MinReclaim is how much beyond the value must be available before it is no longer met, nil for nothing.
	MinReclaim *Value
}

// Hard tells of a threshold without a grace period.
func (t Threshold) Hard() bool { return t.Grace == 0 }

func (t Threshold) String() string {
	if t.Hard() {
		return fmt.Sprintf("%s<%s", t.Signal, t.Value)
	}
	return fmt.Sprintf("%s<%s for %s", t.Signal, t.Value, t.Grace)
}

// Met tells whether there is less available than the threshold says or, with minimum reclaim, less than that and the
// minimum together.
func (t Threshold) Met(o Observation, withReclaim bool) bool {
	want := t.Value.Of(o.Capacity)
	if withReclaim && t.MinReclaim != nil {
		want.Add(t.MinReclaim.Of(o.Capacity))
	}
	return want.Cmp(o.Available) > 0
}

// OnLayout adds the thresholds of the containers' filesystem, which nobody can set: they are those of the filesystem on
// which it lies. Thresholds given for it are left out, and ignored tells so.
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

// containerTwin is the signal of the containers' filesystem that goes with a signal, empty if they lie elsewhere.
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

// parseValue reads a threshold's value; it is nil for 0% and 100%, which switch the threshold off.
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
		return 0, fmt.Errorf("reading the grace period of %s: %w", s, err)
	}
	if d < 0 {
		return 0, fmt.Errorf("invalid eviction grace period specified: %s, must be a positive value", text)
	}
	return d, nil
}

func parseShare(s Signal, text string) (float32, error) {
	share, err := strconv.ParseFloat(strings.TrimRight(text, "%"), 32)
	if err != nil || share != share {
		return 0, fmt.Errorf("%s of %s is no percentage: write it like 10%%", printable(text), s)
	}
	return float32(share) / 100, nil
}

func parseQuantity(s Signal, text string) (*resource.Quantity, error) {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s of %s: %w", printable(text), s, err)
	}
	return &q, nil
}
