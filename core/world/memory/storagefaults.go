package memory

import "time"

// HangProvisioner stops a driver's provisioner for some time. The volumes it is making come afterwards.
func (c *Cluster) HangProvisioner(driver string, d time.Duration) {
	c.storage.hungUntil[driver] = c.now.Add(d)
}

// FailDetach makes the detachment of a volume from its node fail for some time.
func (c *Cluster) FailDetach(volume string, d time.Duration) {
	c.storage.detachFailsUntil[volume] = c.now.Add(d)
}
