package pressure

// LayoutOf infers a node's layout from a summary, which does not name filesystems: two of the same size and usage are one.
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

// sameFs compares the values of a whole filesystem; used bytes may be those of images or layers only. Between two
// measurements a hundredth may change.
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

func equal(a, b *uint64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
