package diagnose

import (
	"slices"
	"strings"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/scheduler/plugins/volumerestrictions"
	"orrery/core/scheduler/plugins/volumezone"
)

// storageReasons are those of the volume plugins.
var storageReasons = []string{
	volumebinding.ReasonVolumeElsewhere, volumebinding.ReasonNothingToBind, volumebinding.ReasonNotEnoughSpace, volumebinding.ReasonVolumeMissing,
	volumebinding.ReasonUnboundImmediate, volumerestrictions.ReasonDiskInUse, volumerestrictions.ReasonClaimInUse, volumezone.ReasonOtherZone,
	nodevolumelimits.ReasonExceeded,
}

// StorageFirst returns the reasons in a condition's message, those about storage first.
func StorageFirst(message string) string {
	var storage, others []string
	for _, c := range framework.CountedIn(message) {
		if slices.Contains(storageReasons, c.Reason) {
			storage = append(storage, c.String())
		} else {
			others = append(others, c.String())
		}
	}
	return strings.Join(append(storage, others...), ", ")
}
