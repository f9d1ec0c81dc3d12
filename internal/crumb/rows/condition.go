package rows

import "github.com/nightshift-go/nightshift/pkg/store"

// ErrCondition is what errors.Is finds where the condition of a change did not
// hold; nothing was written then.
var ErrCondition = store.ErrCondition

// Failed tells whether the condition of the i-th change, from 0, is among those
// that did not hold.
func Failed(err error, i int) bool {
	for _, failed := range conditionsIn(err) {
		if failed.Index == i {
			return true
		}
	}
	return false
}

// Old gives the row that was there where a condition failed, the first of several;
// ok is false where err is of another kind, or there was none.
func Old[T any](err error) (row T, ok bool) {
	for _, failed := range conditionsIn(err) {
		if failed.Old != nil {
			row, err = decode[T](failed.Old)
			return row, err == nil
		}
	}
	return row, false
}

// conditionsIn finds every failed condition of an error: those of a transaction are
// joined.
func conditionsIn(err error) []*store.ConditionError {
	switch e := err.(type) {
	case *store.ConditionError:
		return []*store.ConditionError{e}
	case interface{ Unwrap() error }:
		return conditionsIn(e.Unwrap())
	case interface{ Unwrap() []error }:
		var found []*store.ConditionError
		for _, one := range e.Unwrap() {
			found = append(found, conditionsIn(one)...)
		}
		return found
	}
	return nil
}
