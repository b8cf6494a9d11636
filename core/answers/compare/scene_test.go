package compare_test

import (
	"fmt"
	"testing"
	"time"

	"orrery/core/answers/compare"
	"orrery/core/scheduler/config"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// strategy returns a configuration that prefers the nodes with the most or the least requests.
func strategy(t testing.TB, kind string) compare.Configuration {
	t.Helper()
	c, err := config.Load([]byte(fmt.Sprintf(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: %s
        resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}, {name: openb.example/gpu-milli, weight: 1}]
`, kind)), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return compare.Configuration{Name: kind, Config: c}
}
