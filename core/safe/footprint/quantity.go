package footprint

import (
	"bytes"
	"reflect"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxExponent bounds the exponent of a quantity. To read 1e-100000000 takes a minute and a hundred megabytes, as it is
// computed in full before it is rounded to 1n.
//
//orrery:limit API server; the exponent of a quantity; its object is refused before it is decoded
const maxExponent = 1000

// HugeExponent reports whether a quantity has an exponent that no amount of anything has. Such a text must not be parsed.
func HugeExponent[T []byte | string](quantity T) bool {
	if n := len(quantity); n < len("1e1000") {
		return false
	}
	text := bytes.TrimSpace([]byte(quantity))
	digits := len(text)
	for digits > 0 && text[digits-1]-'0' <= 9 {
		digits--
	}
	if digits == len(text) {
		return false
	}
	e := digits
	if e > 0 && (text[e-1] == '-' || text[e-1] == '+') {
		e--
	}
	if e == 0 || text[e-1]|0x20 != 'e' {
		return false
	}
	exponent, err := strconv.Atoi(string(text[digits:]))
	return err != nil || exponent > maxExponent
}

// quantityType is a struct for decoders, and one text when it is encoded.
var quantityType = reflect.TypeFor[resource.Quantity]()

// quantityText is the shape of that text.
var quantityText = &Shape{}

// isQuantity reports whether it is the shape of a quantity.
func (s *Shape) isQuantity() bool {
	return s != nil && len(s.fields) == 2 && s.fields[1].inner == quantityText
}

// HugeQuantity is what an object takes at least if it has a quantity with a huge exponent: it must not be decoded.
const HugeQuantity int64 = 1 << 50

// quantityMemory is what a quantity takes beside its text and its place.
func quantityMemory(text []byte) int64 {
	if HugeExponent(text) {
		return HugeQuantity
	}
	return 0
}
