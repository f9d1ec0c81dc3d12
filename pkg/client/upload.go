package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// An upload is where and how to put an object.
type upload struct {
	Key       string            `json:"key"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt time.Time         `json:"expires_at"`
}

// Upload puts an image where jobs can read it, and gives its key. It asks the API
// where, and then sends the bytes to object storage.
func (c *Client) Upload(ctx context.Context, contentType string, data []byte) (key string, err error) {
	body, err := json.Marshal(map[string]any{"content_type": contentType, "bytes": len(data)})
	if err != nil {
		return "", fmt.Errorf("client: asking for an upload: %w", err)
	}
	header := c.header()
	header.Set("Content-Type", "application/json")
	a, err := c.do(ctx, call{
		method: http.MethodPost, url: c.base + "/uploads",
		header: header, body: body, done: is(http.StatusCreated),
	})
	if err != nil {
		return "", err
	}
	var u upload
	if err := json.Unmarshal(a.body, &u); err != nil {
		return "", fmt.Errorf("client: reading where to upload: %w", err)
	}
	put := http.Header{}
	for name, value := range u.Headers {
		put.Set(name, value)
	}
	if _, err := c.do(ctx, call{method: http.MethodPut, url: u.URL, header: put, body: data, done: written, again: writing}); err != nil {
		return "", fmt.Errorf("client: uploading %s: %w", u.Key, err)
	}
	return u.Key, nil
}

// written tells whether the object is there. The key can be written once: when a
// repeated PUT finds it taken, the one before was applied and its answer lost.
func written(status, attempt int) bool {
	return status == http.StatusOK || status == http.StatusPreconditionFailed && attempt > 1
}

// writing tells whether the PUT before may still be under way: S3 then answers
// ConditionalRequestConflict, and is to be asked again.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
func writing(status int) bool { return status == http.StatusConflict }
