package ptytest

import "time"

// Deadline bounds every wait. It is generous, since it only has to fail what hangs.
const Deadline = 30 * time.Second
