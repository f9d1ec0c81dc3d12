package photos

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// A Hash is the SHA-256 of a photo's bytes, or of its pixels.
type Hash [32]byte

// String gives the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// A Blocked is a content that nobody may upload. Key: blocked#<hash>, "blocked".
// Operators write it, with scripts/block.
type Blocked struct {
	// Reason is for operators; uploaders are told that it is not allowed.
	Reason string `dynamodbav:"reason"`
}

// BlockedKey is where the row of a blocked content lies.
func BlockedKey(h Hash) rows.Key {
	return rows.Key{Partition: "blocked#" + h.String(), Sort: "blocked"}
}

// IsBlocked tells whether a content is on the block list.
func IsBlocked(ctx context.Context, table *rows.Table, h Hash) (bool, error) {
	_, blocked, err := rows.Get[Blocked](ctx, table, BlockedKey(h))
	if err != nil {
		return false, fmt.Errorf("photos: reading the block list: %w", err)
	}
	return blocked, nil
}

// Block puts a content on the block list, for a reason. Photos that were made
// before stay as they are.
func Block(ctx context.Context, table *rows.Table, h Hash, reason string) error {
	if reason == "" {
		return errors.New("photos: a content is blocked for a reason")
	}
	if err := table.Change().Put(BlockedKey(h), Blocked{Reason: reason}, "", nil).Apply(ctx); err != nil {
		return fmt.Errorf("photos: blocking %v: %w", h, err)
	}
	return nil
}

// Unblock takes a content off the block list; one that is not on it is no error.
func Unblock(ctx context.Context, table *rows.Table, h Hash) error {
	if err := table.Change().Delete(BlockedKey(h), "", nil).Apply(ctx); err != nil {
		return fmt.Errorf("photos: unblocking %v: %w", h, err)
	}
	return nil
}
