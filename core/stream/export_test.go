package stream

// SetMaxPending bounds the records that wait for one reader.
func (s *Server) SetMaxPending(bytes int64) { s.maxPending = bytes }
