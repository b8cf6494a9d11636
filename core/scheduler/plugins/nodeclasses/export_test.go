package nodeclasses

// Forgotten is how many nodes are to be described again, but for all of them.
func (c *Classes[T]) Forgotten() int { return len(c.forgotten) }
