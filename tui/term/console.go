package term

// console is a platform's terminal: the device that keys are read from, and the name of a terminal that TERM does not name.
type console struct{ device, name string }

// consoleOn returns the console of a platform. Those of Windows have no TERM, and understand what xterm does.
func consoleOn(platform string) console {
	if platform == "windows" {
		return console{device: "CONIN$", name: "xterm-256color"}
	}
	return console{device: "/dev/tty"}
}
