// Package notes takes the notes of a version out of CHANGELOG.md, which is written as keepachangelog.com describes: a section of the
// second level for each version, with its day, and Unreleased above them.
package notes

import (
	"fmt"
	"regexp"
	"strings"
)

// File is where the notes of all versions are.
const File = "CHANGELOG.md"

var (
	heading = regexp.MustCompile(`^## \[([^]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$`)
	// address is a link at the end of the file, of the name of a version.
	address = regexp.MustCompile(`^\[[^]]+\]: `)
)

// Of returns the section of a version like v1.2.3, with its heading, as a page of its own.
func Of(changelog, version string) (string, error) {
	name := strings.TrimPrefix(version, "v")
	var section []string
	inside := false
	for line := range strings.Lines(changelog) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "## ") {
			if inside {
				break
			}
			parts := heading.FindStringSubmatch(line)
			if inside = parts != nil && parts[1] == name; !inside {
				continue
			}
			if parts[2] == "" {
				return "", fmt.Errorf("%s: the heading of %s has no day: write \"## [%s] - YEAR-MONTH-DAY\"", File, version, name)
			}
			section = append(section, "# "+name+" - "+parts[2])
			continue
		}
		if inside && !address.MatchString(line) {
			section = append(section, line)
		}
	}
	if !inside {
		return "", fmt.Errorf("%s has no section for %s: move what is under [Unreleased] below a heading \"## [%s] - YEAR-MONTH-DAY\"", File, version, name)
	}
	text := strings.TrimSpace(strings.Join(section, "\n")) + "\n"
	if !strings.Contains(text, "\n- ") {
		return "", fmt.Errorf("%s: the section of %s lists no change: write what changed, or do not release it", File, version)
	}
	return text, nil
}
