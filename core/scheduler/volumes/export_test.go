package volumes

// Len is the number of volumes that the claim can get anywhere.
func (m *Matching) Len() int { return len(m.named) + len(m.matched) }
