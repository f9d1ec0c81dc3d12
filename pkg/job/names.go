package job

import "strings"

// Names are checked whenever a function starts, which a compiled pattern would
// slow down: a worker is to be ready as soon as a bare program is.

// isQueueName tells whether name is 1 to 40 lower case letters, digits and dashes,
// a letter first.
func isQueueName(name string) bool {
	return len(name) <= 40 && isWord(name, "-")
}

// isTaskName tells whether name is 1 to 80 lower case letters, digits, dashes and
// underscores, in words that begin with a letter and are joined by dots.
func isTaskName(name string) bool {
	for word := range strings.SplitSeq(name, ".") {
		if !isWord(word, "-_") {
			return false
		}
	}
	return len(name) <= 80
}

// isWord tells whether word is a lower case letter and then lower case letters,
// digits and what is in others.
func isWord(word, others string) bool {
	for i := range len(word) {
		c := word[i]
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && strings.IndexByte(others, c) < 0) {
			return false
		}
	}
	return word != ""
}
