package simulation

import "github.com/nightshift-go/nightshift/pkg/lifecycle"

// keys are which job waits with each key (job.Uniqueness.NewestWins): number + 1.
type keys []int32

// replaced tells whether a job that arrives takes the place of one that waits with the
// same key, which it draws.
func (w *world) replaced() (key int32, replaced bool) {
	if len(w.keys) == 0 {
		return 0, false
	}
	key = int32(w.chance.clients.IntN(len(w.keys)))
	return key, w.keys[key] > 0
}

// begun frees the key of a job whose first attempt begins: from then on another with
// that key is made.
func (w *world) begun(i int32) {
	if j := w.jobs.at(i); len(w.keys) > 0 && w.keys[j.key] == i+1 {
		w.keys[j.key] = 0
	}
}

// wait takes note that a job waits with its key.
func (w *world) wait(i int32) {
	if j := w.jobs.at(i); len(w.keys) > 0 && j.state == lifecycle.Queued {
		w.keys[j.key] = i + 1
	}
}
