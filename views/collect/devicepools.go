package collect

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/views"
)

// devicePool is a pool of a driver.
type devicePool struct {
	id     poolID
	slices []string // its slices by name
	// missing are slices of the newest generation that are not published, outdated those of older ones.
	missing, outdated int
	devices           map[string]*resourcev1.Device
	units             []deviceUnit
	rows              []*poolRow
}

// deviceUnit is a cell of the pane: a device, or a set of counters with the devices that consume them, which are the partitions
// of one.
type deviceUnit struct {
	pool                     *devicePool
	name, place, node, model string
	// whole is the device, or the one of the partitions that consumes the most.
	whole published
	parts []published
	set   *resourcev1.CounterSet
	state views.DeviceState
	share float64
}

// published is a device with its slice.
type published struct {
	device *resourcev1.Device
	slice  *resourcev1.ResourceSlice
}

func (p published) id() deviceID {
	return deviceID{poolID{p.slice.Spec.Driver, p.slice.Spec.Pool.Name}, p.device.Name}
}

// poolRow are at most views.RowDevices units of a pool at one place.
type poolRow struct {
	pool        *devicePool
	place, node string
	// The units first to end are those from the number from on of the of that are at the place.
	first, end, from, of int
	models               []modelCounts
	// brief and whole are made when the row is first filtered or shown.
	brief, whole *views.DeviceRow
}

func (r *poolRow) units() []deviceUnit { return r.pool.units[r.first:r.end] }

// publish reads the devices of a pool anew, and marks the claims that have any.
func (x *deviceIndex) publish(id poolID, d *dirtyDevices) {
	pool := x.pools[id]
	for i := range pool.units {
		x.dirtyHolders(&pool.units[i], d)
	}
	if pool.units = nil; len(pool.slices) == 0 {
		x.divide(pool)
		delete(x.pools, id)
		return
	}
	pool.devices = map[string]*resourcev1.Device{}
	newest := x.generationOf(pool)
	sets := map[string]int{} // the units of counter sets
	for _, slice := range newest {
		for i := range slice.Spec.SharedCounters {
			set := &slice.Spec.SharedCounters[i]
			sets[set.Name] = len(pool.units)
			pool.units = append(pool.units, deviceUnit{pool: pool, name: set.Name, set: set})
		}
	}
	for _, slice := range newest {
		for i := range slice.Spec.Devices {
			pool.add(published{&slice.Spec.Devices[i], slice}, sets)
		}
	}
	pool.units = slices.DeleteFunc(pool.units, func(u deviceUnit) bool { return u.whole.device == nil })
	for i := range pool.units {
		pool.units[i].describe()
		x.dirtyHolders(&pool.units[i], d)
	}
	slices.SortStableFunc(pool.units, func(a, b deviceUnit) int { return strings.Compare(a.place, b.place) })
	x.divide(pool)
	d.held[id] = struct{}{}
}

// generationOf returns a pool's slices of the newest generation, and counts those that are missing or outdated.
func (x *deviceIndex) generationOf(pool *devicePool) []*resourcev1.ResourceSlice {
	newest, want := int64(-1), int64(0)
	var list []*resourcev1.ResourceSlice
	for _, name := range pool.slices {
		slice := x.slices[name]
		if p := &slice.Spec.Pool; p.Generation > newest {
			newest, want, list = p.Generation, p.ResourceSliceCount, nil
		}
		if slice.Spec.Pool.Generation == newest {
			list = append(list, slice)
		}
	}
	pool.outdated = len(pool.slices) - len(list)
	pool.missing = int(max(want-int64(len(list)), 0))
	return list
}

// add adds a device as a unit, or to the units of the counters that it consumes.
func (p *devicePool) add(device published, sets map[string]int) {
	p.devices[device.device.Name] = device.device
	divided := false
	for i := range device.device.ConsumesCounters {
		if at, known := sets[device.device.ConsumesCounters[i].CounterSet]; known {
			u := &p.units[at]
			divided = true
			if u.parts = append(u.parts, device); u.whole.device == nil || u.partOf(device) > u.partOf(u.whole) {
				u.whole = device
			}
		}
	}
	if !divided {
		p.units = append(p.units, deviceUnit{pool: p, name: device.device.Name, whole: device})
	}
}

// partOf returns which part of its counters a device consumes: of the counter of which it takes the most.
func (u *deviceUnit) partOf(device published) float64 {
	part := 0.0
	for i := range device.device.ConsumesCounters {
		c := &device.device.ConsumesCounters[i]
		if c.CounterSet != u.set.Name {
			continue
		}
		for name, taken := range c.Counters {
			if all := u.set.Counters[name]; !all.Value.IsZero() {
				part = max(part, taken.Value.AsApproximateFloat64()/all.Value.AsApproximateFloat64())
			}
		}
	}
	return part
}

