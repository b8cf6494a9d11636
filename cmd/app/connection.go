package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/answers/change"
	"orrery/core/safe/address"
	"orrery/core/safe/files"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/world/live"
)

// ofKubectl is the annotation of flags that are kubectl's: a help text lists them apart.
const ofKubectl = "orrery.dev/kubectl"

// connection has the flags for the cluster, the user and the cluster's scheduler configuration.
type connection struct {
	flags *kubectlFlags
	// config is the configuration file; empty for kube-scheduler's default.
	config string
	// kubernetes is the release to decide as; by default the API server's own.
	kubernetes releaseFlag
	names      []string // of the flags that need a cluster
	// onlyReads refuses every request that could change something.
	onlyReads bool
}

// addFlags adds the flags. Only commands about one namespaced object have --namespace.
func (n *connection) addFlags(c *cobra.Command, namespaced bool) {
	set := n.kubectlSet(namespaced)
	set.StringVar(&n.config, "config", "", "the `file` of the cluster's scheduler configuration (default: kube-scheduler's default configuration)")
	n.use(c, set)
	n.kubernetes.addFlag(c, "by default that of the API server, or that of a recording")
}

// addUserFlags adds the flags without --config, for commands that ask a scheduler.
func (n *connection) addUserFlags(c *cobra.Command) { n.use(c, n.kubectlSet(true)) }

func (n *connection) kubectlSet(namespaced bool) *pflag.FlagSet {
	n.flags = newKubectlFlags()
	set := pflag.NewFlagSet("connection", pflag.ContinueOnError)
	n.flags.addFlags(set, namespaced)
	set.VisitAll(func(f *pflag.Flag) { f.Annotations = map[string][]string{ofKubectl: {}} })
	return set
}

func (n *connection) use(c *cobra.Command, set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Name != clientcmd.FlagNamespace {
			n.names = append(n.names, f.Name)
		}
	})
	c.Flags().AddFlagSet(set)
	n.flags.complete(c)
}

// givenFlags returns the given flags that need a cluster.
func (n *connection) givenFlags(c *cobra.Command) []string {
	var used []string
	for _, name := range n.names {
		if c.Flags().Changed(name) {
			used = append(used, "--"+name)
		}
	}
	return used
}

// configured reports whether a cluster is named: by a kubeconfig, by a flag, or by running in a pod.
func (n *connection) configured(c *cobra.Command) bool {
	if len(n.givenFlags(c)) > 0 || os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		return true
	}
	raw, err := n.flags.load().RawConfig()
	return err != nil || len(raw.Clusters) > 0
}

// clusterFlags returns the given flags that name the cluster, each followed by a space, without secrets.
func (n *connection) clusterFlags(c *cobra.Command) string { return repeatFlags(c, clusterFlagNames) }

// clusterFlagNames are the flags that reach a cluster as somebody, and are not secret.
var clusterFlagNames = append([]string{
	"kubeconfig", "context", "cluster", "user", "server", "tls-server-name", "insecure-skip-tls-verify",
	"certificate-authority", "client-certificate", "client-key", "config", kubernetesFlag,
}, impersonationFlagNames...)

var impersonationFlagNames = []string{"as", "as-uid", "as-group", "as-user-extra"}

// repeatFlags returns the given flags as shell words, each followed by a space.
func repeatFlags(c *cobra.Command, names []string) string {
	text := ""
	for _, name := range names {
		f := c.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		values := []string{f.Value.String()}
		if list, several := f.Value.(pflag.SliceValue); several {
			values = list.GetSlice()
		}
		for _, value := range values {
			separator := " "
			if f.NoOptDefVal != "" { // a value after a space would be an argument
				separator = "="
			}
			text += "--" + name + separator + change.ShellWord(value) + " "
		}
	}
	return text
}

// cluster is an opened cluster to read.
type cluster struct {
	// name is its name in output, server its address; both are printable.
	name, server string
	config       *rest.Config
	client       clientset.Interface
	// newer is the API server's version, printable, if it is newer than all releases that are modelled; else empty.
	newer string
}

var errNoKubeconfig = errors.New("finding the cluster: there is no kubeconfig: name one with --kubeconfig or in KUBECONFIG")

// answerTimeout is how long the answer to a question may take. --request-timeout overrides it.
//
//orrery:limit answers; the wait for an answer of an API server; --request-timeout; an error
const answerTimeout = 30 * time.Second

// open makes a client from the flags, without a request. Zero is no timeout, for what watches.
func (n *connection) open(c *cobra.Command, timeout time.Duration) (*cluster, error) {
	if !n.configured(c) {
		return nil, errNoKubeconfig
	}
	k, err := n.flags.restConfig()
	if err != nil {
		return nil, err
	}
	if !c.Flags().Changed(clientcmd.FlagTimeout) {
		k.Timeout = timeout
	}
	k.UserAgent = "orrery/" + version()
	k.AcceptContentTypes, k.ContentType = "application/vnd.kubernetes.protobuf,application/json", "application/vnd.kubernetes.protobuf"
	if n.onlyReads {
		k.Wrap(func(to http.RoundTripper) http.RoundTripper { return onlyReads{to} })
	}
	client, err := live.NewClient(k)
	if err != nil {
		return nil, err
	}
	return &cluster{name: n.name(), server: printable.Line(address.WithoutCredentials(k.Host), 120), config: k, client: client}, nil
}

// answerContext is the context of the first questions of a command that then watches.
func (n *connection) answerContext(ctx context.Context, c *cobra.Command) (context.Context, context.CancelFunc) {
	if c.Flags().Changed(clientcmd.FlagTimeout) {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, answerTimeout)
}

// orNoAnswer says of a timeout that it was one, and what to do.
func orNoAnswer(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the API server does not answer in time, for which --request-timeout gives it more or less: %w", err)
	}
	return err
}

func (n *connection) name() string {
	o := &n.flags.overrides
	if o.CurrentContext != "" {
		return "context " + printable.Line(o.CurrentContext, 80)
	}
	raw, err := n.flags.load().RawConfig()
	if err == nil && raw.CurrentContext != "" && o.ClusterInfo.Server == "" && o.Context.Cluster == "" {
		return "context " + printable.Line(raw.CurrentContext, 80)
	}
	return "the cluster"
}

// readConfig reads a KubeSchedulerConfiguration; without a file it is kube-scheduler's default.
func readConfig(file string, features config.Features) (*config.Configuration, error) {
	if file == "" {
		return config.Default(features), nil
	}
	data, err := files.Read(file, config.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return config.LoadNamed(file, data, features)
}
