// Package s3 is a local Amazon S3: buckets and objects in a folder, behind the
// REST protocol of the AWS SDKs, with the calls that are used here.
//
// Presigned URLs are verified as S3 verifies them: signature, expiry, and the
// headers that were signed. A request that is signed in its header is let in
// whatever its signature, one that is not signed is refused. CORS rules and
// conditional writes are evaluated. What happens to objects is told to the queues and
// functions that the bucket's notification configuration names. Everything else (versions, access lists,
// lifecycles, encryption with own keys …) is refused as NotImplemented.
//
// It follows https://docs.aws.amazon.com/AmazonS3/latest/API/. What is stored
// survives the death of the process, not the loss of power.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// DefaultSecret is the secret access key with which presigned URLs are signed
// unless a Config names another.
const DefaultSecret = "test"

// Config sets a DB up.
type Config struct {
	// Dir is the folder; it is made if it isn't there. Required.
	Dir string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Signed gives what the clock showed at the time in a signature, which is the
	// machine's; nil means that time itself.
	Signed func(machine time.Time) time.Time
	// Region is where buckets are; "" means us-east-1.
	Region string
	// Secret is the secret access key of whoever presigns URLs; "" means
	// DefaultSecret. The access key id may be any.
	Secret string
	// Send sends a message to the queue with an ARN, and Invoke hands an event to the
	// function with an ARN, asynchronously, and calls concluded when it has come to its
	// end. Where there is none they wrap ErrNoTarget. Without them nobody can be
	// notified.
	Send   func(ctx context.Context, queueARN, body string) error
	Invoke func(ctx context.Context, functionARN string, payload []byte, concluded func()) error
	// Hold keeps the clock at the machine's pace until release is called, while there
	// is somebody to be told; nil does nothing.
	Hold func() (release func())
	// Log is told of events that could not be delivered; nil means nobody.
	Log func(message string)
}

// A DB holds buckets. It is an http.Handler, safe for concurrent use. No
// http.ServeMux may stand before it: that would clean the paths, which are keys.
type DB struct {
	cfg   Config
	index *bolt.DB

	// mu keeps blobs in step with the index: held for writing while an entry
	// changes and its old blob is removed, for reading while a blob is opened.
	mu sync.RWMutex

	messenger *messenger
}

