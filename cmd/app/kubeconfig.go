package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"orrery/core/safe/files"
	"orrery/core/safe/yamlnode"
)

// Bounds of a kubeconfig. One with the certificates of a thousand clusters is smaller, and has some 70,000 values. Decoding takes two
// kilobytes for each value, and any amount of text for an alias.
const (
	//orrery:limit files; a kubeconfig, and its text with aliases followed, in bytes; refused
	maxKubeconfigBytes = 16 << 20
	//orrery:limit files; names and values of a kubeconfig, aliases followed; refused
	maxKubeconfigValues = 150_000
)

// checkKubeconfigs refuses files that clientcmd would read without an end, or that take much to decode. A pipe can be read only once,
// which is left to clientcmd; what is missing or cannot be read is its to report, too.
func checkKubeconfigs(names ...string) error {
	for _, file := range names {
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
			continue
		}
		data, err := files.Read(file, maxKubeconfigBytes)
		switch {
		case errors.Is(err, files.ErrTooLarge):
			return fmt.Errorf("reading the kubeconfig: %w", err)
		case err == nil && !fitsKubeconfig(data):
			return fmt.Errorf("reading the kubeconfig: %q has more than %d names and values or %d bytes of text, aliases followed, which is the most that is read",
				file, maxKubeconfigValues, maxKubeconfigBytes)
		}
	}
	return nil
}

// fitsKubeconfig reports whether a kubeconfig is no larger than it may be. Values are counted by what is between them, so that what has
// too many is not parsed.
func fitsKubeconfig(data []byte) bool {
	if !yamlnode.FewSeparators(data, maxKubeconfigValues-1) {
		return false
	}
	if bytes.IndexByte(data, '*') < 0 {
		return true
	}
	var document yaml.Node
	if yaml.Unmarshal(data, &document) != nil {
		return true // clientcmd says better what is wrong
	}
	left := yamlnode.Budget{Values: maxKubeconfigValues, Text: maxKubeconfigBytes}
	return left.TakeTree(&document)
}

// refusedConfig is the configuration of a kubeconfig that is not read.
type refusedConfig struct{ err error }

func (r refusedConfig) RawConfig() (clientcmdapi.Config, error) { return clientcmdapi.Config{}, r.err }

func (r refusedConfig) ClientConfig() (*rest.Config, error) { return nil, r.err }

func (r refusedConfig) Namespace() (string, bool, error) { return "", false, r.err }

func (r refusedConfig) ConfigAccess() clientcmd.ConfigAccess {
	return clientcmd.NewDefaultPathOptions()
}
