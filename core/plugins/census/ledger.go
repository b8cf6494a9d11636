package census

// Ledger keeps what was worked out for the questions asked most recently, by signature.
type Ledger[T any] struct {
	most    int
	drop    func(T)
	bySig   map[string]int
	entries []entry[T]
	clock   uint64
}

type entry[T any] struct {
	signature string
	value     T
	used      uint64
}

// NewLedger keeps at most that many answers, and drops the one that was not asked for longest.
func NewLedger[T any](most int, drop func(T)) *Ledger[T] {
	return &Ledger[T]{most: most, drop: drop, bySig: map[string]int{}}
}

// Find returns what was kept for a signature.
func (l *Ledger[T]) Find(signature Signature) (value T, ok bool) {
	i, ok := l.bySig[string(signature)]
	if !ok {
		return value, false
	}
	l.clock++
	l.entries[i].used = l.clock
	return l.entries[i].value, true
}

// Keep stores an answer for a signature that Find does not know.
func (l *Ledger[T]) Keep(signature Signature, value T) {
	l.clock++
	e := entry[T]{signature: string(signature), value: value, used: l.clock}
	if len(l.entries) < l.most {
		l.bySig[e.signature] = len(l.entries)
		l.entries = append(l.entries, e)
		return
	}
	oldest := 0
	for i := range l.entries {
		if l.entries[i].used < l.entries[oldest].used {
			oldest = i
		}
	}
	delete(l.bySig, l.entries[oldest].signature)
	l.drop(l.entries[oldest].value)
	l.bySig[e.signature] = oldest
	l.entries[oldest] = e
}
