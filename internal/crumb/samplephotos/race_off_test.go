//go:build !race

package samplephotos

const underRace = false
