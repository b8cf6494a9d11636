// Command allocations answers what the allocator of devices of Kubernetes 1.35 allocates.
package main

import "orrery/core/parity/oracle/allocations"

func main() { allocations.Main() }
