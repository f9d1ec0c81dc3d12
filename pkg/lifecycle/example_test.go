package lifecycle_test

import (
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

func ExampleEnded() {
	first := lifecycle.Attempt{Number: 1, Max: 5}
	middle := func() float64 { return 0.5 }

	again := lifecycle.Ended(first, errors.New("the database is busy"), middle)
	fmt.Println(again.To, again.Wait)

	never := lifecycle.Ended(first, job.Fail(errors.New("the photo is cut off")), middle)
	fmt.Println(never.To)
	// Output:
	// queued 7.5s
	// dead
}

func ExampleLegal() {
	fmt.Println(lifecycle.Legal(lifecycle.Queued, lifecycle.Running))
	fmt.Println(lifecycle.Legal(lifecycle.Done, lifecycle.Running))
	// Output:
	// true
	// false
}
