package partial

import "testing"

func FuzzFailures(f *testing.F) {
	f.Add([]byte(`{"batchItemFailures":[{"itemIdentifier":"a"}]}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		failed, err := Failures(answer, map[string]bool{"a": true})
		if err == nil && len(failed) > 1 || failed["a"] == false && len(failed) > 0 {
			t.Errorf("%s: %v", answer, failed)
		}
	})
}

func TestFailures(t *testing.T) {
	batch := map[string]bool{"a": true, "b": true}
	for _, c := range []struct {
		answer string
		failed int
		whole  bool
	}{
		{``, 0, false}, {` `, 0, false}, {`null`, 0, false}, {`""`, 0, false}, {`{}`, 0, false},
		{`{"batchItemFailures":null}`, 0, false}, {`{"batchItemFailures":[]}`, 0, false},
		{`{"batchItemFailures":[{"itemIdentifier":"a"}]}`, 1, false},
		{`{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"b"}]}`, 2, false},
		{`[]`, 0, true}, {`"text"`, 0, true}, {`1`, 0, true}, {`{`, 0, true},
		{`{"batchItemFailures":{}}`, 0, true}, {`{"batchItemFailures":[null]}`, 0, true},
		{`{"batchItemFailures":[{"itemIdentifier":"c"}]}`, 0, true},
		{`{"batchItemFailures":[{"itemIdentifier":null}]}`, 0, true},
	} {
		failed, err := Failures([]byte(c.answer), batch)
		if len(failed) != c.failed || (err != nil) != c.whole {
			t.Errorf("%s: %v, %v", c.answer, failed, err)
		}
	}
}
