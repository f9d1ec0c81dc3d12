package readers

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// A Cost is what hashing a password takes: who steals the table pays it for each
// guess. Its zero value means DefaultCost.
type Cost struct {
	// Memory is in KiB.
	Memory uint32
	// Passes over the memory.
	Passes uint32
	// Threads may share the work.
	Threads uint8
}

// DefaultCost is the least that OWASP asks of Argon2id: 19 MiB, two passes, one
// thread.
// https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
func DefaultCost() Cost { return Cost{Memory: 19 << 10, Passes: 2, Threads: 1} }

const (
	saltBytes = 16
	hashBytes = 32
	// atOnce bounds the memory that hashing takes: twice 19 MiB. In Lambda a
	// process has one request in hand; elsewhere the others wait.
	atOnce = 2
)

// Bounds of what is believed of a kept hash, so that a row that is damaged takes
// neither all memory nor all day.
const (
	mostMemory  = 128 << 10
	mostPasses  = 16
	mostThreads = 16
)

// ErrHash: a kept hash that Hash did not make.
var ErrHash = errors.New("readers: not a password's hash")

// Passwords hashes passwords and checks them, by Argon2id. It may be used by many
// goroutines, of which a few work at a time.
// https://www.rfc-editor.org/rfc/rfc9106
type Passwords struct {
	cost   Cost
	random io.Reader
	slots  chan struct{}
	// decoy is what is checked where there is no reader.
	decoy []byte
}

// NewPasswords makes Passwords that hash at a cost, with salts from random.
func NewPasswords(cost Cost, random io.Reader) (*Passwords, error) {
	if cost == (Cost{}) {
		cost = DefaultCost()
	}
	if err := cost.check(); err != nil {
		return nil, err
	}
	p := &Passwords{cost: cost, random: random, slots: make(chan struct{}, atOnce)}
	salt, err := p.salt()
	if err != nil {
		return nil, err
	}
	// Nothing hashes to zeroes: the decoy takes as long as any, and never fits.
	p.decoy = encode(cost, salt, make([]byte, hashBytes))
	return p, nil
}

// Hash gives what is kept of a password. It waits for its turn, at most as long as
// the context lasts.
func (p *Passwords) Hash(ctx context.Context, password string) ([]byte, error) {
	salt, err := p.salt()
	if err != nil {
		return nil, err
	}
	sum, err := p.sum(ctx, p.cost, password, salt)
	if err != nil {
		return nil, err
	}
	return encode(p.cost, salt, sum), nil
}

// Check tells whether a password is the one that was hashed, and whether its hash
// was made at another cost than today's, so that it should be hashed anew. No hash
// at all takes as long as a wrong password.
func (p *Passwords) Check(ctx context.Context, kept []byte, password string) (right, stale bool, err error) {
	if len(kept) == 0 {
		kept = p.decoy
	}
	cost, salt, want, err := decode(kept)
	if err != nil {
		return false, false, err
	}
	got, err := p.sum(ctx, cost, password, salt)
	if err != nil {
		return false, false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, cost != p.cost, nil
}

// sum hashes in its turn. The same characters may be typed as different bytes
// (é as one or as two): they are brought to one form.
// https://www.rfc-editor.org/rfc/rfc8265#section-4.2
func (p *Passwords) sum(ctx context.Context, cost Cost, password string, salt []byte) ([]byte, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, fmt.Errorf("readers: waiting to hash a password: %w", ctx.Err())
	}
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, cost.Passes, cost.Memory, cost.Threads, hashBytes), nil
}

func (p *Passwords) salt() ([]byte, error) {
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(p.random, salt); err != nil {
		return nil, fmt.Errorf("readers: drawing a salt: %w", err)
	}
	return salt, nil
}

func (c Cost) check() error {
	if c.Memory < 8*uint32(c.Threads) || c.Memory > mostMemory || c.Passes < 1 || c.Passes > mostPasses || c.Threads < 1 || c.Threads > mostThreads {
		return fmt.Errorf("%w: a cost of %d KiB, %d passes, %d threads", ErrHash, c.Memory, c.Passes, c.Threads)
	}
	return nil
}

// hashForm is how hashes are written everywhere (PHC): with what they were made
// with, so that the cost can be raised while old ones are still there.
// https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
const hashForm = "$argon2id$v=19$m=%d,t=%d,p=%d$"

func encode(c Cost, salt, sum []byte) []byte {
	text := fmt.Appendf(nil, hashForm, c.Memory, c.Passes, c.Threads)
	text = base64.RawStdEncoding.AppendEncode(text, salt)
	return base64.RawStdEncoding.AppendEncode(append(text, '$'), sum)
}

func decode(kept []byte) (c Cost, salt, sum []byte, err error) {
	if _, err := fmt.Sscanf(string(kept), hashForm, &c.Memory, &c.Passes, &c.Threads); err != nil {
		return Cost{}, nil, nil, fmt.Errorf("%w: %w", ErrHash, err)
	}
	if err := c.check(); err != nil {
		return Cost{}, nil, nil, err
	}
	parts := bytes.Split(kept, []byte("$"))
	if len(parts) != 6 {
		return Cost{}, nil, nil, fmt.Errorf("%w: it has %d parts", ErrHash, len(parts))
	}
	salt, err1 := base64.RawStdEncoding.Strict().AppendDecode(nil, parts[4])
	sum, err2 := base64.RawStdEncoding.Strict().AppendDecode(nil, parts[5])
	// What is written otherwise than we write it is not ours.
	if err := errors.Join(err1, err2); err != nil || len(salt) != saltBytes || len(sum) != hashBytes || !bytes.Equal(encode(c, salt, sum), kept) {
		return Cost{}, nil, nil, fmt.Errorf("%w: %w", ErrHash, errors.Join(err, errors.New("it is damaged")))
	}
	return c, salt, sum, nil
}
