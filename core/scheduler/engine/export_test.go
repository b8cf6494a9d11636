package engine

// ForkReusing is Fork, with reuse switched on or off in the fork.
func (e *Engine) ForkReusing(on bool) (*Engine, error) {
	was := e.options.NoReuse
	defer func() { e.options.NoReuse = was }()
	e.options.NoReuse = !on
	return e.Fork()
}

// Options returns the options that the engine was made with.
func (e *Engine) Options() Options { return e.options }
