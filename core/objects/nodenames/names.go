package nodenames

import "bytes"

// Names are some names of a list, in an order of their own. The zero value has none.
type Names struct {
	list *List
	at   []int32
}

// At returns the names at positions of the list. The positions must not be changed.
func (l *List) At(positions []int32) Names { return Names{l, positions} }

// Of returns names, which must not be changed.
func Of(names []string) Names {
	positions := make([]int32, len(names))
	for i := range positions {
		positions[i] = int32(i)
	}
	return New(names).At(positions)
}

// Len is how many names there are.
func (n Names) Len() int { return len(n.at) }

// Name returns the i-th name.
func (n Names) Name(i int) string { return n.list.names[n.at[i]] }

// json is the JSON of the names from the i-th to before the j-th, with a comma after each. They must be neighbours in the list.
func (n Names) json(i, j int) []byte {
	first := n.at[i]
	return n.list.text[n.list.starts[first]:n.list.starts[int(first)+j-i]]
}

// neighbours returns the end of the names, from the i-th on and before the most-th, that lie side by side in the list.
func (n Names) neighbours(i, most int) int {
	j := i + 1
	for j < most && n.at[j] == n.at[j-1]+1 {
		j++
	}
	return j
}

// JSONLen is how many bytes the names take in a JSON list.
func (n Names) JSONLen() int {
	size := len("[]")
	for _, at := range n.at {
		size += n.list.starts[at+1] - n.list.starts[at]
	}
	return size
}

// AppendJSON appends a JSON list of the names.
func (n Names) AppendJSON(to []byte) []byte {
	to = append(to, '[')
	for i := 0; i < len(n.at); {
		j := n.neighbours(i, len(n.at))
		to = append(to, n.json(i, j)...)
		i = j
	}
	return append(bytes.TrimSuffix(to, []byte(",")), ']')
}
