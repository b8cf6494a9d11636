package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// These stand for what Helm fills in, and are words that the manifests have nowhere else.
	namespace = "namespace-of-the-release"
	image     = "image-of-the-release"
	runbooks  = "runbooks-of-the-release"

	header = "{{- /* Written by make docs from what \"orrery manifests\" prints. */ -}}\n"
)

// chartTemplate returns the template of all objects of the chart.
func chartTemplate() (string, error) {
	merged := map[choice][]string{}
	for _, c := range []choice{{}, {replaceDefault: true}, {monitoring: true}, {true, true}} {
		documents, err := c.print("--namespace="+namespace, "--image="+image, "--runbooks="+runbooks)
		if err != nil {
			return "", err
		}
		text := strings.Join(ofRelease(documents), "\n---\n")
		if strings.Contains(text, "\n\n") {
			return "", errors.New("a blank line is printed, which a template would lose beside a condition")
		}
		merged[c] = strings.Split(strings.ReplaceAll(text, "{{", `{{ "{{" }}`), "\n")
	}
	all := merge(".Values.monitoring.enabled",
		merge(".Values.replaceDefault", merged[choice{true, true}], merged[choice{monitoring: true}]),
		merge(".Values.replaceDefault", merged[choice{replaceDefault: true}], merged[choice{}]))
	text := strings.Join(all, "\n") + "\n"
	for _, v := range values {
		if n := strings.Count(text, v.printed); n != v.times {
			return "", fmt.Errorf("%q is printed %d times, and the chart replaces it %d times", v.printed, n, v.times)
		}
		text = strings.ReplaceAll(text, v.printed, v.template)
	}
	text = strings.NewReplacer(namespace, "{{ .Release.Namespace }}", runbooks, "{{ .Values.monitoring.runbooks }}").Replace(text)
	return header + text, nil
}

// ofRelease leaves out what is above the first document, which is about kubectl, and the namespace, which Helm makes.
func ofRelease(documents []string) []string {
	return slices.DeleteFunc(documents[1:], func(document string) bool { return strings.Contains(document, "\nkind: Namespace\n") })
}

// values are the values of the chart: what is printed, and what the template has in its place.
var values = []struct {
	printed, template string
	times             int
}{
	{`"` + image + `"`, `"{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"`, 1},
	{"  replicas: 2\n", "  replicas: {{ .Values.replicas }}\n", 1},
	{
		"      tolerations:\n      - key: node-role.kubernetes.io/control-plane\n        operator: Exists\n        effect: NoSchedule\n",
		"{{- with .Values.tolerations }}\n      tolerations:\n      {{- toYaml . | nindent 6 }}\n{{- end }}\n", 1,
	},
	{
		"        resources:\n          requests:\n            cpu: 100m\n            memory: 256Mi\n          limits:\n" +
			"            # It holds every pod and node, trimmed: raise this for clusters of many thousands of nodes.\n            memory: 2Gi\n",
		"        resources:\n          {{- toYaml .Values.resources | nindent 10 }}\n", 1,
	},
	// Replicas read their configuration once: another one starts them anew.
	{
		"  template:\n    metadata:\n      labels:\n",
		"  template:\n    metadata:\n      annotations:\n        orrery.dev/configuration: {{ list .Values.profiles .Values.configuration .Values.replaceDefault | toJson | sha256sum | trunc 16 | quote }}\n      labels:\n", 1,
	},
	{"    leaderElection:\n      leaderElect: true\n", "{{- with .Values.configuration }}\n    {{- toYaml . | nindent 4 }}\n{{- end }}\n    leaderElection:\n      leaderElect: true\n", 1},
	{"    profiles:\n", "    profiles:\n{{- if .Values.profiles }}\n    {{- toYaml .Values.profiles | nindent 4 }}\n{{- else }}\n", 1},
	{"    - schedulerName: orrery\n{{- end }}\n", "    - schedulerName: orrery\n{{- end }}\n{{- end }}\n", 1},
	{
		"        - --config=/etc/orrery/config.yaml\n",
		"        - --config=/etc/orrery/config.yaml\n{{- with .Values.emulatedVersion }}\n        - {{ printf \"--emulated-version=%s\" . | quote }}\n{{- end }}\n" +
			"{{- if .Values.recording.enabled }}\n        - --record-dir=/recording\n        - --record-max-size={{ .Values.recording.maxSize }}\n        - --record-max-age={{ .Values.recording.maxAge }}\n{{- end }}\n", 1,
	},
	{
		"        - name: flights\n          mountPath: /tmp\n",
		"        - name: flights\n          mountPath: /tmp\n{{- if .Values.recording.enabled }}\n        - name: recording\n          mountPath: /recording\n{{- end }}\n", 1,
	},
	{
		"          sizeLimit: 256Mi\n",
		"          sizeLimit: 256Mi\n" + `{{- if .Values.recording.enabled }}
      # One for each replica, which goes with it.
      - name: recording
        ephemeral:
          volumeClaimTemplate:
            spec:
              accessModes: [ReadWriteOnce]
{{- with .Values.recording.storageClassName }}
              storageClassName: {{ . }}
{{- end }}
              resources:
                requests:
                  storage: {{ .Values.recording.volumeSize }}
{{- end }}
`, 1,
	},
	// A budget for a single replica would keep its node from being drained.
	{"  minAvailable: 1\n", "  minAvailable: {{ min 1 (sub (int .Values.replicas) 1) }}\n", 1},
}
