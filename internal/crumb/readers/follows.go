package readers

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// ErrSelf: nobody follows themselves.
var ErrSelf = errors.New("readers: a reader can't follow themselves")

// tries is how often a change is made anew that others overtook.
const tries = 5

// A following is a row of a reader's list of authors. Key: follows#<reader>, the
// author's id.
type following struct {
	Author string `dynamodbav:"author"`
	Notify bool   `dynamodbav:"notify"`
}

// A tally counts an author's followers. Key: reader#<id>, "followers".
type tally struct {
	Count int `dynamodbav:"count"`
}

func tallyKey(author string) rows.Key {
	return rows.Key{Partition: Key(author).Partition, Sort: "followers"}
}

// Follow puts a reader among an author's followers, and counts them once however
// often it is asked. notify asks for a notice of each new recipe. Errors: ErrSelf,
// ErrNobody.
func (a *Readers) Follow(ctx context.Context, reader, author string, notify bool) error {
	if reader == author {
		return ErrSelf
	}
	if _, err := a.Get(ctx, author); err != nil {
		return err
	}
	both := func(condition string) *rows.Changes {
		return a.table.Change().
			Put(FollowerKey(author, reader), Follower{Reader: reader, Notify: notify}, condition, nil).
			Put(FollowsKey(reader, author), following{Author: author, Notify: notify}, "", nil)
	}
	var err error
	for range tries {
		// All three, if they do not follow yet. If they do (or did just now), only
		// what they want to hear of is written. Losing both races means that
		// they started and stopped meanwhile.
		err = both(rows.Absent).Update(tallyKey(author), "ADD #count :one", "", rows.Values{":one": 1}).Apply(ctx)
		if errors.Is(err, rows.ErrCondition) {
			err = both(rows.Present).Apply(ctx)
		}
		if !errors.Is(err, rows.ErrCondition) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("readers: following %s: %w", author, err)
	}
	return nil
}

// Unfollow takes a reader from an author's followers; one who is not among them is
// no error.
func (a *Readers) Unfollow(ctx context.Context, reader, author string) error {
	// All three, if they follow. A lost race means that they do not, any more.
	err := a.table.Change().
		Delete(FollowerKey(author, reader), rows.Present, nil).
		Delete(FollowsKey(reader, author), "", nil).
		Update(tallyKey(author), "ADD #count :one", "", rows.Values{":one": -1}).
		Apply(ctx)
	if err != nil && !errors.Is(err, rows.ErrCondition) {
		return fmt.Errorf("readers: no longer following %s: %w", author, err)
	}
	return nil
}

// Followers counts an author's followers.
func (a *Readers) Followers(ctx context.Context, author string) (int, error) {
	return CountFollowers(ctx, a.table, author)
}

// CountFollowers counts an author's followers, for those who have the table alone.
func CountFollowers(ctx context.Context, table *rows.Table, author string) (int, error) {
	t, _, err := rows.Get[tally](ctx, table, tallyKey(author))
	if err != nil {
		return 0, fmt.Errorf("readers: counting followers: %w", err)
	}
	return t.Count, nil
}

// Follows tells whether a reader follows an author.
func (a *Readers) Follows(ctx context.Context, reader, author string) (bool, error) {
	_, ok, err := rows.Get[following](ctx, a.table, FollowsKey(reader, author))
	if err != nil {
		return false, fmt.Errorf("readers: looking whom %s follows: %w", reader, err)
	}
	return ok, nil
}