// Open opens the folder, and removes what calls left there that did not come to
// their end.
func Open(cfg Config) (*DB, error) {
	if cfg.Dir == "" {
		return nil, errors.New("s3: configuration: Dir is missing")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Signed == nil {
		cfg.Signed = func(machine time.Time) time.Time { return machine }
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	if cfg.Secret == "" {
		cfg.Secret = DefaultSecret
	}
	if cfg.Hold == nil {
		cfg.Hold = func() func() { return func() {} }
	}
	db := &DB{cfg: cfg}
	db.messenger = newMessenger(db)
	if err := db.load(); err != nil {
		return nil, fmt.Errorf("s3: opening %s: %w", cfg.Dir, err)
	}
	return db, nil
}

// Close ends the notifications and closes the index. Calls must have ended.
func (db *DB) Close() error {
	db.messenger.close()
	if err := db.index.Close(); err != nil {
		return fmt.Errorf("s3: closing %s: %w", db.cfg.Dir, err)
	}
	return nil
}

// A call is one request, taken apart.
type call struct {
	w http.ResponseWriter
	r *http.Request
	target
	operation string
	query     url.Values
	presigned bool
}

var operations = map[string]func(*DB, *call) error{
	"ListBuckets": (*DB).listBuckets, "CreateBucket": (*DB).createBucket, "HeadBucket": (*DB).headBucket,
	"DeleteBucket": (*DB).deleteBucket, "GetBucketLocation": (*DB).getBucketLocation,
	"PutBucketCors": (*DB).putBucketCORS, "GetBucketCors": (*DB).getBucketCORS, "DeleteBucketCors": (*DB).deleteBucketCORS,
	"ListObjectsV2": (*DB).listObjects, "DeleteObjects": (*DB).deleteObjects,
	"PutObject": (*DB).putObject, "CopyObject": (*DB).copyObject, "GetObject": (*DB).getObject, "HeadObject": (*DB).getObject,
	"DeleteObject": (*DB).deleteObject, "CreateMultipartUpload": (*DB).createUpload, "UploadPart": (*DB).uploadPart,
	"CompleteMultipartUpload": (*DB).completeUpload, "AbortMultipartUpload": (*DB).abortUpload, "ListParts": (*DB).listParts,
	"UploadPartCopy": (*DB).copyPart, "ListMultipartUploads": (*DB).listUploads,
	"PutBucketNotificationConfiguration": (*DB).putNotifications, "GetBucketNotificationConfiguration": (*DB).getNotifications,
}

// maxDrain is how much of a refused upload is read, in bytes, so that the client
// gets to read the refusal.
const maxDrain = 64 << 20

// ServeHTTP answers one call.
func (db *DB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{w: w, r: r, target: targetOf(r), operation: Operation(r), query: r.URL.Query()}
	w.Header().Set("Server", "AmazonS3")
	w.Header().Set("X-Amz-Request-Id", newID())
	if err := db.answer(c); err != nil {
		_, _ = io.CopyN(io.Discard, r.Body, maxDrain) // best effort, see maxDrain
		c.fail(err)
	}
}

func (db *DB) answer(c *call) error {
	if c.r.Method == http.MethodOptions {
		return db.preflight(c)
	}
	if err := db.allowOrigin(c); err != nil {
		return err
	}
	if err := db.authorize(c); err != nil {
		return err
	}
	run, ok := operations[c.operation]
	if !ok {
		return notImplemented("the local endpoint does not support the operation %s", c.operation)
	}
	if err := c.checkFeatures(); err != nil {
		return err
	}
	return run(db, c)
}

// header gives a request header. S3 takes x-amz- headers of a presigned URL from
// its query as well.
func (c *call) header(name string) string {
	if value := c.r.Header.Get(name); value != "" || !c.presigned {
		return value
	}
	if !strings.HasPrefix(strings.ToLower(name), "x-amz-") {
		return ""
	}
	for key, values := range c.query {
		if strings.EqualFold(key, name) {
			return values[0]
		}
	}
	return ""
}

// unsupportedHeaders name features that would be lost without a word.
var unsupportedHeaders = []string{
	"X-Amz-Tagging", "X-Amz-Object-Lock-Mode", "X-Amz-Object-Lock-Legal-Hold", "X-Amz-Object-Lock-Retain-Until-Date", "X-Amz-Website-Redirect-Location",
	"X-Amz-Server-Side-Encryption-Customer-Algorithm", "X-Amz-Copy-Source-Server-Side-Encryption-Customer-Algorithm",
	"X-Amz-Write-Offset-Bytes", "X-Amz-Grant-Read", "X-Amz-Grant-Write", "X-Amz-Grant-Full-Control", "X-Amz-Grant-Read-Acp", "X-Amz-Grant-Write-Acp",
	"X-Amz-Mfa", "X-Amz-Bucket-Object-Lock-Enabled", "X-Amz-Rename-Source",
}

func (c *call) checkFeatures() error {
	for _, name := range unsupportedHeaders {
		if c.header(name) != "" {
			return notImplemented("the local endpoint does not support the header %s of %s", name, c.operation)
		}
	}
	for name, allowed := range map[string]string{"X-Amz-Acl": "private", "X-Amz-Storage-Class": "STANDARD", "X-Amz-Server-Side-Encryption": "AES256"} {
		if value := c.header(name); value != "" && value != allowed {
			return notImplemented("the local endpoint supports %s: %s only", name, allowed)
		}
	}
	return nil
}

func (db *DB) now() time.Time { return db.cfg.Now().UTC() }

func removeBlob(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
