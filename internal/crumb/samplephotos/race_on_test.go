//go:build race

package samplephotos

// underRace tells that the race detector makes everything ten times slower: tests
// then use smaller pictures, or leave out what it can't judge.
const underRace = true
