package fit

// Sized is the set with so many pods of its workload.
func Sized(s *Set, n int) (*Set, error) { return s.sized(n) }
