package readers

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// A Newcomer is what somebody says of themselves to become a reader.
type Newcomer struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// SignUp makes a reader. Two rows in one transaction: the reader, and the address
// that is theirs alone. Errors: *BadInput, ErrTaken.
func (a *Readers) SignUp(ctx context.Context, n Newcomer) (Reader, error) {
	name, err := Name(n.Name)
	if err != nil {
		return Reader{}, err
	}
	address, err := Address(n.Email)
	if err != nil {
		return Reader{}, err
	}
	if err := password(n.Password); err != nil {
		return Reader{}, err
	}
	reader := Reader{Name: name, Email: n.Email, CreatedAt: a.now().UTC()}
	if reader.ID, err = a.newID(); err != nil {
		return Reader{}, err
	}
	if reader.Password, err = a.passwords.Hash(ctx, n.Password); err != nil {
		return Reader{}, err
	}
	// Both rows, if the address is nobody's. A lost race means that somebody else
	// took it meanwhile; if it is this reader's, the answer to this write was lost.
	err = a.table.Change().
		Put(EmailKey(address), owner{Reader: reader.ID}, rows.Absent, nil).
		Put(Key(reader.ID), reader, rows.Absent, nil).
		Apply(ctx)
	if errors.Is(err, rows.ErrCondition) {
		if taken, ok := rows.Old[owner](err); !ok || taken.Reader != reader.ID {
			return Reader{}, fmt.Errorf("%w: %s", ErrTaken, address)
		}
		err = nil
	}
	if err != nil {
		return Reader{}, fmt.Errorf("readers: signing up: %w", err)
	}
	return reader, nil
}

// SignIn checks a password, in the request: who signs in can't go on without the
// answer. An address that nobody has takes as long as a wrong password, and the
// error is ErrWrong for both.
func (a *Readers) SignIn(ctx context.Context, address, text string) (Reader, error) {
	reader, err := a.ByAddress(ctx, address)
	if err != nil && !errors.Is(err, ErrNobody) {
		return Reader{}, err
	}
	if len(text) > 4*MostPassword {
		text = "" // it is nobody's, and takes no longer than another
	}
	right, stale, err := a.passwords.Check(ctx, reader.Password, text)
	switch {
	case err != nil:
		return Reader{}, fmt.Errorf("readers: checking the password of %s: %w", reader.ID, err)
	case !right:
		return Reader{}, ErrWrong
	case stale:
		// The only moment at which the password is known. Where it fails, the
		// next time will do.
		if err := a.rehash(ctx, reader, text); err != nil {
			a.logger.WarnContext(ctx, "a password keeps its old hash", "reader", reader.ID, "error", err.Error())
		}
	}
	return reader, nil
}

// SetPassword gives a reader another password. Errors: *BadInput, ErrNobody.
func (a *Readers) SetPassword(ctx context.Context, id, text string) error {
	c, err := a.ChangePassword(ctx, a.table.Change(), id, text)
	if err != nil {
		return err
	}
	if err := c.Apply(ctx); errors.Is(err, rows.ErrCondition) {
		return fmt.Errorf("%w: %s", ErrNobody, id)
	} else if err != nil {
		return fmt.Errorf("readers: changing a password: %w", err)
	}
	return nil
}

// ChangePassword adds another password of a reader to changes: a token that is
// used up, for one. The reader's row has to be there. Errors: *BadInput.
func (a *Readers) ChangePassword(ctx context.Context, c *rows.Changes, id, text string) (*rows.Changes, error) {
	if err := password(text); err != nil {
		return nil, err
	}
	hash, err := a.passwords.Hash(ctx, text)
	if err != nil {
		return nil, err
	}
	return c.Update(Key(id), "SET #password = :hash", rows.Present, rows.Values{":hash": hash}), nil
}

// rehash keeps the password at today's cost, unless it was changed meanwhile.
func (a *Readers) rehash(ctx context.Context, reader Reader, text string) error {
	hash, err := a.passwords.Hash(ctx, text)
	if err != nil {
		return err
	}
	// The row if its hash is still the one that was checked. A lost race means
	// that somebody changed the password, or hashed it anew as well.
	err = a.table.Change().
		Update(Key(reader.ID), "SET #password = :hash", "#password = :old", rows.Values{":hash": hash, ":old": reader.Password}).
		Apply(ctx)
	if errors.Is(err, rows.ErrCondition) {
		return nil
	}
	return err
}
