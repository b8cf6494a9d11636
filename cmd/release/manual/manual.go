// Package manual writes manual pages from the pages in docs/commands, which are what each command's --help prints.
package manual

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"

	"orrery/cmd/release/archive"
)

// Folder is where the pages are in the source.
const Folder = "docs/commands"

var (
	above   = regexp.MustCompile(`(?s)\A<!--.*?-->\n# ([a-z ]+)\n(?:\n\[[^\n]*›\n)?`)
	link    = regexp.MustCompile(`\[([^\]]+)\]\([a-z_]+\.md\)`)
	heading = regexp.MustCompile(`(?m)^## (.+)$`)
	table   = regexp.MustCompile(`(?m)^\| (\S.*?) \| (.+) \|$`)
	ruler   = regexp.MustCompile(`(?m)^\| command \| what it does \|\n\|---\|---\|\n`)
)

// Pages returns the manual pages of all commands in section 1, by the names of their files.
func Pages(source fs.FS, version string, at time.Time) ([]archive.File, error) {
	names, err := fs.Glob(source, path.Join(Folder, "*.md"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("looking for the pages of commands in %s: there are %d, %w", Folder, len(names), err)
	}
	var all []archive.File
	for _, name := range names {
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, err
		}
		page, err := page(string(text), version, at)
		if err != nil {
			return nil, fmt.Errorf("writing the manual page of %s: %w", name, err)
		}
		file := strings.ReplaceAll(strings.TrimSuffix(path.Base(name), ".md"), "_", "-") + ".1"
		all = append(all, archive.File{Name: file, Mode: 0o644, Content: page})
	}
	return all, nil
}

// page returns a manual page: the title and the first paragraph become its name, and text below that its description.
func page(text, version string, at time.Time) ([]byte, error) {
	top := above.FindStringSubmatch(text)
	if top == nil {
		return nil, fmt.Errorf("it begins with %.60q, and not with a comment and the words of a command", text)
	}
	words := top[1]
	short, rest, _ := strings.Cut(strings.TrimLeft(text[len(top[0]):], "\n"), "\n\n")
	rest = ruler.ReplaceAllString(rest, "")
	rest = link.ReplaceAllStringFunc(rest, func(found string) string {
		return "**" + strings.ReplaceAll(link.FindStringSubmatch(found)[1], " ", "-") + "**(1)"
	})
	rest = table.ReplaceAllString(rest, "$1\n:   $2\n")
	rest = heading.ReplaceAllStringFunc(rest, func(found string) string { return "# " + strings.ToUpper(strings.TrimPrefix(found, "## ")) })
	name := strings.ReplaceAll(words, " ", "-")
	title := fmt.Sprintf("%% %s 1 \"%s\" \"orrery %s\" \"User Commands\"\n", strings.ToUpper(name), at.UTC().Format(time.DateOnly), version)
	if !strings.HasPrefix(rest, "# ") {
		rest = "# DESCRIPTION\n" + rest
	}
	return md2man.Render([]byte(title + "# NAME\n" + name + " - " + strings.ReplaceAll(short, "\n", " ") + "\n\n" + rest)), nil
}
