package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiversion "k8s.io/apimachinery/pkg/version"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world/live"
)

// kubernetesFlag chooses the release of Kubernetes to decide as.
const kubernetesFlag = "kubernetes"

// releaseFlag is the value of --kubernetes; nil release if it is not given.
type releaseFlag struct{ release *modelled.Release }

func (f *releaseFlag) String() string {
	if f.release == nil {
		return ""
	}
	return f.release.String()
}

// Set implements pflag.Value.
func (f *releaseFlag) Set(text string) error {
	r, err := modelled.Parse(text)
	if err == nil {
		f.release = &r
	}
	return err
}

// Type implements pflag.Value.
func (*releaseFlag) Type() string { return "release" }

func (f *releaseFlag) addFlag(c *cobra.Command, unless string) {
	c.Flags().Var(f, kubernetesFlag, "decide as this `release` of Kubernetes, such as "+modelled.Newest.String()+"; "+unless)
}

// in returns a configuration as the release has it, and warns of gates that the release does not take. Without the flag it is as it was.
func (f *releaseFlag) in(c *cobra.Command, configuration *config.Configuration) (*config.Configuration, error) {
	if f.release == nil {
		return configuration, nil
	}
	return configuration.In(featuresIn(c, configuration.Features, *f.release, ""))
}

// featuresIn returns feature gates as a release has them, and warns of those that it does not take, with whose they are.
func featuresIn(c *cobra.Command, features config.Features, r modelled.Release, whose string) config.Features {
	in, left := features.In(r)
	if len(left) > 0 {
		warn(c, fmt.Sprintf("Kubernetes %v does not take the feature gates %v%s, which are at its defaults", r, left, whose))
	}
	return in
}

// releaseOf returns the release to decide as on a cluster: that of the flag, or the API server's own. It warns of a server that is newer than
// all that is modelled.
func (n *connection) releaseOf(c *cobra.Command, from *cluster) (modelled.Release, error) {
	info, err := n.serverVersion(c, from)
	r, newer := modelled.OfServer(info)
	if asked := n.kubernetes.release; asked != nil {
		r, newer = *asked, newer && err == nil // a server that does not answer says so to the question itself
		err = nil
	}
	switch {
	case apierrors.IsNotFound(err):
		return modelled.Oldest, nil // what answers is no API server: it has no version
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		warn(c, fmt.Sprintf("the version of the API server cannot be read: this decides as Kubernetes %v, unless --%s names another", modelled.Oldest, kubernetesFlag))
		return modelled.Oldest, nil
	case err != nil:
		return 0, fmt.Errorf("looking at %s, %s: %w", from.name, from.server, orNoAnswer(err))
	}
	if newer {
		from.newer = printable.Line(info.GitVersion, 40)
		warn(c, "the API server is "+newerText(from.newer, r))
	}
	return r, nil
}

// newerText says what to expect of a server that is newer than all that is modelled.
func newerText(server string, decides modelled.Release) string {
	return fmt.Sprintf("Kubernetes %s, newer than all that is modelled: this decides as %v, and may differ from its scheduler", server, decides)
}

// schedulerOfOther is schedulerOf for a cluster that is connected to from the screen, where nothing can be warned of. It returns the version
// of a server that is newer than all that is modelled.
func (n *connection) schedulerOfOther(ctx context.Context, k *rest.Config) (c *config.Configuration, newer string, err error) {
	client, err := live.NewClient(k)
	if err != nil {
		return nil, "", err
	}
	info, err := askVersion(ctx, client)
	r, isNewer := modelled.OfServer(info)
	switch asked := n.kubernetes.release; {
	case asked != nil:
		r, isNewer = *asked, isNewer && err == nil
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		r = modelled.Oldest
	case err != nil:
		return nil, "", fmt.Errorf("asking the API server for its version: %w", err)
	}
	if isNewer {
		newer = printable.Line(info.GitVersion, 40)
	}
	c, err = n.schedulerIn(r)
	return c, newer, err
}

// serverVersion asks the API server of a cluster for its version.
func (n *connection) serverVersion(c *cobra.Command, from *cluster) (apiversion.Info, error) {
	ctx, answered := n.answerContext(c.Context(), c)
	defer answered()
	return askVersion(ctx, from.client)
}

// askVersion asks an API server for its version.
func askVersion(ctx context.Context, client clientset.Interface) (info apiversion.Info, err error) {
	text, err := client.Discovery().RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return info, err
	}
	return info, json.Unmarshal(text, &info)
}

// schedulerOf returns the configuration of a cluster's scheduler.
func (n *connection) schedulerOf(c *cobra.Command, from *cluster) (*config.Configuration, error) {
	r, err := n.releaseOf(c, from)
	if err != nil {
		return nil, err
	}
	return n.schedulerIn(r)
}

// schedulerIn returns the scheduler's configuration in a release.
func (n *connection) schedulerIn(r modelled.Release) (*config.Configuration, error) {
	return readConfig(n.config, config.FeaturesOf(r))
}

// decidedAs is how an answer goes on if it was decided as another release than the oldest.
func decidedAs(r modelled.Release) string {
	if r.IsZero() {
		return ""
	}
	return ", as Kubernetes " + r.String() + " decides"
}
