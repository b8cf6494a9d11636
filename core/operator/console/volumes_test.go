package console_test

import (
	"strings"
	"testing"
	"time"

	"orrery/core/operator/console"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/apistub"
	"orrery/core/testing/mk"
)

func podState(s *console.Session, name string) (p engine.PodState) {
	s.Inspect(func(e *engine.Engine) { p = e.PodState("default", name) })
	return p
}

func TestAccess_UnreadableVolumesMeanNoVerdictAboutClaims(t *testing.T) {
	for kind, named := range map[string]string{
		"persistentvolumeclaims": "persistentvolumeclaims", "persistentvolumes": "persistentvolumes", "storageclasses": "storageclasses.storage.k8s.io",
	} {
		t.Run(kind, func(t *testing.T) {
			api := apistub.New(t)
			api.Put(large)
			api.Forbid("list "+kind, true)
			s := open(t, api)
			eventually(t, s, "the initial lists", func() bool { return s.State().Synced })
			with, without := mk.Pod("with").PVC("data").CPU("500m").Obj(), mk.Pod("without").CPU("500m").Obj()
			api.Put(with, without)
			eventually(t, s, "a prediction for the pod without a claim", func() bool { return podState(s, "without") == engine.StateBinding })
			if state := podState(s, "with"); state != engine.StateGated {
				t.Errorf("the pod with a claim is %s", state)
			}
			api.Put(bound(with, "large"), bound(without, "large"))
			eventually(t, s, "both decisions", func() (done bool) {
				s.Inspect(func(*engine.Engine) {
					counters := s.Comparator().Counters()
					done = counters.Agreed == 1 && counters.NotCompared == 1 && counters.Compared() == 1
				})
				return done
			})
			st := s.State()
			if alert, want := st.Alert(time.Time{}), "no right to read "+named+"; pods with a PersistentVolumeClaim are not evaluated; :access"; !strings.HasPrefix(alert, want) {
				t.Errorf("the alert is %q, want %q", alert, want)
			}
			text := strings.ReplaceAll(st.Access(), "\n# ", " ")
			if !strings.Contains(text, "Orrery does not evaluate pods with a PersistentVolumeClaim") || !strings.Contains(text, `resources: ["`+kind+`"]`) {
				t.Errorf("Access is\n%s", text)
			}
		})
	}
}

func TestAccess_ReadableVolumesAreEvaluated(t *testing.T) {
	api := apistub.New(t)
	api.Put(large)
	s := open(t, api)
	eventually(t, s, "the initial lists", func() bool { return s.State().Synced })
	api.Put(mk.Pod("with").PVC("data").CPU("500m").Obj())
	eventually(t, s, "a verdict", func() bool { return podState(s, "with") == engine.StateUnschedulable })
	if st := s.State(); st.UnevaluatedClaims {
		t.Error("the session says that it does not evaluate pods with claims")
	}
}
