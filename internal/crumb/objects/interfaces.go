package objects

import "context"

// A Getter reads objects; *Objects is one.
type Getter interface {
	// Get reads an object of at most limit bytes and gives its content type. It
	// fails with ErrMissing or ErrTooLarge where that is the reason.
	Get(ctx context.Context, key string, limit int64) (data []byte, contentType string, err error)
}

// A GetPutter reads and writes objects, whole; *Objects is one.
type GetPutter interface {
	Getter
	// Put writes an object, over one of the same key if need be.
	Put(ctx context.Context, key string, data []byte, contentType, cacheControl string) error
}
