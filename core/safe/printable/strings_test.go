package printable_test

import (
	"reflect"
	"testing"

	"orrery/core/safe/printable"
)

func TestStrings_OfAllPartsAndOfNothingShared(t *testing.T) {
	type part struct {
		Name string
		More []string
	}
	type whole struct {
		part
		Part    *part
		Parts   []part
		Exactly string `printable:"-"`
		Any     any
		None    []string
	}
	original := whole{Part: &part{"a\x1b", nil}, Parts: []part{{"b\r", []string{"c\n"}}}, Exactly: "d\x1b", Any: "e\x1b"}
	made := original
	printable.Strings(&made)
	want := whole{Part: &part{`a\x1b`, nil}, Parts: []part{{"b·", []string{"c·"}}}, Exactly: "d\x1b", Any: "e\x1b"}
	if !reflect.DeepEqual(made, want) {
		t.Errorf("got %+v, want %+v", made, want)
	}
	if original.Part.Name != "a\x1b" || original.Parts[0].More[0] != "c\n" {
		t.Errorf("the original is %+v", original)
	}
}
