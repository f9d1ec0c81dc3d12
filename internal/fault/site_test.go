package fault

import "testing"

func TestName(t *testing.T) {
	for function, want := range map[string]string{
		"store.(*Jobs).Claim":                                     "store.(*Jobs).Claim",
		"sweep.(*Sweep).promoteMinute.func1":                      "sweep.(*Sweep).promoteMinute",
		"sweep.(*Sweep).promoteMinute.func2.1":                    "sweep.(*Sweep).promoteMinute",
		"deadletter.(*run).atEnd.(*run).countUnseen.func1":        "deadletter.(*run).countUnseen",
		"deadletter.(*run).each.pause.func1":                      "deadletter.pause",
		"idempotency.Once[...].func1":                             "idempotency.Once",
		"worker.commit.func1":                                     "worker.commit",
		"store.(*Jobs).Redrive-fm":                                "store.(*Jobs).Redrive",
		"claimcheck/s3objects.(*Driver).Put":                      "claimcheck/s3objects.(*Driver).Put",
		"d.(*h).hide.(*h).hide.Chunk[...].func2.(*h).hide-range1": "d.(*h).hide",
	} {
		if got := Name(function); got != want {
			t.Errorf("%s is %s, want %s", function, got, want)
		}
	}
}
