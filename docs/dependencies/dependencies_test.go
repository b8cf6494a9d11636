package main

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocument_IsWhatIsUsed(t *testing.T) {
	want, err := document("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("other modules are used than docs/dependencies.md has: look at what they are, and run make dependencies-doc (-document +used):\n%s", diff)
	}
}

func TestLicencesIn_RecognizesWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Apache License\n  Version 2.0, January 2004\n":                                 {"Apache-2.0"},
		"Permission is hereby granted,\nfree of charge, to any person obtaining a copy": {"MIT"},
		" * Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following\n * disclaimer in the " +
			"documentation and/or other materials provided with the distribution.\n\nTHIS SOFTWARE IS PROVIDED BY": {"BSD-2-Clause"},
		"the names of its contributors may be used to endorse or promote products derived from\nthis software without specific prior written permission.": {"BSD-3-Clause"},
		"All rights reserved.": nil,
	} {
		if got := licencesIn(text); !slices.Equal(got, want) {
			t.Errorf("%q is under %q, want %q", text, got, want)
		}
	}
}
