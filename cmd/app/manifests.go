package app

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"orrery/core/process/replica"
	"orrery/core/process/serving"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace/stream"
	"orrery/core/world"
)

//go:embed manifests/*.yaml
var manifestTemplates embed.FS

// manifestFlags are the flags of manifests.
type manifestFlags struct {
	replaceDefault, shadow bool
	observe                bool
	storage                string
	namespace, image       string
	gates, controllers     []string
	kubernetes             releaseFlag
	monitor, monitoring    bool
	runbooks               string
}

func manifestsCommand(plugins framework.Registry) *cobra.Command {
	f := &manifestFlags{}
	c := &cobra.Command{
		Use:   "manifests",
		Short: "Print manifests that run Orrery in a cluster, with the least privileges",
		Long: `Manifests prints objects for "kubectl apply -f -": a role with exactly the necessary rights, two replicas
that elect a leader, their configuration and a PodDisruptionBudget; with --service-monitor also a ServiceMonitor, where
the Prometheus operator is installed, and with --monitoring that, alerts and a dashboard for Grafana.

By default it schedules the pods with schedulerName "orrery", next to the cluster's own scheduler. With
--replace-default it schedules the pods without a schedulerName, and takes part in kube-scheduler's leader election, so
that only one of the two acts. With --observe it prints what runs "orrery observe" beside the cluster's own scheduler: a Deployment whose
role has only the rights to read, and a volume for its recording. With --shadow it prints only the rights to read that "orrery record", "explain" and
"whatif" need.

With --kubernetes it decides as that release, with the rights that an API server of that release asks for. Without it the rights are those that
any of them asks for.`,
		Example: `  orrery manifests --image registry.example.com/orrery:v1 | kubectl apply -f -
  orrery manifests --replace-default --image registry.example.com/orrery:v1
  orrery manifests --kubernetes 1.37 | kubectl apply -f -
  orrery manifests --monitoring | kubectl apply -f -
  orrery manifests --observe | kubectl apply -f -
  orrery manifests --shadow | kubectl apply -f -`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			text, err := f.print(plugins)
			if err != nil {
				return err
			}
			if _, err := c.OutOrStdout().Write(text); err != nil {
				return fmt.Errorf("writing the manifests: %w", err)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&f.replaceDefault, "replace-default", false, "schedule the pods without a schedulerName, in kube-scheduler's place")
	c.Flags().BoolVar(&f.shadow, "shadow", false, "print the rights to read only")
	c.Flags().BoolVar(&f.observe, "observe", false, "print what runs \"orrery observe\", which changes nothing, beside the cluster's own scheduler")
	c.Flags().StringVar(&f.storage, "storage", storageDefault, "the `size` of the volume of --observe; 0 for a recording that ends with the pod")
	c.Flags().StringVarP(&f.namespace, "namespace", "n", "",
		"the `namespace` of the objects: by default "+ownNamespace+", which has no other pods that the role for \"orrery attach\" reaches; with --shadow "+metav1.NamespaceSystem)
	c.Flags().StringSliceVar(&f.gates, "feature-gates", nil,
		"feature gates to run with, as \"orrery run\" takes them: `gate=true`; CoordinatedLeaderElection needs more rights")
	c.Flags().StringSliceVar(&f.controllers, "controllers", nil,
		"controllers to run with, as \"orrery run\" takes them: "+replica.TaintEviction+", "+replica.DeviceTaintEviction)
	f.kubernetes.addFlag(c, "by default the rights are enough for each")
	c.Flags().BoolVar(&f.monitor, "service-monitor", false, "print a ServiceMonitor, too, which needs the Prometheus operator")
	c.Flags().BoolVar(&f.monitoring, "monitoring", false, "print a ServiceMonitor, a PrometheusRule with alerts, and a dashboard for Grafana, too")
	c.Flags().StringVar(&f.runbooks, "runbooks", runbooks, "where the alerts' links find docs/operations.md: its `address` where you publish it")
	c.Flags().StringVar(&f.image, "image", defaultImage(), "the `image` to run; \"make image\" makes it")
	return c
}

// ownNamespace holds the scheduler and nothing else, so that the right to reach its pods is one to reach the scheduler.
const ownNamespace = "orrery-system"

// runbooks is the page that says what each alert means, in the source.
const runbooks = "docs/operations.md"

// defaultImage is the image of the release; builds between releases have none.
func defaultImage() string {
	if !strings.HasPrefix(release, "v") {
		return "orrery:devel"
	}
	return "orrery:" + release
}

// manifestValues are the values of the templates.
type manifestValues struct {
	Namespace, Image, Name, Scheduler string
	// Lease is the replicas' lease, in LeaseNamespace.
	Lease, LeaseNamespace string
	Port                  int
	Replace               bool
	// OwnNamespace says that the manifests create the namespace.
	OwnNamespace bool
	// Monitor says that the Prometheus operator is there. Job is the job of the scraped series.
	Monitor     bool
	Job         string
	MetricPaths []string
	// Runbooks is where the alerts' links find their page; Dashboard is JSON, indented.
	Runbooks, Dashboard string
	// Gates are the replicas' feature gates.
	Gates string
	// Emulated is the release that it decides as; empty for the default.
	Emulated string
	// Controllers run with the scheduler.
	Controllers string
	Rights      []right // in the whole cluster
	LeaseRights []right // in LeaseNamespace
	// StreamPath is where the scheduler's records are read. FindLeaderRights, in LeaseNamespace, and ReachLeaderRights, in Namespace,
	// are those of its readers.
	StreamPath                          string
	FindLeaderRights, ReachLeaderRights []right
	observeValues
}

func (f *manifestFlags) print(plugins framework.Registry) ([]byte, error) {
	switch {
	case f.shadow && f.replaceDefault:
		return nil, errors.New("--shadow and --replace-default exclude each other: --shadow prints rights to read only")
	case f.shadow && f.monitor:
		return nil, errors.New("--shadow and --service-monitor exclude each other: --shadow prints rights to read only")
	case f.shadow && f.monitoring:
		return nil, errors.New("--shadow and --monitoring exclude each other: --shadow prints rights to read only")
	}
	if err := f.checkObserve(); err != nil {
		return nil, err
	}
	switch {
	case f.namespace != "":
	case f.shadow:
		f.namespace = metav1.NamespaceSystem
	default:
		f.namespace = ownNamespace
	}
	if problems := validation.IsDNS1123Label(f.namespace); len(problems) > 0 {
		return nil, fmt.Errorf("--namespace %q: %s", f.namespace, problems[0])
	}
	if !isPlain(f.image) {
		return nil, fmt.Errorf("--image %q: it is a name like registry.example.com/orrery:v1", f.image)
	}
	if !isPlain(f.runbooks) {
		return nil, fmt.Errorf("--runbooks %q: it is an address like https://example.com/orrery/operations.md", f.runbooks)
	}
	decides := modelled.Oldest
	if f.kubernetes.release != nil {
		decides = *f.kubernetes.release
	}
	features, err := config.ParseFeatureFlagOf(decides, f.gates...)
	if err != nil {
		return nil, fmt.Errorf("--feature-gates: %w", err)
	}
	e, err := engine.New(engine.Options{Config: config.Default(features), Plugins: plugins})
	if err != nil {
		return nil, err
	}
	watched, err := e.WatchedKinds()
	if err != nil {
		return nil, err
	}
	v := manifestValues{
		Namespace: f.namespace, Image: f.image, Name: "orrery", Scheduler: "orrery", Lease: "orrery", LeaseNamespace: f.namespace, Port: serving.Port,
		Monitor: f.monitor || f.monitoring, Job: "orrery", MetricPaths: []string{"/metrics", "/metrics/resources"}, Runbooks: f.runbooks, StreamPath: stream.Path,
		OwnNamespace: f.namespace != metav1.NamespaceSystem && f.namespace != metav1.NamespaceDefault,
	}
	if f.shadow {
		v.Name, v.Rights = "orrery-shadow", shadowRights(watched)
		return fill("shadow.yaml", v)
	}
	if f.observe {
		return f.printObserver(v, plugins)
	}
	if f.replaceDefault {
		v.Replace, v.Scheduler, v.Lease, v.LeaseNamespace, v.Job = true, "default-scheduler", "kube-scheduler", metav1.NamespaceSystem, "kube-scheduler"
	}
	theirs, err := replica.ControllerKinds(f.controllers, features)
	if err != nil {
		return nil, fmt.Errorf("--controllers: %w", err)
	}
	v.Rights, v.LeaseRights = schedulerRights(world.SortKinds(append(watched, theirs...))), leaseRights(v.Lease)
	if f.kubernetes.release != nil {
		v.Emulated = decides.String()
		v.Rights = rightsIn(v.Rights, decides)
	}
	v.FindLeaderRights, v.ReachLeaderRights = attachRights(v.Lease, v.Name)
	v.Gates, v.Controllers = strings.Join(f.gates, ","), strings.Join(f.controllers, ",")
	if slices.Contains(theirs, world.DeviceTaintRule) {
		v.Rights = append(v.Rights, taintRuleRights()...)
	}
	if features.Enabled(config.DRAExtendedResource) && slices.Contains(watched, world.ResourceClaim) {
		v.Rights = append(v.Rights, extendedResourceRights())
	}
	if features.Enabled(config.CoordinatedLeaderElection) {
		everywhere, beside := candidateRights()
		v.Rights, v.LeaseRights = append(v.Rights, everywhere), append(v.LeaseRights, beside)
	}
	text, err := fill("scheduler.yaml", v)
	if err != nil || !f.monitoring {
		return text, err
	}
	alerts, err := fillMonitoring("monitoring.yaml", v, dashboardPanes())
	return append(text, alerts...), err
}

// fillMonitoring fills in a template with delimiters of its own: alerts have templates in Go's.
func fillMonitoring(name string, v manifestValues, panes []pane) ([]byte, error) {
	board, err := dashboard(v.Job, panes)
	if err != nil {
		return nil, fmt.Errorf("writing the dashboard: %w", err)
	}
	v.Dashboard = "    " + strings.ReplaceAll(string(board), "\n", "\n    ")
	return fillIn(template.New(name).Delims("[[", "]]"), v, "manifests/parts_monitoring.yaml")
}

// isPlain reports whether a text is safe between quotes.
func isPlain(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

func fill(name string, v manifestValues) ([]byte, error) {
	return fillIn(template.New(name), v, "manifests/parts.yaml")
}

// fillIn fills in the template of t's name, which may call others.
func fillIn(t *template.Template, v manifestValues, others ...string) ([]byte, error) {
	t, err := t.ParseFS(manifestTemplates, append(others, "manifests/"+t.Name())...)
	if err != nil {
		return nil, fmt.Errorf("reading the template of the manifests: %w", err)
	}
	var text bytes.Buffer
	if err := t.Execute(&text, v); err != nil {
		return nil, fmt.Errorf("filling in the manifests: %w", err)
	}
	return text.Bytes(), nil
}
