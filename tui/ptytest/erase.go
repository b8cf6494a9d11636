package ptytest

// erase applies the sequences that erase, delete or insert characters or lines.
func (s *Screen) erase(final byte, n int) {
	if s.w == 0 || s.h == 0 {
		return
	}
	one := max(n, 1)
	switch row := s.rows[s.y]; final {
	case 'J':
		switch n {
		case 0:
			s.clear(row[s.x:])
			s.clearRows(s.y+1, s.h)
		case 1:
			s.clear(row[:s.x+1])
			s.clearRows(0, s.y)
		default:
			s.clearRows(0, s.h)
		}
	case 'K':
		s.clear([][]cell{row[s.x:], row[:s.x+1], row}[min(n, 2)])
	case 'X':
		s.clear(row[s.x:min(s.x+one, s.w)])
	case 'P':
		copy(row[s.x:], row[min(s.x+one, s.w):])
		s.clear(row[max(s.w-one, s.x):])
	case '@':
		copy(row[min(s.x+one, s.w):], row[s.x:])
		s.clear(row[s.x:min(s.x+one, s.w)])
	case 'L', 'M':
		if s.y < s.top || s.y >= s.end { // lines outside the scroll region stay
			return
		}
		if final == 'L' {
			one = -one
		}
		s.scroll(s.y, one)
	case 'S':
		s.scroll(s.top, one)
	case 'T':
		s.scroll(s.top, -one)
	}
}

// clear fills cells with blanks on the current background.
func (s *Screen) clear(cells []cell) {
	for i := range cells {
		cells[i] = cell{" ", s.background, s.background}
	}
}

func (s *Screen) clearRows(from, to int) {
	for y := from; y < to; y++ {
		s.clear(s.rows[y])
	}
}

// scroll moves the lines from a line on up by n, or down if n is negative.
func (s *Screen) scroll(from, n int) {
	for range min(max(n, -n), s.h) {
		if n > 0 {
			first := s.rows[from]
			copy(s.rows[from:s.end], s.rows[from+1:s.end])
			s.rows[s.end-1] = first
			s.clear(first)
		} else {
			last := s.rows[s.end-1]
			copy(s.rows[from+1:s.end], s.rows[from:s.end-1])
			s.rows[from] = last
			s.clear(last)
		}
	}
}
