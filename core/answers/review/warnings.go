package review

import (
	"fmt"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
)

// subject is a configuration without errors.
type subject struct {
	written       *configv1.KubeSchedulerConfiguration // as it stands in the file
	config        *config.Configuration
	engine, usual *engine.Engine // of this configuration, and of the default one
	lines         config.Lines
}

func (s *subject) warnings() []Finding {
	var found []Finding
	for _, look := range []func(*subject) []Finding{weights, disabled, unusedArgs, extenders, lease, gates} {
		found = append(found, look(s)...)
	}
	return found
}

// at is a finding about a field of the file.
func (s *subject) at(path, format string, args ...any) Finding {
	return Finding{Line: s.lines.Of(path), Field: path, Text: fmt.Sprintf(format, args...)}
}

// lease warns of a second scheduler that waits for the first one's lease.
func lease(s *subject) []Finding {
	e := s.config.LeaderElection
	theirs := e.ResourceNamespace == configv1.SchedulerDefaultLockObjectNamespace && e.ResourceName == configv1.SchedulerDefaultLockObjectName
	if !*e.LeaderElect || !theirs || s.engine.Profile("default-scheduler") != nil {
		return nil
	}
	return []Finding{s.at("leaderElection.resourceName", "no profile is default-scheduler, and the lease is that of the cluster's own kube-scheduler: "+
		"only one of the two schedules at a time. Give this one a lease of its own")}
}
