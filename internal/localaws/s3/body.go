package s3

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const (
	maxPut = 5 << 30 // bytes in one request
	maxDoc = 2 << 20 // bytes of an XML document
)

// receive writes a request's body to a blob and gives what is known of it. Any
// error leaves nothing behind.
func (db *DB) receive(c *call) (o object, err error) {
	verify, err := verifierOf(c)
	if err != nil {
		return o, err
	}
	body, size, trailer, err := c.body()
	if err != nil {
		return o, err
	}
	if size > maxPut {
		return o, refuse(http.StatusBadRequest, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
	}
	name, f, err := db.newBlob()
	if err != nil {
		return o, err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			err = errors.Join(err, removeBlob(db.blobPath(name)))
		}
	}()
	n, err := io.Copy(io.MultiWriter(f, verify), io.LimitReader(body, size+1))
	switch {
	case errors.Is(err, errChunk):
		return o, refuse(http.StatusBadRequest, "InvalidRequest", "%v", err)
	case errors.Is(err, io.ErrUnexpectedEOF) || err == nil && n != size:
		return o, refuse(http.StatusBadRequest, "IncompleteBody", "You did not provide the number of bytes specified by the Content-Length HTTP header")
	case err != nil:
		return o, err
	}
	etag, sum, err := verify.finish(trailer)
	return object{Blob: name, Size: n, ETag: etag, Checksum: sum, Modified: db.now().UnixMilli()}, err
}

// body gives the decoded body, its length, and where its trailer will be.
func (c *call) body() (io.Reader, int64, http.Header, error) {
	if !c.awsChunked() {
		if c.r.ContentLength < 0 {
			return nil, 0, nil, refuse(http.StatusLengthRequired, "MissingContentLength", "You must provide the Content-Length HTTP header.")
		}
		return c.r.Body, c.r.ContentLength, nil, nil
	}
	size, err := strconv.ParseInt(c.r.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64)
	if err != nil || size < 0 {
		return nil, 0, nil, refuse(http.StatusLengthRequired, "MissingContentLength", "You must provide the x-amz-decoded-content-length HTTP header.")
	}
	chunks := newChunkReader(c.r.Body)
	return chunks, size, chunks.trailer, nil
}

func (c *call) awsChunked() bool {
	return strings.HasPrefix(c.header("X-Amz-Content-Sha256"), "STREAMING-") || strings.Contains(c.r.Header.Get("Content-Encoding"), "aws-chunked")
}

// document reads and verifies a small XML body.
func (c *call) document() ([]byte, error) {
	verify, err := verifierOf(c)
	if err != nil {
		return nil, err
	}
	body, size, trailer, err := c.body()
	if err != nil {
		return nil, err
	}
	if size > maxDoc {
		return nil, refuse(http.StatusBadRequest, "MaxMessageLengthExceeded", "Your request was too big.")
	}
	doc, err := io.ReadAll(io.TeeReader(body, verify))
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "IncompleteBody", "reading the request: %v", err)
	}
	_, _, err = verify.finish(trailer)
	return doc, err
}

// storedHeaders are kept with an object and given back.
var storedHeaders = []string{"Content-Type", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Expires"}

const maxMetadata = 2048 // bytes of names and values

// describe reads what a request says of an object beside its body.
func (c *call) describe() (headers, metadata map[string]string, err error) {
	headers, metadata = map[string]string{}, map[string]string{}
	for _, name := range storedHeaders {
		if value := c.r.Header.Get(name); value != "" {
			headers[name] = value
		}
	}
	encodings := strings.Split(headers["Content-Encoding"], ",")
	kept := encodings[:0]
	for _, encoding := range encodings {
		if encoding = strings.TrimSpace(encoding); encoding != "" && encoding != "aws-chunked" {
			kept = append(kept, encoding)
		}
	}
	delete(headers, "Content-Encoding")
	if len(kept) > 0 {
		headers["Content-Encoding"] = strings.Join(kept, ",")
	}
	size := 0
	take := func(name string, values []string) {
		if key, ok := strings.CutPrefix(strings.ToLower(name), "x-amz-meta-"); ok {
			metadata[key] = strings.Join(values, ",")
			size += len(key) + len(metadata[key])
		}
	}
	for name, values := range c.r.Header {
		take(name, values)
	}
	if c.presigned {
		for name, values := range c.query {
			take(name, values)
		}
	}
	if size > maxMetadata {
		return nil, nil, refuse(http.StatusBadRequest, "MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size")
	}
	return headers, metadata, nil
}
