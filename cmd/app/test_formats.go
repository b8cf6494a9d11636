package app

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"orrery/core/safe/printable"
)

// junitSuites is the XML that test reporters of pipelines read.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (d *testsDocument) junit(w io.Writer) error {
	all := junitSuites{Name: "orrery test", Tests: d.Passed + d.Failed + d.Skipped + d.Errors, Failures: d.Failed, Errors: d.Errors, Skipped: d.Skipped, Time: fmt.Sprintf("%.3f", d.Seconds)}
	for i := range d.Runs {
		r := &d.Runs[i]
		s := junitSuite{Name: r.title(), Tests: len(r.Expectations)}
		if r.Error != "" {
			s.Errors, s.Tests = 1, s.Tests+1
			s.Cases = append(s.Cases, junitCase{Class: r.title(), Name: "run", File: printable.Line(r.File, 200), Error: &junitMessage{Message: printable.Line(r.Error, longest)}})
		}
		for j := range r.Expectations {
			x := &r.Expectations[j]
			c := junitCase{Class: r.title(), Name: printable.Line(x.Expects, 300), File: printable.Line(r.File, 200), Line: x.Line}
			switch x.Result {
			case hasFailed:
				s.Failures++
				c.Failure = &junitMessage{limited(x.Message), strings.Join(x.lines(), "\n")}
			case wasSkipped:
				s.Skipped++
				c.Skipped = &junitMessage{Message: limited(x.Message)}
			}
			s.Cases = append(s.Cases, c)
		}
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// tap writes the Test Anything Protocol, version 14.
func (d *testsDocument) tap(w io.Writer) error {
	var page strings.Builder
	fmt.Fprintf(&page, "TAP version 14\n1..%d\n", d.Passed+d.Failed+d.Skipped+d.Errors)
	n := 0
	line := func(ok bool, text, directive string) {
		n++
		word := "ok"
		if !ok {
			word = "not ok"
		}
		fmt.Fprintf(&page, "%s %d - %s%s\n", word, n, strings.ReplaceAll(text, "#", `\#`), directive)
	}
	for i := range d.Runs {
		r := &d.Runs[i]
		if r.Error != "" {
			line(false, r.title()+": it could not be run", "")
			fmt.Fprintf(&page, "  # %s\n", printable.Line(r.Error, longest))
		}
		for j := range r.Expectations {
			x := &r.Expectations[j]
			directive := ""
			if x.Result == wasSkipped {
				directive = " # SKIP " + limited(x.Message)
			}
			line(x.Result != hasFailed, r.title()+": "+printable.Line(x.Expects, 300), directive)
			if x.Result == hasFailed {
				for _, text := range x.lines() {
					fmt.Fprintf(&page, "  # %s\n", text)
				}
			}
		}
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// markdown writes a comment on a pull request.
func (d *testsDocument) markdown(w io.Writer) error {
	var page strings.Builder
	mark := ":white_check_mark:"
	if d.Failed+d.Errors > 0 {
		mark = ":x:"
	}
	fmt.Fprintf(&page, "%s **orrery test**: %s\n", mark, d.summary())
	if d.Failed+d.Errors > 0 {
		page.WriteString("\n| where | expected | what is otherwise |\n| --- | --- | --- |\n")
	}
	const most = 50
	rows := 0
	row := func(where, expected, otherwise string) {
		if rows++; rows <= most {
			fmt.Fprintf(&page, "| %s | %s | %s |\n", cell(where), cell(expected), cell(otherwise))
		}
	}
	for i := range d.Runs {
		r := &d.Runs[i]
		if r.Error != "" {
			row(r.title(), "", r.Error)
		}
		for j := range r.Expectations {
			if x := &r.Expectations[j]; x.Result == hasFailed {
				row(fmt.Sprintf("%s, line %d", r.title(), x.Line), x.Expects, x.oneLine())
			}
		}
	}
	if rows > most {
		fmt.Fprintf(&page, "\nand %d more\n", rows-most)
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// cell is a text as Markdown has it in a table: it is shown, and does nothing.
func cell(text string) string {
	var b strings.Builder
	for _, r := range printable.Line(text, longest) {
		if strings.ContainsRune("\\`*_{}[]()<>#+-.!|@&~", r) && !strings.ContainsRune("-.()+", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
