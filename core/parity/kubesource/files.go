package kubesource

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// linked are the folders of the scheduler's source, each with its module: its own packages, and those of libraries that it decides by.
var linked = []struct{ module, folder string }{
	{"k8s.io/kubernetes", "pkg/scheduler"},
	{"k8s.io/kubernetes", "cmd/kube-scheduler"},
	{"k8s.io/kube-scheduler", "."},
	{"k8s.io/component-helpers", "."},
	{"k8s.io/dynamic-resource-allocation", "."},
}

// FileDifference is a file in which two releases differ.
type FileDifference struct {
	Name           string
	Added, Removed int // lines that only the newer or only the older one has, wherever in the file
	New, Gone      bool
}

// Files returns the files of the scheduler's source that two patches do not share, without tests, the one that differs most first.
func Files(older, newer string) ([]FileDifference, error) {
	was, err := linesOf(older)
	if err != nil {
		return nil, err
	}
	is, err := linesOf(newer)
	if err != nil {
		return nil, err
	}
	var all []FileDifference
	for name := range is {
		d := FileDifference{Name: name, New: was[name] == nil}
		d.Added, d.Removed = compareLines(was[name], is[name])
		if d.Added+d.Removed > 0 {
			all = append(all, d)
		}
	}
	for name, lines := range was {
		if is[name] == nil {
			all = append(all, FileDifference{Name: name, Removed: len(lines), Gone: true})
		}
	}
	slices.SortFunc(all, func(a, b FileDifference) int {
		return cmp.Or(cmp.Compare(b.Added+b.Removed, a.Added+a.Removed), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// linesOf returns the lines of each file, by module and path.
func linesOf(patch string) (map[string][]string, error) {
	all := map[string][]string{}
	for _, from := range linked {
		module, err := Module(from.module, patch)
		if err != nil {
			return nil, err
		}
		err = fs.WalkDir(module, from.folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !isSource(name) {
				return err
			}
			text, err := fs.ReadFile(module, name)
			if err != nil {
				return err
			}
			all[path.Join(strings.TrimPrefix(from.module, "k8s.io/"), name)] = strings.Split(string(text), "\n")
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// compareLines counts the lines that only one of two files has, whatever their order; a line that is there twice counts twice.
func compareLines(was, is []string) (added, removed int) {
	counts := map[string]int{}
	for _, line := range was {
		counts[line]++
	}
	for _, line := range is {
		counts[line]--
	}
	for _, n := range counts {
		added, removed = added+max(0, -n), removed+max(0, n)
	}
	return added, removed
}

var gateUse = regexp.MustCompile(`\bfeatures\.([A-Z][A-Za-z0-9]+)`)

// GatesRead returns the constants of the feature gates that the scheduler's source names, sorted.
func GatesRead(patch string) ([]string, error) {
	files, err := linesOf(patch)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, lines := range files {
		for _, line := range lines {
			for _, found := range gateUse.FindAllStringSubmatch(line, -1) {
				named[found[1]] = true
			}
		}
	}
	return sorted(named), nil
}
