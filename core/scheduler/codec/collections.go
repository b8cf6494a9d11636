package codec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
)

// length codes how many elements follow.
func (c *Coder) length(n int) int {
	if !c.reading {
		Int(c, &n)
		return n
	}
	Int(c, &n)
	if n < 0 || n > len(c.in.Rest) {
		c.Fail(fmt.Errorf("a list claims %d elements, which are not there", n))
		return 0
	}
	return n
}

// Slice codes a list. Each element has to be coded as at least one byte.
func Slice[T any](c *Coder, list *[]T, code func(*T)) {
	n := c.length(len(*list))
	if !c.reading {
		for i := range *list {
			code(&(*list)[i])
		}
		return
	}
	*list = nil
	for range n {
		var none T
		*list = append(*list, none)
		if code(&(*list)[len(*list)-1]); !c.OK() {
			return
		}
	}
}

// Optional codes a value with a function, or that there is none.
func Optional[T any](c *Coder, value **T, code func(*T)) {
	there := *value != nil
	if c.Bool(&there); !there {
		return
	}
	if c.reading {
		*value = new(T)
	}
	code(*value)
}

// Texts codes a list of texts.
func Texts[T ~string](c *Coder, list *[]T) { Slice(c, list, func(text *T) { Text(c, text) }) }

// Map codes a map in the order of its keys. The key comes before the value.
func Map[K cmp.Ordered, V any](c *Coder, m *map[K]V, code func(*K, *V)) {
	MapBy(c, m, cmp.Compare[K], code)
}

// MapBy is Map for keys in an order of their own.
func MapBy[K comparable, V any](c *Coder, m *map[K]V, compare func(a, b K) int, code func(*K, *V)) {
	n := c.length(len(*m))
	if !c.reading {
		for _, key := range slices.SortedFunc(maps.Keys(*m), compare) {
			value := (*m)[key]
			code(&key, &value)
		}
		return
	}
	if *m == nil && n > 0 {
		*m = map[K]V{}
	}
	var before K
	for i := range n {
		var key K
		var value V
		if code(&key, &value); c.OK() && i > 0 && compare(before, key) >= 0 {
			c.Fail(errors.New("the keys of a map are not in order"))
		}
		if !c.OK() {
			return
		}
		(*m)[key], before = value, key
	}
}

// Set codes a set in order.
func Set[K ~string](c *Coder, set *sets.Set[K]) {
	list := sets.List(*set)
	if Texts(c, &list); c.reading && len(list) > 0 {
		*set = sets.New(list...)
	}
}
