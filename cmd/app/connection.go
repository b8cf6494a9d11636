package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/config"
	"orrery/core/printable"
	"orrery/core/whatif"
	"orrery/core/world/live"
)

// connection is kubectl's flags that say which cluster is meant, and as whom.
type connection struct {
	flags *genericclioptions.ConfigFlags
	// config is the file of the scheduler's configuration; nothing is the default one.
	config string
	names  []string // of the flags
}

// flag gives a command the flags. A namespace means something only to commands that ask about one object.
func (n *connection) flag(c *cobra.Command, namespaced bool) {
	n.flags = genericclioptions.NewConfigFlags(true)
	n.flags.CacheDir = nil
	if !namespaced {
		n.flags.Namespace = nil
	}
	n.flags.AddFlags(c.Flags())
	n.names = []string{"config"}
	for _, name := range []string{
		"kubeconfig", "context", "cluster", "user", "server", "token", "as", "as-uid", "as-group", "as-user-extra", "certificate-authority",
		"client-certificate", "client-key", "insecure-skip-tls-verify", "tls-server-name", "request-timeout", "disable-compression",
	} {
		if c.Flags().Lookup(name) != nil {
			n.names = append(n.names, name)
		}
	}
	c.Flags().StringVar(&n.config, "config", "", "the `file` of the cluster's scheduler configuration; kube-scheduler's default if it is not given")
}

// given are the flags that were used, of those that only mean something for a cluster.
func (n *connection) given(c *cobra.Command) []string {
	var used []string
	for _, name := range n.names {
		if c.Flags().Changed(name) {
			used = append(used, "--"+name)
		}
	}
	return used
}

// configured tells whether somebody has said where a cluster is: in a kubeconfig, by a flag, or by running this in a pod.
func (n *connection) configured(c *cobra.Command) bool {
	if len(n.given(c)) > 0 || os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		return true
	}
	raw, err := n.flags.ToRawKubeConfigLoader().RawConfig()
	return err != nil || len(raw.Clusters) > 0
}

// again are the flags that name the same cluster, with a space behind each. Secrets are not among them.
func (n *connection) again(c *cobra.Command) string { return repeated(c, sameCluster) }

// sameCluster are the flags that name a cluster, as far as they may be shown.
var sameCluster = []string{"kubeconfig", "context", "cluster", "user", "server", "as", "config"}

// repeated are those flags that were given, as a shell takes them, with a space behind each.
func repeated(c *cobra.Command, names []string) string {
	text := ""
	for _, name := range names {
		if c.Flags().Changed(name) {
			text += "--" + name + " " + whatif.ShellWord(c.Flags().Lookup(name).Value.String()) + " "
		}
	}
	return text
}

// cluster is a cluster to read from.
type cluster struct {
	// name is what it is called in answers, server its address; both are printable.
	name, server string
	config       *rest.Config
	client       clientset.Interface
}

var errNoKubeconfig = errors.New("finding the cluster: there is no kubeconfig: name one with --kubeconfig or in KUBECONFIG")

// open reads the flags. Nothing is asked of the cluster.
func (n *connection) open(c *cobra.Command) (*cluster, error) {
	if !n.configured(c) {
		return nil, errNoKubeconfig
	}
	loader := n.flags.ToRawKubeConfigLoader()
	k, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	k.QPS, k.Burst, k.UserAgent = 50, 100, "orrery/"+version()
	k.AcceptContentTypes, k.ContentType = "application/vnd.kubernetes.protobuf,application/json", "application/vnd.kubernetes.protobuf"
	k.WarningHandler = rest.NoWarnings{}
	client, err := live.NewClient(k)
	if err != nil {
		return nil, err
	}
	return &cluster{name: n.name(loader), server: printable.Line(k.Host, 120), config: k, client: client}, nil
}

func (n *connection) name(loader clientcmd.ClientConfig) string {
	if *n.flags.Context != "" {
		return "context " + printable.Line(*n.flags.Context, 80)
	}
	raw, err := loader.RawConfig()
	if err == nil && raw.CurrentContext != "" && *n.flags.APIServer == "" && *n.flags.ClusterName == "" {
		return "context " + printable.Line(raw.CurrentContext, 80)
	}
	return "the cluster"
}

// scheduler is the configuration by which to decide.
func (n *connection) scheduler() (*config.Configuration, error) {
	if n.config == "" {
		return config.Default(config.DefaultFeatures()), nil
	}
	return readConfig(n.config)
}
