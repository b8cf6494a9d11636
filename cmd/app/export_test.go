package app

// PrintedExamples is for tests that run the program.
var PrintedExamples = printedExamples
