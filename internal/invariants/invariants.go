// Package invariants has no code of its own: its tests hold the whole way of a
// job (producer, table, relay, queue, worker, sweep, backstop) to what the state
// machine promises, whatever goes wrong on the way and in whatever order.
package invariants
