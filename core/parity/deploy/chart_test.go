package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const (
	chartFolder = "../../../cmd/deploy/chart"
	namespace   = "scheduling"
)

func loaded(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load(chartFolder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// set are values of the chart as a user writes them.
func set(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	return values
}

func render(t *testing.T, values string) (objects, error) {
	t.Helper()
	install := action.NewInstall(&action.Configuration{})
	install.ClientOnly, install.DryRun, install.ReleaseName, install.Namespace = true, true, "anything", namespace
	install.KubeVersion = &chartutil.KubeVersion{Version: "v1.35.4", Major: "1", Minor: "35"}
	release, err := install.Run(loaded(t), set(t, values))
	if err != nil {
		return nil, err
	}
	return parse(t, release.Manifest), nil
}

func rendered(t *testing.T, values string) objects {
	t.Helper()
	all, err := render(t, values)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// choices are the values that correspond to flags of "orrery manifests".
var choices = map[string][]string{
	"":                     nil,
	"replaceDefault: true": {"--replace-default"},
	"monitoring: {enabled: true, runbooks: 'https://example.com/operations.md'}":                         {"--monitoring", "--runbooks=https://example.com/operations.md"},
	"{replaceDefault: true, monitoring: {enabled: true}, image: {repository: example.com/o, tag: v1.2}}": {"--replace-default", "--monitoring", "--image=example.com/o:v1.2"},
}

func TestChart_IsWhatIsPrinted(t *testing.T) {
	for values, flags := range choices {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			got := rendered(t, values)
			template := got.annotations(t, "Deployment "+namespace+" orrery")
			if len(template) != 1 || template["orrery.dev/configuration"] == "" {
				t.Errorf("the pods' annotations are %v: only that of the configuration is the chart's own", template)
			}
			got.same(t, printed(t, append([]string{"--namespace=" + namespace}, flags...)...))
		})
	}
}

// annotations takes the annotations of an object's pods away.
func (o objects) annotations(t *testing.T, name string) map[string]any {
	t.Helper()
	metadata := o[name]["spec"].(map[string]any)["template"].(map[string]any)["metadata"].(map[string]any)
	all, _ := metadata["annotations"].(map[string]any)
	delete(metadata, "annotations")
	return all
}

func TestChart_PassesLint(t *testing.T) {
	for values := range choices {
		linter := lint.AllWithKubeVersion(chartFolder, set(t, values), namespace, &chartutil.KubeVersion{Version: "v1.35.4", Major: "1", Minor: "35"})
		for _, m := range linter.Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %s", values, m)
			}
		}
	}
}

const everything = `
replicas: 3
emulatedVersion: "1.35"
tolerations: [{key: dedicated, operator: Exists}]
resources: {limits: {memory: 8Gi}}
recording: {enabled: true, maxSize: 20Gi, maxAge: 24h, volumeSize: 22Gi, storageClassName: fast}
configuration: {percentageOfNodesToScore: 50}
profiles:
- schedulerName: batch
  plugins: {score: {disabled: [{name: ImageLocality}]}}
`

func TestChart_TakesValues(t *testing.T) {
	all := rendered(t, everything)
	d := all.deployment(t)
	pod := d.Spec.Template.Spec
	if *d.Spec.Replicas != 3 || len(pod.Tolerations) != 1 || pod.Tolerations[0].Key != "dedicated" {
		t.Errorf("there are %d replicas with the tolerations %v", *d.Spec.Replicas, pod.Tolerations)
	}
	want := []string{"run", "--config=/etc/orrery/config.yaml", "--emulated-version=1.35", "--record-dir=/recording", "--record-max-size=20Gi", "--record-max-age=24h"}
	if got := pod.Containers[0].Args; !slices.Equal(got, want) {
		t.Errorf("the arguments are %q, want %q", got, want)
	}
	// Values are merged, so that what was not named stays.
	if r := pod.Containers[0].Resources; r.Limits.Memory().String() != "8Gi" || r.Requests.Cpu().String() != "100m" {
		t.Errorf("the resources are %v", r)
	}
	mounted := slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m v1.VolumeMount) bool { return m.Name == "recording" && m.MountPath == "/recording" })
	at := slices.IndexFunc(pod.Volumes, func(v v1.Volume) bool { return v.Name == "recording" })
	if !mounted || at < 0 {
		t.Fatalf("the volumes are %v", pod.Volumes)
	}
	claim := pod.Volumes[at].Ephemeral.VolumeClaimTemplate.Spec
	if *claim.StorageClassName != "fast" || claim.Resources.Requests.Storage().String() != "22Gi" {
		t.Errorf("the claim is %v", claim)
	}
	config := all["ConfigMap "+namespace+" orrery"]["data"].(map[string]any)["config.yaml"].(string)
	var parsed map[string]any
	if err := yaml.Unmarshal([]byte(config), &parsed); err != nil {
		t.Fatal(err)
	}
	if profiles := parsed["profiles"].([]any); len(profiles) != 1 || profiles[0].(map[string]any)["schedulerName"] != "batch" || parsed["percentageOfNodesToScore"] != 50.0 {
		t.Errorf("the configuration is %s", config)
	}
}

// A replica reads its configuration when it starts, so another one starts other pods.
func TestChart_StartsPodsAnewForAnotherConfiguration(t *testing.T) {
	const name = "Deployment " + namespace + " orrery"
	usual, more := rendered(t, ""), rendered(t, "replicas: 4")
	other := rendered(t, "configuration: {percentageOfNodesToScore: 50}")
	if a, b := usual.annotations(t, name), more.annotations(t, name); !maps.Equal(a, b) {
		t.Errorf("more replicas have %v, and not %v", b, a)
	} else if c := other.annotations(t, name); maps.Equal(a, c) {
		t.Errorf("another configuration has the same %v", c)
	}
}

func TestChart_BudgetLetsTheOnlyReplicaGo(t *testing.T) {
	for replicas, want := range map[string]string{"1": "0", "2": "1", "5": "1"} {
		budget := rendered(t, "replicas: "+replicas)["PodDisruptionBudget "+namespace+" orrery"]
		if got := fmt.Sprint(budget["spec"].(map[string]any)["minAvailable"]); got != want {
			t.Errorf("with %s replicas %s have to be available, want %s", replicas, got, want)
		}
	}
}

func TestChart_RefusesWrongValues(t *testing.T) {
	for values, want := range map[string]string{
		"replicas: 0":                              "/replicas",
		"replica: 3":                               "replica",
		"image: {repository: 'a b'}":               "/image/repository",
		"emulatedVersion: latest":                  "/emulatedVersion",
		"profiles: [{plugins: {}}]":                "/profiles",
		"configuration: {profiles: []}":            "profiles",
		"recording: {maxSize: '1Gi --kubeconfig'}": "/recording/maxSize",
		"monitoring: {runbooks: 'a\"b'}":           "/monitoring/runbooks",
	} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(want, "/")) && !strings.Contains(err.Error(), strings.ReplaceAll(want[1:], "/", ".")) {
			t.Errorf("%s: error %v", values, err)
		}
	}
}
