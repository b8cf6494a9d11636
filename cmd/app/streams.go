package app

import (
	"io"
	"log"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"orrery/core/safe/printable"
)

// raw returns the stream below the writer that disarms a command's output, for what is not text: a trace, and the status
// line, which moves the cursor.
func raw(w io.Writer) io.Writer {
	if text, ok := w.(*printable.Writer); ok {
		return text.Unwrap()
	}
	return w
}

// logTo sends the logs of client-go and of the standard library to a writer, in klog's format.
func logTo(w io.Writer) {
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(w)))
	formatted := func(line []byte) { _, _ = w.Write(line) }
	klog.SetLoggerWithOptions(logger, klog.WriteKlogBuffer(formatted))
	log.SetOutput(w)
}
