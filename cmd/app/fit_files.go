package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/fit"
)

// read reads the files of --filename. Objects without a namespace are in that of --namespace, or of the context of the kubeconfig.
func (f *fitFlags) read(c *cobra.Command) (*fit.Set, error) {
	namespace := f.whom.flags.overrides.Context.Namespace
	if namespace == "" && f.whom.trace == "" && f.whom.configured(c) {
		if own, _, err := f.whom.flags.load().Namespace(); err == nil {
			namespace = own
		}
	}
	r := fit.NewReader(namespace)
	for _, name := range f.files {
		if err := readManifests(c, r, name); err != nil {
			return nil, err
		}
	}
	return r.Set()
}

// maxManifests bounds the files of a folder.
//
//orrery:limit answers; files of a folder that fit reads; refused
const maxManifests = 10_000

// readManifests reads a file, or the files of a folder, without those of folders in it.
func readManifests(c *cobra.Command, r *fit.Reader, name string) error {
	if name == "-" {
		return r.Read("standard input", c.InOrStdin())
	}
	info, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("reading what is to fit: %w", err)
	}
	if !info.IsDir() {
		return readManifest(r, name)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return fmt.Errorf("reading what is to fit: %w", err)
	}
	read := 0
	for _, entry := range entries {
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(entry.Name())) || entry.IsDir() {
			continue
		}
		if read++; read > maxManifests {
			return fmt.Errorf("reading what is to fit: folder %q has more than %d files", name, maxManifests)
		}
		if err := readManifest(r, filepath.Join(name, entry.Name())); err != nil {
			return err
		}
	}
	if read == 0 {
		return fmt.Errorf("reading what is to fit: folder %q has no file that ends with .yaml, .yml or .json", name)
	}
	return nil
}

func readManifest(r *fit.Reader, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("reading what is to fit: %w", err)
	}
	defer file.Close()
	return r.Read(name, io.Reader(file))
}

// listQuotas lists the quotas of a namespace.
func listQuotas(ctx context.Context, from *cluster, namespace string) ([]v1.ResourceQuota, error) {
	list, err := from.client.CoreV1().ResourceQuotas(cmp.Or(namespace, v1.NamespaceDefault)).List(ctx, metav1.ListOptions{Limit: 500})
	if err != nil {
		return nil, orNoAnswer(err)
	}
	return list.Items, nil
}
