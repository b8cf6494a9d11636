package notes

import (
	"os"
	"strings"
	"testing"
)

const changelog = `# Changelog

## [Unreleased]

- Something to come.

## [1.2.3] - 2026-11-29

### Added

- A command.

## [1.2.3-rc.1] - 2026-11-20

### Added

- A draft.

[1.2.3]: https://example.com/1.2.3
`

func TestOf_TakesOneSection(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":      "# 1.2.3 - 2026-11-29\n\n### Added\n\n- A command.\n",
		"v1.2.3-rc.1": "# 1.2.3-rc.1 - 2026-11-20\n\n### Added\n\n- A draft.\n",
	} {
		for _, text := range []string{changelog, strings.ReplaceAll(changelog, "\n", "\r\n")} {
			if got, err := Of(text, version); err != nil || got != want {
				t.Errorf("%s has the notes %q, %v, want %q", version, got, err, want)
			}
		}
	}
}

func TestOf_RefusesVersionWithoutNotes(t *testing.T) {
	for _, tt := range []struct{ name, changelog, version, want string }{
		{"another version", changelog, "v1.2.4", `no section for v1.2.4: move what is under [Unreleased] below a heading "## [1.2.4]`},
		{"a longer name", changelog, "v1.2", "no section for v1.2:"},
		{"no day", "## [1.2.3]\n\n- A command.\n", "v1.2.3", "has no day"},
		{"no change", "## [1.2.3] - 2026-11-29\n\n### Added\n\n## [1.2.2] - 2026-11-01\n\n- A command.\n", "v1.2.3", "lists no change"},
		{"an empty file", "", "v1.2.3", "no section"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Of(tt.changelog, tt.version); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("notes %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestChangelog_BeginsWithUnreleased checks that the file of this repository has the section that changes are added to.
func TestChangelog_BeginsWithUnreleased(t *testing.T) {
	text, err := os.ReadFile("../../../" + File)
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(string(text), "\n## ")
	if !strings.HasPrefix(first, "[Unreleased]\n") {
		t.Errorf("the first section of %s is %.40q", File, first)
	}
}
