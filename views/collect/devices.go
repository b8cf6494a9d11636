package collect

import (
	"orrery/views"
)

// devicesOf returns the counts of devices and claims, and for the pane of the devices those of every model.
func (c *Collector) devicesOf(query Query) *views.Devices {
	x := &c.devices
	v := &views.Devices{Reading: x.reading(), Count: x.summary.count, Pools: len(x.pools), Places: x.summary.places}
	x.claims.counts(v.Claims[:])
	if query.Open == views.DevicesPane {
		all := x.models()
		v.Models = all[:min(len(all), maxModels)]
		v.MoreModels = len(all) - len(v.Models)
	}
	return v
}

// maxModels bounds the models that a pane lists.
//
//orrery:limit screen; models of devices that are listed; the others are left out
const maxModels = 24

// Devices are the devices of all pools, at most views.RowDevices of a place in a row.
func (s source) Devices() views.Rows[views.DeviceRow] {
	x := &s.devices
	return views.Rows[views.DeviceRow]{
		Stamp: x.stamp, Total: len(x.rows),
		Window: func(first, n int) []views.DeviceRow { return rowsOf(x.rows[first:first+n], x.wholeRow) },
		Lazy: &views.LazyRows[views.DeviceRow]{
			All: func(list []any) []any {
				for _, row := range x.rows {
					list = append(list, row)
				}
				return list
			},
			Compare: func(a, b any) int { return a.(*poolRow).compare(b.(*poolRow)) },
			Brief:   func(of any) views.DeviceRow { return *x.briefRow(of.(*poolRow)) },
			Whole:   func(of any) views.DeviceRow { return x.wholeRow(of.(*poolRow)) },
		},
	}
}
