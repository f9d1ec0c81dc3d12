//go:build !race

package photo

const UnderRace = false
