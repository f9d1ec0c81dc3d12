package s3

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// maxChunkLine is the longest line between chunks, in bytes.
const maxChunkLine = 4096

var errChunk = errors.New("malformed aws-chunked body")

// A chunkReader decodes a body in AWS's chunked encoding: chunks of
// "size[;chunk-signature=…]", CRLF, data, CRLF, and headers behind the empty
// chunk. Signatures of chunks are not verified. See
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html.
type chunkReader struct {
	r       *bufio.Reader
	left    int64 // of the present chunk
	done    bool
	trailer http.Header
}

func newChunkReader(r io.Reader) *chunkReader {
	return &chunkReader{r: bufio.NewReaderSize(r, maxChunkLine), trailer: http.Header{}}
}

// Read gives the data of the chunks; io.EOF only after a proper end.
func (c *chunkReader) Read(b []byte) (int, error) {
	if c.done {
		return 0, io.EOF
	}
	if c.left == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
		if c.done {
			return 0, io.EOF
		}
	}
	n, err := c.r.Read(b[:min(int64(len(b)), c.left)])
	c.left -= int64(n)
	if c.left == 0 && err == nil {
		err = c.crlf()
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// next reads a chunk's head, and what is behind the last chunk.
func (c *chunkReader) next() error {
	line, err := c.line()
	if err != nil {
		return err
	}
	size, _, _ := strings.Cut(line, ";")
	c.left, err = strconv.ParseInt(size, 16, 63)
	if err != nil || c.left < 0 || strings.HasPrefix(size, "+") {
		return fmt.Errorf("%w: chunk size %q", errChunk, size)
	}
	if c.left > 0 {
		return nil
	}
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		if line == "" {
			c.done = true
			return nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("%w: trailer %q", errChunk, line)
		}
		c.trailer.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
}

func (c *chunkReader) crlf() error {
	line, err := c.line()
	if err == nil && line != "" {
		err = fmt.Errorf("%w: no line end behind a chunk", errChunk)
	}
	return err
}

func (c *chunkReader) line() (string, error) {
	line, err := c.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("%w: a line of more than %d bytes", errChunk, maxChunkLine)
	case errors.Is(err, io.EOF):
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	text, ok := strings.CutSuffix(string(line), "\r\n")
	if !ok {
		return "", fmt.Errorf("%w: a line without CRLF", errChunk)
	}
	return text, nil
}
