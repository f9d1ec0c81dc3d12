// Package knownfaults has no code of its own. Its tests hold docs/known-faults.md
// to the tests that it names, and put the whole way of a job (table, stream, relay,
// queue, worker, sweep) through faults that systems of this kind are known to have
// and that no single package could show: waits that outlast a message, numbers and
// characters that change on the way.
package knownfaults
