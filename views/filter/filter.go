package filter

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"orrery/core/safe/printable"
)

// Filter is a parsed filter. It does not change and may be shared. A nil Filter matches every row.
type Filter struct {
	text  string
	terms []term
}

// Row is the part of a row that filters match. Fields that a row lacks are empty.
type Row struct {
	Namespace, Name string
	Labels          map[string]string
	// Gang is the pod group that the row is about or of: "namespace/workload/group", and its replica if it has one.
	Gang string
	// Words are the row's other searchable words: a state, a reason, a node.
	Words [4]string
}

// term is one condition; all must hold.
type term struct {
	inverse bool
	match   func(*Row) bool
}

// Parse parses a filter. An empty one is nil. The error says what does not parse; the caller keeps its last filter.
func Parse(text string) (*Filter, error) {
	words := strings.Fields(text)
	f := &Filter{text: strings.Join(words, " ")}
	for i := 0; i < len(words); i++ {
		word, inverse := strings.CutPrefix(words[i], "!")
		flag, value := cutFlag(word)
		if flag != "" && value == "" {
			if i++; i == len(words) {
				return nil, fmt.Errorf("%s wants %s after it", flag, flagArgument[flag])
			}
			value = words[i]
		}
		if flag == "" && word == "" {
			return nil, errors.New("! wants a word to leave out after it")
		}
		match, err := matcher(flag, cmp.Or(value, word))
		if err != nil {
			return nil, errors.New(printable.Line(err.Error(), 300)) // it quotes the word
		}
		f.terms = append(f.terms, term{inverse, match})
	}
	if len(f.terms) == 0 {
		return nil, nil
	}
	return f, nil
}

var flagArgument = map[string]string{"-l": "labels such as app=web", "-n": "a namespace", "-g": "a gang", "~": "some letters"}

// cutFlag cuts a flag such as -n off the start of a word; flag is empty if there is none.
func cutFlag(word string) (flag, rest string) {
	for _, flag := range [...]string{"-l", "-n", "-g", "~"} {
		if rest, ok := strings.CutPrefix(word, flag); ok {
			return flag, strings.TrimPrefix(rest, "=")
		}
	}
	return "", ""
}

func matcher(flag, value string) (func(*Row) bool, error) {
	switch flag {
	case "-l":
		selector, err := labels.Parse(value)
		if err != nil {
			return nil, fmt.Errorf("-l %s: %w", value, err)
		}
		return func(s *Row) bool { return selector.Matches(labels.Set(s.Labels)) }, nil
	case "-n":
		return func(s *Row) bool { return s.Namespace == value }, nil
	case "-g":
		parts := "/" + value + "/"
		return func(s *Row) bool { return s.Gang != "" && strings.Contains("/"+s.Gang+"/", parts) }, nil
	case "~":
		value = strings.ToLower(value)
		return func(s *Row) bool { return fuzzy(s.Namespace, s.Name, value) }, nil
	}
	return text(value)
}

// text matches a word, or a regular expression if the word has the signs of one. A dot alone is no such sign, since
// names have dots.
func text(value string) (func(*Row) bool, error) {
	if !strings.ContainsAny(value, `\+*?()|[]{}^$`) {
		value = strings.ToLower(value)
		if before, after, path := strings.Cut(value, "/"); path {
			return func(s *Row) bool {
				return strings.HasSuffix(s.Namespace, before) && strings.HasPrefix(strings.ToLower(s.Name), after)
			}, nil
		}
		return func(s *Row) bool { return s.has(func(text string) bool { return contains(text, value) }) }, nil
	}
	pattern, err := regexp.Compile("(?i)" + value)
	if err != nil {
		var broken *syntax.Error
		if errors.As(err, &broken) {
			return nil, fmt.Errorf("%s: %s", value, broken.Code)
		}
		return nil, err
	}
	if strings.Contains(value, "/") {
		return func(s *Row) bool { return pattern.MatchString(s.Namespace + "/" + s.Name) }, nil
	}
	return func(s *Row) bool { return s.has(pattern.MatchString) }, nil
}
