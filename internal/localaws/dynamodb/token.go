package dynamodb

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// tokenLife is how long a ClientRequestToken is remembered.
const tokenLife = 10 * time.Minute

// A clientToken makes a transaction idempotent: the same token with the same
// items succeeds again without effect. The empty name is no token.
type clientToken struct {
	name string
	hash [sha256.Size]byte
}

func (in *transactWriteItemsInput) token() (clientToken, error) {
	if in.ClientRequestToken == "" {
		return clientToken{}, nil
	}
	if len(in.ClientRequestToken) > 36 {
		return clientToken{}, invalidf("1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36")
	}
	items, err := canonical(in.TransactItems)
	return clientToken{name: in.ClientRequestToken, hash: sha256.Sum256(items)}, err
}

// seen tells whether the transaction was done already. It fails where the
// token was used for other items. A stored token is its time and its hash.
func (t clientToken) seen(tx *bolt.Tx, now time.Time) (bool, error) {
	stored := tx.Bucket(tokensBucket).Get([]byte(t.name))
	if t.name == "" || stored == nil || tokenAge(stored, now) > tokenLife {
		return false, nil
	}
	if !bytes.Equal(stored[8:], t.hash[:]) {
		return false, awsjson.Errorf("IdempotentParameterMismatchException", "The ClientRequestToken was used with other parameters")
	}
	return true, nil
}

func tokenAge(stored []byte, now time.Time) time.Duration {
	return now.Sub(time.UnixMilli(int64(binary.BigEndian.Uint64(stored))))
}

// keep remembers the token; a second bucket orders tokens by time.
func (t clientToken) keep(tx *writeTx, now time.Time) error {
	if t.name == "" {
		return nil
	}
	tx.dirty = true
	at := binary.BigEndian.AppendUint64(nil, uint64(now.UnixMilli()))
	if err := tx.Bucket(tokenAgesBucket).Put(append(bytes.Clone(at), t.name...), nil); err != nil {
		return err
	}
	return tx.Bucket(tokensBucket).Put([]byte(t.name), append(at, t.hash[:]...))
}

// forgetTokens removes up to limit tokens that are too old, and tells whether
// there may be more.
func forgetTokens(tx *writeTx, now time.Time, limit int) (more bool, err error) {
	cursor := tx.Bucket(tokenAgesBucket).Cursor()
	for aged, _ := cursor.First(); aged != nil && tokenAge(aged, now) > tokenLife; aged, _ = cursor.First() {
		if limit--; limit < 0 {
			return true, nil
		}
		tx.dirty = true
		tokens, name := tx.Bucket(tokensBucket), aged[8:]
		if stored := tokens.Get(name); stored != nil && bytes.Equal(stored[:8], aged[:8]) {
			if err := tokens.Delete(name); err != nil {
				return false, err
			}
		}
		if err := cursor.Delete(); err != nil {
			return false, err
		}
	}
	return false, nil
}
