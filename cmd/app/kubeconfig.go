package app

import (
	"errors"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"orrery/core/boundedfile"
)

// maxKubeconfigBytes bounds a kubeconfig. One with the certificates of a thousand clusters is smaller.
const maxKubeconfigBytes = 16 << 20

// checkKubeconfigs refuses files that clientcmd would read without an end. A pipe can be read only once, which is left to
// clientcmd; what is missing or cannot be read is its to report, too.
func checkKubeconfigs(files ...string) error {
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
			continue
		}
		if _, err := boundedfile.Read(file, maxKubeconfigBytes); errors.Is(err, boundedfile.ErrTooLarge) {
			return fmt.Errorf("reading the kubeconfig: %w", err)
		}
	}
	return nil
}

// refusedConfig is the configuration of a kubeconfig that is not read.
type refusedConfig struct{ err error }

func (r refusedConfig) RawConfig() (clientcmdapi.Config, error) { return clientcmdapi.Config{}, r.err }

func (r refusedConfig) ClientConfig() (*rest.Config, error) { return nil, r.err }

func (r refusedConfig) Namespace() (string, bool, error) { return "", false, r.err }

func (r refusedConfig) ConfigAccess() clientcmd.ConfigAccess {
	return clientcmd.NewDefaultPathOptions()
}
