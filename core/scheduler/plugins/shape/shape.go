// Package shape is the function of a utilisation that a configuration gives by its corners.
package shape

import (
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Function maps a utilisation in percent to a score. It is linear between its corners and constant beyond them.
type Function []corner

type corner struct{ utilization, score int64 }

// Of returns the function with these corners, ordered by utilisation; their scores go from 0 to 10.
func Of(corners []configv1.UtilizationShapePoint) Function {
	f := make(Function, len(corners))
	for i, p := range corners {
		f[i] = corner{int64(p.Utilization), int64(p.Score) * (fwk.MaxScore / 10)}
	}
	return f
}

// At interpolates in integers, rounding towards zero. The function must have a corner.
func (f Function) At(utilization int64) int64 {
	for i, p := range f {
		if utilization > p.utilization {
			continue
		}
		if i == 0 {
			return p.score
		}
		from := f[i-1]
		return from.score + (p.score-from.score)*(utilization-from.utilization)/(p.utilization-from.utilization)
	}
	return f[len(f)-1].score
}
