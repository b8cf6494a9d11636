package term

import "time"

// AwaitAnswers makes a quitting program wait for answers as long as it takes.
func AwaitAnswers() { answerWait, answerTimeout = time.Hour, time.Hour }
