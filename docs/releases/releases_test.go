package main

import (
	"bytes"
	"os"
	"testing"
)

func TestDocument_UpToDate(t *testing.T) {
	want, err := document(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(written.Path(root)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the rules say: make docs writes it anew", written.Path(root))
	}
}

const root = "../.."
