// Package allocate compares Orrery's allocator of devices with that of each release of Kubernetes: 1.37's in this process, the others' in
// processes of their own.
package allocate
