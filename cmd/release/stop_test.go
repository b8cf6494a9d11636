//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"
)

func TestUntilStopped_EndsWithEitherSignal(t *testing.T) {
	for _, told := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, stop := untilStopped()
		if err := syscall.Kill(os.Getpid(), told); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		stop()
	}
}
