package live_test

import (
	"context"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/apiserver"
	"orrery/core/replica"
	"orrery/core/world"
)

func TestTheServerChecksWhatOneMay(t *testing.T) {
	client, err := server.Client("nobody-special")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("somebody without rights lists pods: %v", err)
	}
	client, err = server.Client(scheduler)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the scheduler lists secrets: %v", err)
	}
}

func TestWithoutRightsNothingIsDecidedAndWhatIsMissingIsNamed(t *testing.T) {
	s := newScene(t, apiserver.Node(0, "8", "16Gi", "110"))
	r := s.start(func(o *replica.Options) {
		o.KubeConfig = server.Config("nobody-special")
		*o.Config.LeaderElection.LeaderElect = false
	})
	s.pods(1, "a", "10m")
	ctx, cancel := context.WithTimeout(s.ctx, 3*time.Second)
	defer cancel()
	<-ctx.Done()
	if s.list()[0].Spec.NodeName != "" {
		t.Error("the pod was bound")
	}
	if err := r.Synced(); err == nil {
		t.Error("it calls itself in sync")
	}
	if missing := r.Missing(); !slices.Contains(missing, world.Pod) || !slices.Contains(missing, world.Node) {
		t.Errorf("missing: %v", missing)
	}
}
