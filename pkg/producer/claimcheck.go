package producer

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Sizes of rows, in bytes as DynamoDB counts them: names and values of all
// attributes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
const (
	// largestRow is the largest row that DynamoDB keeps.
	largestRow = 400 << 10
	// laterRow is what a job's later writes add to its row, besides a cursor
	// and a result: the lease, the error's 2 KB, the letter's publication. A
	// row without room for that could never be claimed.
	laterRow = 16 << 10
	// plainRow is more than the attributes' names, the numbers and the texts of
	// fixed length of a new row have together.
	plainRow = 1 << 10
)

// checkClaims settles over which size arguments go to objects.
func (p *Producer) checkClaims(over int) error {
	p.over = over
	switch {
	case over < 0:
		return fmt.Errorf("producer: ClaimCheckOver is %d bytes: it is 0 (the default) or more", over)
	case over > MostArguments:
		return fmt.Errorf("producer: ClaimCheckOver is %d bytes: a row holds arguments of at most %d", over, MostArguments)
	case p.objects == nil && over > 0:
		return errors.New("producer: ClaimCheckOver is set and Objects is nil: make it with claimcheck.New")
	case p.objects == nil:
		p.over = MostArguments
	case over == 0:
		p.over = claimcheck.DefaultOver
	}
	return nil
}

// checkMost holds a task to what can be kept.
func (p *Producer) checkMost(d job.Definition) error {
	most, raise := MostArguments, fmt.Sprintf("set Config.Objects for up to %d, or ", claimcheck.MaxBytes)
	switch {
	case d.Policy.Unique.NewestWins:
		raise = ""
	case p.objects != nil:
		most, raise = claimcheck.MaxBytes, ""
	}
	if size := d.Policy.MaxArguments; size > most {
		return fmt.Errorf("producer: task %q: MaxArguments is %d bytes: at most %d are kept; %sput large input into object storage and pass its key", d.Name, size, most, raise)
	}
	return nil
}

// fitted is the job as its row has room for it. Arguments that are better off in an
// object are written there first: should this process die before the row is
// written, nothing is lost but an object that the sweep collects.
//
// Each call writes an object of its own. A request that is repeated leaves the
// first one's job and object alone, and so does another request that uses its id:
// whether the row is made is decided by the row alone.
//
// Where the newest wins, the arguments may end up in the row of a job that is not
// known yet, and an object belongs to the job in its key: they stay in the row.
func (p *Producer) fitted(ctx context.Context, n store.NewJob) (store.NewJob, error) {
	const room = largestRow - laterRow
	beside := besideArgs(n)
	if beside > room {
		return n, fmt.Errorf("%w: the job's options (client, trace, key) have %d bytes together, and its row has room for %d", ErrTooLarge, beside, room)
	}
	newestWins := n.Unique != nil && n.Unique.NewestWins
	fits := len(n.Args) <= room && beside+textBytes(string(n.Args)) <= room
	switch {
	case fits && (len(n.Args) <= p.over || newestWins):
		return n, nil
	case p.objects == nil || newestWins:
		return n, fmt.Errorf("%w: %d bytes, and %d of its options, do not fit into the job's row: set Config.Objects (unless the newest wins), or put large input into object storage and pass its key",
			ErrTooLarge, len(n.Args), beside)
	}
	name, err := p.jobs.NewToken()
	if err != nil {
		return n, err
	}
	claim, err := p.objects.Put(ctx, claimcheck.ArgsKey(n.ID, name), n.Args)
	if err != nil {
		return n, fmt.Errorf("keeping the arguments: %w", err)
	}
	n.Args, n.ArgsObject = nil, &claim
	return n, nil
}

// besideArgs is the size of a new job's row without its arguments: never less than
// it will be, and at most plainRow more.
func besideArgs(n store.NewJob) int {
	size := plainRow + 2*len(n.ID) + len(n.Task) + 2*len(n.Queue) +
		textBytes(n.Fingerprint) + textBytes(n.Client) + textBytes(n.Trace) + n.Follow.Bytes()
	if n.Unique != nil {
		size += textBytes(n.Unique.Key)
	}
	return size
}

// textBytes is how long a text is when it arrives. The SDK sends U+FFFD, of three
// bytes, for each byte that is no UTF-8.
func textBytes(s string) int {
	if utf8.ValidString(s) {
		return len(s)
	}
	size := 0
	for _, r := range s {
		size += utf8.RuneLen(r)
	}
	return size
}
