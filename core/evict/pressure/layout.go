package pressure

// LayoutOf is how a node's filesystems lie, as far as a summary tells, which does not name them: two that are as large and as
// full as each other are one.
func LayoutOf(s *Summary) Layout {
	r := s.Node.Runtime
	if r == nil || r.ImageFs == nil || s.Node.Fs == nil || sameFs(r.ImageFs, s.Node.Fs) {
		return OneFs
	}
	if r.ContainerFs != nil && sameFs(r.ContainerFs, s.Node.Fs) {
		return SplitImageFs
	}
	return ImageFs
}

// sameFs compares what is of a whole filesystem: what is used may be that of images or layers only. Between two measurements
// a hundredth may have come or gone.
func sameFs(a, b *FsStats) bool {
	if !equal(a.CapacityBytes, b.CapacityBytes) || !equal(a.Inodes, b.Inodes) || a.CapacityBytes == nil {
		return false
	}
	if a.AvailableBytes == nil || b.AvailableBytes == nil {
		return equal(a.AvailableBytes, b.AvailableBytes)
	}
	low, high := min(*a.AvailableBytes, *b.AvailableBytes), max(*a.AvailableBytes, *b.AvailableBytes)
	return high-low <= *a.CapacityBytes/100
}

func equal(a, b *uint64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}
