//go:build race

package file

// raceEnabled says that everything takes several times as long.
const raceEnabled = true
