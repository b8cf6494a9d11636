package collect

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
	"orrery/views"
)

// deviceSummary counts all devices, as their rows change.
type deviceSummary struct {
	count  [len(views.Devices{}.Count)]int
	places int
	models map[modelID]*modelTotal
	// evicting are the rows with evicting devices.
	evicting map[*poolRow]struct{}
	// listed are the models as a pane shows them, of the stamp.
	listed []views.DeviceModel
	stamp  uint64
}

// evictingDevices are the devices that evict pods: how many there are, how many pods, and the first device.
type evictingDevices struct {
	devices, pods int
	first         string
}

type modelID struct{ driver, model string }

// modelTotal counts the devices of a model.
type modelTotal struct {
	modelID
	count [len(views.Devices{}.Count)]int
	used  int64 // in millionths, as sums of these do not depend on their order
	// Of a pass over all rows: the place that it is at, how many are free there, and what views.DeviceModel has.
	at               string
	free             int
	mostFree, places int
	mostFreeOn       string
}

// fullShare is the share of a device that is in use, in millionths.
const fullShare = 1_000_000

// modelCounts counts the devices of a model in a row.
type modelCounts struct {
	total *modelTotal
	count [len(views.Devices{}.Count)]int
	used  int64
}

// forget takes a row out of the sums.
func (s *deviceSummary) forget(r *poolRow) {
	s.add(r, -1)
	delete(s.evicting, r)
	r.models = r.models[:0]
}

// recount counts a row's devices again.
func (s *deviceSummary) recount(r *poolRow) {
	s.forget(r)
	for i := range r.units() {
		u := &r.units()[i]
		total := s.totalOf(modelID{r.pool.id.driver, u.model})
		at := slices.IndexFunc(r.models, func(t modelCounts) bool { return t.total == total })
		if at < 0 {
			at = len(r.models)
			r.models = append(r.models, modelCounts{total: total})
		}
		t := &r.models[at]
		t.count[u.state]++
		t.used += int64(u.share*fullShare + 0.5)
		if u.state == views.DeviceEvicting {
			s.evicting[r] = struct{}{}
		}
	}
	s.add(r, 1)
}

func (s *deviceSummary) add(r *poolRow, sign int) {
	for i := range r.models {
		t := &r.models[i]
		for state, n := range t.count {
			t.total.count[state] += sign * n
			s.count[state] += sign * n
		}
		t.total.used += int64(sign) * t.used
	}
}

func (s *deviceSummary) totalOf(id modelID) *modelTotal {
	total := s.models[id]
	if total == nil {
		total = &modelTotal{modelID: id}
		s.models[id] = total
	}
	return total
}

// evictingNow finds the devices that evict pods.
func (x *deviceIndex) evictingNow() evictingDevices {
	e := evictingDevices{devices: x.summary.count[views.DeviceEvicting]}
	var first *poolRow
	pods := map[types.UID]bool{}
	for row := range x.summary.evicting {
		if first == nil || row.compare(first) < 0 {
			first = row
		}
		for i := range row.units() {
			u := &row.units()[i]
			if u.state != views.DeviceEvicting {
				continue
			}
			for h := range x.holdings(u) {
				for _, user := range h.claim.claim.Status.ReservedFor {
					pods[user.UID] = true
				}
			}
		}
	}
	if e.pods = len(pods); first != nil {
		at := slices.IndexFunc(first.units(), func(u deviceUnit) bool { return u.state == views.DeviceEvicting })
		e.first = printable.Text(first.place + " " + first.units()[at].name)
	}
	return e
}

// models returns the models, those with the most devices first.
func (x *deviceIndex) models() []views.DeviceModel {
	s := &x.summary
	if s.stamp == x.stamp {
		return s.listed
	}
	s.stamp, s.listed = x.stamp, nil
	for _, total := range s.models {
		total.at, total.mostFree, total.places, total.mostFreeOn = "", 0, 0, ""
	}
	for _, row := range x.rows { // those of a place follow each other
		for i := range row.models {
			row.models[i].total.pass(row, &row.models[i])
		}
	}
	for id, total := range s.models {
		m := views.DeviceModel{
			Name: printable.Text(id.model), Driver: printable.Text(id.driver), Count: total.count, Used: float64(total.used) / fullShare,
			MostFree: total.mostFree, MostFreeOn: printable.Text(total.mostFreeOn), Places: total.places,
		}
		if m.All() > 0 {
			s.listed = append(s.listed, m)
		}
	}
	slices.SortFunc(s.listed, func(a, b views.DeviceModel) int {
		return cmp.Or(cmp.Compare(b.All(), a.All()), strings.Compare(a.Name, b.Name), strings.Compare(a.Driver, b.Driver))
	})
	return s.listed
}

// pass takes in a row of a pass over all rows.
func (t *modelTotal) pass(row *poolRow, counts *modelCounts) {
	if t.places == 0 || t.at != row.place {
		t.at, t.free = row.place, 0
		t.places++
	}
	if t.free += counts.count[views.DeviceFree]; t.free > t.mostFree {
		t.mostFree, t.mostFreeOn = t.free, row.place
	}
}
