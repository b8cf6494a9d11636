package deviceapi

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// unlimited is the size of a list that may have any number of elements.
const unlimited = -1

// each checks the elements of a list. Those of one that is too long are not looked at.
func each[T any](list []T, most int, path *field.Path, check func(*T, *field.Path) field.ErrorList) field.ErrorList {
	if most >= 0 && len(list) > most {
		return field.ErrorList{field.TooMany(path, len(list), most)}
	}
	var wrong field.ErrorList
	for i := range list {
		wrong = append(wrong, check(&list[i], path.Index(i))...)
	}
	return wrong
}

// eachOnce is each for a list whose elements differ in their keys.
func eachOnce[T any, K comparable](
	list []T, most int, path *field.Path, key func(*T) K, check func(*T, *field.Path) field.ErrorList,
) field.ErrorList {
	wrong := each(list, most, path, check)
	if most >= 0 && len(list) > most {
		return wrong
	}
	seen := map[K]bool{}
	for i := range list {
		k := key(&list[i])
		if seen[k] {
			wrong = append(wrong, field.Duplicate(path.Index(i), k))
		}
		seen[k] = true
	}
	return wrong
}

// itself is the key of a text.
func itself(s *string) string { return *s }

// eachEntry checks the keys and values of a map, by key. Keys are shortened to some length in paths.
func eachEntry[K ~string, T any](
	m map[K]T, most, shortened int, path *field.Path,
	checkKey func(K, *field.Path) field.ErrorList, checkValue func(T, *field.Path) field.ErrorList,
) field.ErrorList {
	if most >= 0 && len(m) > most {
		return field.ErrorList{field.TooMany(path, len(m), most)}
	}
	var wrong field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(m)) {
		at := path.Key(shorten(string(key), shortened))
		wrong = append(wrong, checkKey(key, at)...)
		wrong = append(wrong, checkValue(m[key], at)...)
	}
	return wrong
}

// shorten leaves the middle out of a text that is too long.
func shorten(text string, most int) string {
	const gap = "..."
	if len(text) <= most {
		return text
	}
	left := most - len(gap)
	return text[:(left+1)/2] + gap + text[len(text)-left/2:]
}
