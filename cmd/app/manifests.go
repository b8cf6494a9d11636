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

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/replica"
	"orrery/core/serving"
	"orrery/core/world"
)

//go:embed manifests/*.yaml
var manifestTemplates embed.FS

// manifestFlags are the flags of manifests.
type manifestFlags struct {
	replaceDefault, shadow bool
	namespace, image       string
	gates, controllers     []string
	monitor                bool
}

func manifestsCommand(plugins framework.Registry) *cobra.Command {
	f := &manifestFlags{}
	c := &cobra.Command{
		Use:   "manifests",
		Short: "Print manifests that run Orrery in a cluster, with the least privileges",
		Long: `Manifests prints objects for "kubectl apply -f -": a role with exactly the necessary rights, two replicas
that elect a leader, their configuration and a PodDisruptionBudget; with --service-monitor also a ServiceMonitor, where
the Prometheus operator is installed.

By default it schedules the pods with schedulerName "orrery", next to the cluster's own scheduler. With
--replace-default it schedules the pods without a schedulerName, and takes part in kube-scheduler's leader election, so
that only one of the two acts. With --shadow it prints only the rights to read that "orrery record", "explain" and
"whatif" need.`,
		Example: `  orrery manifests --image registry.example.com/orrery:v1 | kubectl apply -f -
  orrery manifests --replace-default --image registry.example.com/orrery:v1
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
	c.Flags().StringVarP(&f.namespace, "namespace", "n", metav1.NamespaceSystem, "the `namespace` of the objects")
	c.Flags().StringSliceVar(&f.gates, "feature-gates", nil,
		"feature gates to run with, as \"orrery run\" takes them: `gate=true`; CoordinatedLeaderElection needs more rights")
	c.Flags().StringSliceVar(&f.controllers, "controllers", nil,
		"controllers to run with, as \"orrery run\" takes them: "+replica.TaintEviction+", "+replica.DeviceTaintEviction)
	c.Flags().BoolVar(&f.monitor, "service-monitor", false, "print a ServiceMonitor, too, which needs the Prometheus operator")
	c.Flags().StringVar(&f.image, "image", defaultImage(), "the `image` to run; the Dockerfile builds it")
	return c
}

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
	// Monitor says that the Prometheus operator is there.
	Monitor bool
	// Gates are the replicas' feature gates.
	Gates string
	// Controllers run with the scheduler.
	Controllers string
	Rights      []right // in the whole cluster
	LeaseRights []right // in LeaseNamespace
}

func (f *manifestFlags) print(plugins framework.Registry) ([]byte, error) {
	switch {
	case f.shadow && f.replaceDefault:
		return nil, errors.New("--shadow and --replace-default exclude each other: --shadow prints rights to read only")
	case f.shadow && f.monitor:
		return nil, errors.New("--shadow and --service-monitor exclude each other: --shadow prints rights to read only")
	}
	if problems := validation.IsDNS1123Label(f.namespace); len(problems) > 0 {
		return nil, fmt.Errorf("--namespace %q: %s", f.namespace, problems[0])
	}
	if f.image == "" || strings.ContainsFunc(f.image, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
		return nil, fmt.Errorf("--image %q: it is a name like registry.example.com/orrery:v1", f.image)
	}
	features, err := config.ParseFeatureFlag(f.gates...)
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
		Monitor: f.monitor, OwnNamespace: f.namespace != metav1.NamespaceSystem && f.namespace != metav1.NamespaceDefault,
	}
	if f.shadow {
		v.Name, v.Rights = "orrery-shadow", shadowRights(watched)
		return fill("shadow.yaml", v)
	}
	if f.replaceDefault {
		v.Replace, v.Scheduler, v.Lease, v.LeaseNamespace = true, "default-scheduler", "kube-scheduler", metav1.NamespaceSystem
	}
	theirs, err := replica.ControllerKinds(f.controllers, features)
	if err != nil {
		return nil, fmt.Errorf("--controllers: %w", err)
	}
	v.Rights, v.LeaseRights = schedulerRights(world.SortKinds(append(watched, theirs...))), leaseRights(v.Lease)
	v.Gates, v.Controllers = strings.Join(f.gates, ","), strings.Join(f.controllers, ",")
	if features.Enabled(config.DRAExtendedResource) && slices.Contains(watched, world.ResourceClaim) {
		v.Rights = append(v.Rights, extendedResourceRights())
	}
	if features.Enabled(config.CoordinatedLeaderElection) {
		everywhere, beside := candidateRights()
		v.Rights, v.LeaseRights = append(v.Rights, everywhere), append(v.LeaseRights, beside)
	}
	return fill("scheduler.yaml", v)
}

func fill(name string, v manifestValues) ([]byte, error) {
	t, err := template.New(name).ParseFS(manifestTemplates, "manifests/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("reading the template of the manifests: %w", err)
	}
	var text bytes.Buffer
	if err := t.Execute(&text, v); err != nil {
		return nil, fmt.Errorf("filling in the manifests: %w", err)
	}
	return text.Bytes(), nil
}
