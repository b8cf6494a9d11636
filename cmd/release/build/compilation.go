package build

import (
	"bytes"
	"strings"
)

// compilation is what the go command says on standard error: with -v a line with the path of each package that it compiles, and the
// problems.
type compilation struct {
	compiled func(packages int)
	packages int
	text     []byte
}

func (c *compilation) Write(p []byte) (int, error) {
	c.text = append(c.text, p...)
	for _, line := range bytes.SplitAfter(p, []byte("\n")) {
		if bytes.HasSuffix(line, []byte("\n")) && isPackage(string(line[:len(line)-1])) {
			c.packages++
			if c.compiled != nil {
				c.compiled(c.packages)
			}
		}
	}
	return len(p), nil
}

// problems is what was said, without the packages.
func (c *compilation) problems() string {
	var left []string
	for line := range strings.SplitSeq(strings.TrimSpace(string(c.text)), "\n") {
		if !isPackage(line) {
			left = append(left, line)
		}
	}
	return strings.Join(left, "\n")
}

// isPackage tells whether a line is the path of a package. A problem has spaces.
func isPackage(line string) bool { return line != "" && !strings.ContainsAny(line, " \t") }
