package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Two files keep rows from drifting away from what was asked for. asked.txt has each row as it was first written down, from
// Kubernetes' documentation and its scheduler. compared.txt has, for each row that says the same in other words, a digest of both
// texts; somebody has compared them. A row whose digest is not there has to say that it is reworded, and why.

// checkWording reports rows that say something else than was asked for, without saying so.
func checkWording(folder string, areas []area) error {
	asked, err := readPairs(filepath.Join(folder, "asked.txt"), " | ")
	if err != nil {
		return err
	}
	compared, err := readPairs(filepath.Join(folder, "compared.txt"), " ")
	if err != nil {
		return err
	}
	return compareWording(areas, asked, compared)
}

func compareWording(areas []area, asked, compared map[string]string) error {
	var errs []error
	rows := 0
	for _, a := range areas {
		for _, r := range a.rows {
			rows++
			text, known := asked[r.name]
			digest := wordingDigest(text, r.holds)
			same, listed := compared[r.name]
			switch {
			case !known:
				errs = append(errs, fmt.Errorf("row %s is not in asked.txt: write there what is asked for", r.name))
			case r.reworded != "" && listed:
				errs = append(errs, fmt.Errorf("row %s is reworded, and in compared.txt: delete it there", r.name))
			case r.reworded == "" && same != digest:
				errs = append(errs, fmt.Errorf("row %s is not as it was compared with what is asked for, %q: "+
					"give it a third cell %q; or, if both say the same, write \"%s %s\" in compared.txt",
					r.name, text, rewordedPrefix+"what was asked for, and why it is something else", r.name, digest))
			}
		}
	}
	if len(asked) > rows {
		errs = append(errs, fmt.Errorf("asked.txt has %d rows, and there are %d: a row that is asked for is missing", len(asked), rows))
	}
	return errors.Join(errs...)
}

// wordingDigest identifies what is asked for and what a row says of it.
func wordingDigest(asked, holds string) string {
	sum := sha256.Sum256([]byte(asked + "\n" + holds))
	return fmt.Sprintf("%x", sum[:6])
}

// readPairs reads lines of a name and a text.
func readPairs(file, separator string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pairs := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, text, ok := strings.Cut(strings.TrimSpace(line), separator)
		if _, twice := pairs[name]; !ok || twice {
			return nil, fmt.Errorf("%s: line %q: want a name once, %q and a text", file, strings.TrimSpace(line), separator)
		}
		pairs[name] = text
	}
	return pairs, nil
}
