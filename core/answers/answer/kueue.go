package answer

// Kueue is where the workload of a pod that Kueue holds back stands.
type Kueue struct {
	// Workload, LocalQueue and ClusterQueue name the pod's; no ClusterQueue if the LocalQueue is not known.
	Workload     string `json:"workload"`
	LocalQueue   string `json:"localQueue"`
	ClusterQueue string `json:"clusterQueue,omitempty"`
	// QuotaReserved and Admitted are the workload's conditions.
	QuotaReserved bool `json:"quotaReserved"`
	Admitted      bool `json:"admitted"`
	// Position is the place among the Of workloads that wait for the ClusterQueue, from 1; both are absent for one that does not wait.
	Position int `json:"position,omitempty"`
	Of       int `json:"of,omitempty"`
	// QuotaKnown says that the ClusterQueue was read, Short are the resources that it is short of for the workload.
	QuotaKnown bool            `json:"quotaKnown"`
	Short      []QuotaShortage `json:"short"`
}

// QuotaShortage is a resource of which a ClusterQueue has less than a workload requests, as the scheduler counts it.
type QuotaShortage struct {
	Resource string `json:"resource"`
	// Flavor is the one that is short of the least.
	Flavor string `json:"flavor"`
	// Requested is what all pods of the workload request, Quota the flavor's nominal one, Free what could be had of it now, with what may be borrowed.
	Requested int64 `json:"requested"`
	Quota     int64 `json:"quota"`
	Free      int64 `json:"free"`
	Short     int64 `json:"short"`
}
