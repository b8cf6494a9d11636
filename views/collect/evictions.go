package collect

import (
	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/printable"
	"orrery/views"
)

var phases = [...]views.DeparturePhase{
	evict.Forecast: views.Forecasted, evict.Counting: views.Counting, evict.Held: views.HeldBack,
	evict.Leaving: views.BeingDeleted, evict.Left: views.Departed, evict.Cancelled: views.Stays,
}

// evictions is the board: what is open, the earliest first, then what is over, the latest first.
func (c *Collector) evictions(_ *engine.Engine, look Look) *views.Evictions {
	if c.run.Board == nil {
		return nil
	}
	open, ended := c.run.Board.Open(), c.run.Board.Ended()
	v := &views.Evictions{}
	for i := range open {
		switch open[i].Phase {
		case evict.Forecast:
			v.Forecast++
		case evict.Held:
			v.Held++
		default:
			v.Leaving++
		}
	}
	total := len(open) + len(ended)
	first, end := look.window(total)
	if look.Open == views.Overview {
		first, end = 0, min(total, heads)
	}
	v.List = views.List[views.Departure]{First: first, Total: total}
	for i := first; i < end; i++ {
		if i < len(open) {
			v.List.Rows = append(v.List.Rows, departure(&open[i]))
		} else {
			v.List.Rows = append(v.List.Rows, departure(&ended[total-1-i]))
		}
	}
	return v
}

func departure(d *evict.Departure) views.Departure {
	return views.Departure{
		Pod: podName(d.Pod), Node: printable.Text(d.Node), Cause: string(d.Cause), By: printable.Text(d.By), Why: printable.Text(d.Why),
		Phase: phases[d.Phase], Predicted: d.Predicted, Deadline: d.Deadline, Ended: d.Ended,
		Budget: printable.Text(d.Budget), Allowed: d.Allowed,
	}
}
