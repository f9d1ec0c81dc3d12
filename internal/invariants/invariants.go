// Package invariants has no code of its own: its tests hold the whole way of a
// job (producer, table, relay, queue, worker, sweep, backstop) to what the state
// machine promises, whatever goes wrong on the way and in whatever order.
//
// TestMatrix tells stories, each once for every fault at every call to AWS that pkg
// makes in it; `make faults` prints the matrix. TestModel lets many processes take
// turns at random, call by call, and shrinks what it finds. docs/faults.md tells how
// to read them.
package invariants
