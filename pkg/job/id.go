package job

import (
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// An ID names one job. It is safe in URLs and can't be guessed: 128 random bits
// (or a keyed hash), in 26 letters and digits. The id of a job in a FIFO queue
// has its queue and group before it, so that the id alone finds the row.
type ID string

// ErrBadID is returned for text that is no job id.
var ErrBadID = errors.New("job: not a job id")

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var idEncoding = base32.NewEncoding(idAlphabet).WithPadding(base32.NoPadding)

// inAlphabet tells which bytes an id may hold.
var inAlphabet = func() (in [256]bool) {
	for _, c := range []byte(idAlphabet) {
		in[c] = true
	}
	return in
}()

const idLength = 26

// NewID draws an id from random.
func NewID(random io.Reader) (ID, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("job: drawing an id: %w", err)
	}
	return IDOf(b), nil
}

// IDOf makes an id of 128 bits that somebody else made unguessable.
func IDOf(bits [16]byte) ID {
	var text [idLength]byte
	idEncoding.Encode(text[:], bits[:])
	return ID(text[:])
}

// InGroup gives the id as it is in a FIFO queue's group.
func (id ID) InGroup(queue, group string) ID {
	return ID(queue + "." + base64.RawURLEncoding.EncodeToString([]byte(group)) + "." + string(id))
}

// Group gives the FIFO queue and the group that the id names; ok is false for
// the id of a job in a standard queue.
func (id ID) Group() (queue, group string, ok bool) {
	if strings.Count(string(id), ".") != 2 {
		return "", "", false
	}
	parts := strings.Split(string(id), ".")
	decoded, err := base64.RawURLEncoding.DecodeString(parts[1])
	// The decoder passes over line ends and spare bits: a group has one spelling.
	if err != nil || base64.RawURLEncoding.EncodeToString(decoded) != parts[1] {
		return "", "", false
	}
	return parts[0], string(decoded), true
}

// ParseID checks text that came from outside.
func ParseID(text string) (ID, error) {
	id := ID(text)
	last := text
	if strings.Contains(text, ".") {
		queue, _, ok := id.Group()
		if !ok || !isQueueName(queue) {
			return "", fmt.Errorf("%w: %.80q", ErrBadID, text)
		}
		last = text[strings.LastIndexByte(text, '.')+1:]
	}
	if len(last) != idLength || len(text) > 1000 {
		return "", fmt.Errorf("%w: %.80q", ErrBadID, text)
	}
	for i := range len(last) {
		if !inAlphabet[last[i]] {
			return "", fmt.Errorf("%w: %.80q", ErrBadID, text)
		}
	}
	return id, nil
}
