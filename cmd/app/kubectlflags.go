package app

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"orrery/core/safe/address"
)

// kubectlFlags are kubectl's flags for a cluster and a user, with the same names, help and precedence. clientcmd
// applies them on top of the kubeconfig.
type kubectlFlags struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
	userExtra  []string
	load       func() clientcmd.ClientConfig
}

func newKubectlFlags() *kubectlFlags {
	f := &kubectlFlags{}
	f.load = sync.OnceValue(f.newLoader)
	return f
}

// forContext returns the flags for another context of the same kubeconfig; it keeps only the impersonation.
func (f *kubectlFlags) forContext(name string) *kubectlFlags {
	other := newKubectlFlags()
	other.kubeconfig, other.userExtra = f.kubeconfig, f.userExtra
	other.overrides.CurrentContext, other.overrides.Timeout = name, "0"
	as := &f.overrides.AuthInfo
	other.overrides.AuthInfo.Impersonate, other.overrides.AuthInfo.ImpersonateUID = as.Impersonate, as.ImpersonateUID
	other.overrides.AuthInfo.ImpersonateGroups = as.ImpersonateGroups
	return other
}

// addFlags adds the flags; --namespace only for commands about namespaced objects.
func (f *kubectlFlags) addFlags(flags *pflag.FlagSet, namespaced bool) {
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "Path to the kubeconfig file to use for CLI requests.")
	flags.StringArrayVar(&f.userExtra, "as-user-extra", nil,
		"User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key.")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.AuthOverrideFlags.Impersonate.Description += ". User could be a regular user or a service account in a namespace."
	names.AuthOverrideFlags.Username.LongName, names.AuthOverrideFlags.Password.LongName = "", ""
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	names.ClusterOverrideFlags.ProxyURL.LongName = ""
	names.ClusterOverrideFlags.TLSServerName.Description = "Server name to use for server certificate validation. " +
		"If it is not provided, the hostname used to contact the server is used"
	namespace := names.ContextOverrideFlags.Namespace
	names.ContextOverrideFlags.Namespace.LongName = ""
	clientcmd.BindOverrideFlags(&f.overrides, flags, names)
	hideAddress(flags, clientcmd.FlagAPIServer)
	if namespaced {
		namespace.BindStringFlag(flags, &f.overrides.Context.Namespace)
	}
}

// complete offers the kubeconfig's contexts, clusters and users, which takes no request.
func (f *kubectlFlags) complete(c *cobra.Command) {
	for flag, names := range map[string]func(*clientcmdapi.Config) iter.Seq[string]{
		clientcmd.FlagContext:      func(k *clientcmdapi.Config) iter.Seq[string] { return maps.Keys(k.Contexts) },
		clientcmd.FlagClusterName:  func(k *clientcmdapi.Config) iter.Seq[string] { return maps.Keys(k.Clusters) },
		clientcmd.FlagAuthInfoName: func(k *clientcmdapi.Config) iter.Seq[string] { return maps.Keys(k.AuthInfos) },
	} {
		_ = c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
			raw, err := f.load().RawConfig()
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer(slices.Collect(names(&raw)), text), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// newLoader reads the flags; they must be parsed already.
func (f *kubectlFlags) newLoader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.DefaultClientConfig = &clientcmd.DefaultClientConfig
	rules.ExplicitPath = f.kubeconfig
	if err := checkKubeconfigs(rules.GetLoadingPrecedence()...); err != nil {
		return refusedConfig{err: err}
	}
	f.overrides.ClusterDefaults = clientcmd.ClusterDefaults
	for _, extra := range f.userExtra {
		if key, value, ok := strings.Cut(extra, "="); ok {
			if f.overrides.AuthInfo.ImpersonateUserExtra == nil {
				f.overrides.AuthInfo.ImpersonateUserExtra = map[string][]string{}
			}
			values := f.overrides.AuthInfo.ImpersonateUserExtra
			values[key] = append(values[key], value)
		}
	}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &f.overrides)
}

// restConfig returns the connection to the cluster of the flags, with kube-scheduler's client limits.
func (f *kubectlFlags) restConfig() (*rest.Config, error) {
	k, err := f.load().ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	k = rest.CopyConfig(k)
	if f.overrides.AuthInfo.Token != "" {
		withoutCertificate(k)
	}
	if err := address.MoveCredentials(k); err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	k.QPS, k.Burst = 50, 100
	k.WarningHandler = rest.NoWarnings{}
	return k, nil
}

// withoutCertificate leaves a kubeconfig's client certificate out of a connection with another's token. An API server looks at
// the certificate first, and would grant its rights.
func withoutCertificate(k *rest.Config) {
	k.CertFile, k.CertData, k.KeyFile, k.KeyData = "", nil, "", nil
}
