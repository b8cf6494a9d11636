//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// memoryOf returns the largest resident size that a process or one of its children had.
func memoryOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin": // in bytes, elsewhere in kilobytes
		return usage.Maxrss
	}
	return usage.Maxrss << 10
}
