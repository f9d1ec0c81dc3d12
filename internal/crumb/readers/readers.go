package readers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Errors that callers decide on.
var (
	// ErrTaken: another reader has the address.
	ErrTaken = errors.New("readers: the address belongs to another reader")
	// ErrWrong: there is no such reader, or it is not their password. Which of
	// them it is nobody is told.
	ErrWrong = errors.New("readers: wrong address or password")
	// ErrNobody: there is no reader of that id.
	ErrNobody = errors.New("readers: no such reader")
)

// Config is what Readers work with.
type Config struct {
	// Table is the site's table. Required.
	Table *rows.Table
	// Cost is that of a password's hash; zero means DefaultCost.
	Cost Cost
	// Random is where ids and salts come from; default crypto/rand.
	Random io.Reader
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Logger takes what goes wrong beside a request; default slog.Default().
	Logger *slog.Logger
}

// Readers are the accounts. They may be used by many goroutines.
type Readers struct {
	table     *rows.Table
	passwords *Passwords
	random    io.Reader
	now       func() time.Time
	logger    *slog.Logger
}

// New makes Readers.
func New(config Config) (*Readers, error) {
	if config.Table == nil {
		return nil, errors.New("readers: Config.Table is required")
	}
	if config.Random == nil {
		config.Random = rand.Reader
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	passwords, err := NewPasswords(config.Cost, config.Random)
	if err != nil {
		return nil, err
	}
	return &Readers{table: config.Table, passwords: passwords, random: config.Random, now: config.Now, logger: config.Logger}, nil
}

// Get reads a reader; ErrNobody where there is none.
func (a *Readers) Get(ctx context.Context, id string) (Reader, error) {
	reader, ok, err := rows.Get[Reader](ctx, a.table, Key(id))
	if err != nil {
		return Reader{}, fmt.Errorf("readers: reading %s: %w", id, err)
	}
	if !ok {
		return Reader{}, fmt.Errorf("%w: %s", ErrNobody, id)
	}
	return reader, nil
}

// ByAddress finds the reader whose address it is, however it is spelt; ErrNobody
// where there is none.
func (a *Readers) ByAddress(ctx context.Context, address string) (Reader, error) {
	address, err := Address(address)
	if err != nil {
		return Reader{}, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	owner, _, err := rows.Get[owner](ctx, a.table, EmailKey(address))
	if err != nil {
		return Reader{}, fmt.Errorf("readers: looking for an address: %w", err)
	}
	// Nobody's row is read as well, so that both cases take as long.
	return a.Get(ctx, owner.Reader)
}

// An owner is the row that gives an address to one reader.
type owner struct {
	Reader string `dynamodbav:"reader"`
}

func (a *Readers) newID() (string, error) {
	id, err := job.NewID(a.random)
	return string(id), err
}
