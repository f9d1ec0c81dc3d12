//go:build race

package photo

// UnderRace tells that the race detector makes everything ten times slower: tests
// then use smaller pictures, or leave out what it can't judge.
const UnderRace = true
