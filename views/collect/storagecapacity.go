package collect

import (
	"cmp"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
	"orrery/views"
)

// storageTotals are sums over claims and volumes.
type storageTotals struct {
	size  int64
	used  map[classPlace]used
	asked map[string]map[int64]int // by class, the sizes of claims that wait, and how many have each
}

type classPlace struct{ class, place string }

type used struct {
	bytes   int64
	volumes int
}

func newStorageTotals() storageTotals {
	return storageTotals{used: map[classPlace]used{}, asked: map[string]map[int64]int{}}
}

// addVolume adds a volume to the sums, or takes it out.
func (t *storageTotals) addVolume(o *storageObject, sign int) {
	t.size = saturating.Add(t.size, int64(sign)*o.bytes)
	at := classPlace{o.class, o.where}
	u := t.used[at]
	if u.volumes += sign; u.volumes == 0 {
		delete(t.used, at)
		return
	}
	u.bytes = saturating.Add(u.bytes, int64(sign)*o.bytes)
	t.used[at] = u
}

// addClaim adds a claim to those that wait, or takes it out.
func (t *storageTotals) addClaim(o *storageObject, sign int) {
	switch views.ClaimState(o.state) {
	case views.ClaimProvisioning, views.ClaimUnbound, views.ClaimNoNode:
	default:
		return
	}
	sizes := t.asked[o.class]
	if sizes == nil {
		sizes = map[int64]int{}
		t.asked[o.class] = sizes
	}
	if sizes[o.bytes] += sign; sizes[o.bytes] == 0 {
		delete(sizes, o.bytes)
	}
}

// largest returns the size of the largest claim of a class that waits; zero if none does.
func (t *storageTotals) largest(class string) int64 {
	var most int64
	for bytes := range t.asked[class] {
		most = max(most, bytes)
	}
	return most
}

// segmentCache keeps what drivers publish of their capacity.
type segmentCache struct {
	by map[types.NamespacedName]segment
	// rows are the segments of stamp.
	rows  []views.StorageSegment
	stamp uint64
}

type segment struct {
	classPlace
	left, most int64 // bytes in all, and of one volume
}

// changed reads a CSIStorageCapacity.
func (c *segmentCache) changed(e *engine.Engine, name types.NamespacedName) {
	if c.by == nil {
		c.by = map[types.NamespacedName]segment{}
	}
	o, _ := e.Store().Object(world.CSIStorageCapacity, name.Namespace, name.Name).(*storagev1.CSIStorageCapacity)
	if o == nil {
		delete(c.by, name)
		return
	}
	s := segment{classPlace: classPlace{o.StorageClassName, volumes.PlaceOfSelector(o.NodeTopology)}}
	if o.Capacity != nil {
		s.left = requests.Amount("", *o.Capacity)
	}
	if most := volumebinding.VolumeLimit(o); most != nil {
		s.most = requests.Amount("", *most)
	}
	c.by[name] = s
}

// maxBars is how many segments, and how many nodes, are collected at most: more than a screen has rows.
//
//orrery:limit screen; segments, and nodes, of storage that are drawn; the others are left out
const maxBars = 64

// segmentsOf returns the segments where a waiting claim does not fit, then the fullest.
func (x *storageIndex) segmentsOf() []views.StorageSegment {
	c := &x.segments
	if c.stamp == x.stamp {
		return c.rows
	}
	all := make([]segment, 0, len(c.by))
	for _, s := range c.by {
		all = append(all, s)
	}
	asked := map[string]int64{}
	for class := range x.totals.asked {
		asked[class] = x.totals.largest(class)
	}
	full := func(s *segment) float64 {
		if asked[s.class] > s.most {
			return 2
		}
		u := x.totals.used[s.classPlace].bytes
		return fraction(u, saturating.Add(u, s.left))
	}
	queue.SortWindow(all, 0, maxBars, func(a, b segment) int {
		return cmp.Or(cmp.Compare(full(&b), full(&a)), cmp.Compare(a.class, b.class), cmp.Compare(a.place, b.place), cmp.Compare(a.left, b.left), cmp.Compare(a.most, b.most))
	})
	c.rows, c.stamp = make([]views.StorageSegment, min(len(all), maxBars)), x.stamp
	for i := range c.rows {
		c.rows[i] = x.segmentRow(&all[i], asked[all[i].class])
	}
	return c.rows
}

func (x *storageIndex) segmentRow(s *segment, asked int64) views.StorageSegment {
	u := x.totals.used[s.classPlace]
	whole := saturating.Add(u.bytes, s.left)
	row := views.StorageSegment{
		Class: printable.Text(s.class), Place: printable.Text(s.place), Volumes: u.volumes, Left: bytesText(s.left),
		Amount: views.Amount{Fraction: fraction(u.bytes, whole), Used: bytesText(u.bytes), Most: bytesText(whole)},
	}
	if asked > s.most {
		row.Asked = bytesText(asked)
	}
	return row
}

// moreSegments is how many segments are not among the rows.
func (x *storageIndex) moreSegments() int { return len(x.segments.by) - len(x.segmentsOf()) }
