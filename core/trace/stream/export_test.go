package stream

// SetMaxPending bounds the records that wait for one reader.
func (s *Server) SetMaxPending(bytes int64) { s.maxPending = bytes }

// HoldEncoding lets no reader's records be encoded until it is released, as a large state of another reader does.
func (s *Server) HoldEncoding() (release func()) {
	s.encoding <- struct{}{}
	return func() { <-s.encoding }
}