// describe fills in where a unit is and its model. A unit of which one device is the whole is called as that is.
func (u *deviceUnit) describe() {
	if u.set != nil && u.partOf(u.whole) >= 1 {
		u.name = u.whole.device.Name
	}
	u.model = modelOf(u.whole)
	u.place, u.node = placeOf(u.whole)
}

// placeOf returns where a device is: the name of its node, twice, or a word for several nodes.
func placeOf(p published) (place, node string) {
	spec := &p.slice.Spec
	name, selector, all := spec.NodeName, spec.NodeSelector, spec.AllNodes
	if spec.PerDeviceNodeSelection != nil && *spec.PerDeviceNodeSelection {
		name, selector, all = p.device.NodeName, p.device.NodeSelector, p.device.AllNodes
	}
	switch {
	case name != nil && *name != "":
		return *name, *name
	case all != nil && *all:
		return "all nodes", ""
	case selector != nil && len(selector.NodeSelectorTerms) > 0:
		return selectorText(selector), ""
	}
	return "no node", ""
}

// selectorText returns the first requirement of a selector without its domain: "zone=east".
func selectorText(s *v1.NodeSelector) string {
	term := &s.NodeSelectorTerms[0]
	all := append(slices.Clip(term.MatchExpressions), term.MatchFields...)
	if len(all) == 0 {
		return "some nodes"
	}
	key := all[0].Key[strings.LastIndexByte(all[0].Key, '/')+1:]
	if values := all[0].Values; len(values) > 0 {
		return key + "=" + strings.Join(values[:min(len(values), 3)], ",")
	}
	return key
}

// modelAttributes are the attributes that name a device's model, the best first. Each is looked up in the driver's own domain,
// then in any other, in the order of their names.
var modelAttributes = [...]string{"productName", "model", "product", "deviceType", "type", "family"}

// modelOf returns the first of the attributes that is a text; the driver's name if there is none.
func modelOf(p published) string {
	text := func(key string) *string { return p.device.Attributes[resourcev1.QualifiedName(key)].StringValue }
	for _, name := range modelAttributes {
		other := ""
		for key := range p.device.Attributes {
			if k := string(key); strings.HasSuffix(k, "/"+name) && text(k) != nil && (other == "" || k < other) {
				other = k
			}
		}
		for _, key := range [...]string{name, p.slice.Spec.Driver + "/" + name, other} {
			if model := text(key); model != nil && *model != "" {
				return *model
			}
		}
	}
	return p.slice.Spec.Driver
}

// divide divides a pool's units into rows.
func (x *deviceIndex) divide(pool *devicePool) {
	before := pool.rows
	pool.rows = nil
	for _, row := range before {
		x.summary.forget(row)
	}
	for first := 0; first < len(pool.units); {
		place, end := pool.units[first].place, first
		for end < len(pool.units) && pool.units[end].place == place {
			end++
		}
		for at := first; at < end; at += views.RowDevices {
			pool.rows = append(pool.rows, &poolRow{
				pool: pool, place: place, node: pool.units[first].node, first: at, end: min(at+views.RowDevices, end), from: at - first, of: end - first,
			})
		}
		first = end
	}
	same := func(a, b *poolRow) bool { return a.place == b.place && a.from == b.from }
	if !slices.EqualFunc(before, pool.rows, same) {
		x.unordered = true
		return
	}
	for i, row := range before { // the list of rows stays as it is
		*row = *pool.rows[i]
	}
	pool.rows = before
}

// orderRows orders the rows by driver, place and pool, if there are other ones.
func (x *deviceIndex) orderRows() {
	if !x.unordered {
		return
	}
	x.unordered, x.rows, x.summary.places = false, x.rows[:0], 0
	for _, pool := range x.pools {
		x.rows = append(x.rows, pool.rows...)
	}
	slices.SortFunc(x.rows, (*poolRow).compare)
	for i, row := range x.rows {
		if i == 0 || row.place != x.rows[i-1].place || row.pool.id.driver != x.rows[i-1].pool.id.driver {
			x.summary.places++
		}
	}
}

func (r *poolRow) compare(s *poolRow) int {
	return cmp.Or(strings.Compare(r.pool.id.driver, s.pool.id.driver), strings.Compare(r.place, s.place), strings.Compare(r.pool.id.pool, s.pool.id.pool), cmp.Compare(r.from, s.from))
}
