package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

// folder is where the files are in the repository.
const folder = "cmd/deploy"

func main() {
	if err := write(folder); err != nil {
		fmt.Fprintln(os.Stderr, "deploy:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	files, err := generated()
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generated returns the text of each generated file by its name.
func generated() (map[string]string, error) {
	text, err := chartTemplate()
	if err != nil {
		return nil, fmt.Errorf("writing the chart: %w", err)
	}
	files, err := kustomizations()
	if err != nil {
		return nil, fmt.Errorf("writing the kustomizations: %w", err)
	}
	maps.Copy(files, map[string]string{"chart/templates/orrery.yaml": text})
	return files, nil
}
