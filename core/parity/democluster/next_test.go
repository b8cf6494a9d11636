package main

import (
	"strings"
	"testing"
)

// What is offered works: a scheduler serves on this machine alone, and none is offered where kube-scheduler holds the lease.
func TestWhatNext_OffersWhatWorks(t *testing.T) {
	text := options{nodes: 3}.whatNext("/tmp/x/kubeconfig")
	for _, offered := range []string{"A cluster with 3 nodes", "--bind-address 127.0.0.1 --cert-dir /tmp/x/scheduler", "orrery attach", "console --schedule"} {
		if !strings.Contains(text, offered) {
			t.Errorf("it lacks %s: %s", offered, text)
		}
	}
	text = options{nodes: 3, kubeScheduler: true}.whatNext("/tmp/x/kubeconfig")
	for _, useless := range []string{"orrery run", "orrery attach", "--schedule"} {
		if strings.Contains(text, useless) {
			t.Errorf("beside kube-scheduler it offers %s: %s", useless, text)
		}
	}
}
