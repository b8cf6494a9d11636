// Package core holds no code; it is the plan of the wings below it. Imports go down in this drawing, never up.
//
//	operator    what a person does on a cluster             console   actions   usage   logs
//	process     being a scheduler on a cluster              replica   observe   leader   serving   telemetry
//	                                                        recording   contact   figures
//	      │
//	answers     why, what if, how else                      answer   diagnose   fix   whatif   change   compare   cause   shadow   review   assist
//	                                                        fit   capacity   period   consolidate   pool   price   kueue
//	trace       recordings, on disk and as they come        play   journey   table   spans   segments   stream   attach   reach
//	      │
//	evict       who makes pods leave nodes                  taint   device   lifecycle   pressure   budget   observer
//	scheduler   what decides                                drive, and below it:
//	            engine         one writer: Apply, Step, NextWake, Fork, Explain
//	            cache   queue   framework   plugins   preempt     nodes · activeQ, backoffQ, unschedulable pods · profiles · victims
//	            volumes   devices   gangs   store   config        what is decided about claims and groups · objects by kind
//	            reuse   changelog   codec   release               results that hold until a node changes · state as bytes
//	      │
//	world       what is decided upon: Input and Effect      memory   live   extender   trim
//	            what the API server does to new objects     admission
//	      │
//	objects     small knowledge of API objects              requests   saturating   csimigration   nodenames   workloads   owners
//	safe        text, sizes and files that can be trusted   printable   address   panics   footprint   spelling   plural   files
//	            small machines that many use                heap   yamlnode
//
//	testing     objects and hostile runs for tests          mk   plugintest   codectest   soak   fuzz   planted   race   drawn   apistub
//	parity      a module of its own: comparison with upstream, benchmarks, an API server in process
//
// Each package's doc.go says what it is. A test beside this file checks these rules:
//
//   - Imports are those of the list in house_test.go, which is ordered from the ground up.
//   - No folder is in a circle with its neighbours, at any depth: among the wings, and among the packages of a wing.
//   - Nothing but tests, and the tools that run them, imports the wing testing.
//   - Only what meets the real world reads a clock; elsewhere the time comes with every input. Random numbers come from a
//     seeded source.
//   - Nothing sleeps, tests included.
//   - Only core/scheduler/release compares releases of Kubernetes; what differs is a rule of its list.
//   - Only a few files use the process's streams; all other output passes a printable.Writer.
//   - This file names every wing and what it holds.
package core
