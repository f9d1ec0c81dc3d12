package awsjson

import (
	"context"
	"encoding/json"
	"net/http"
)

// Handle makes an Operation of a function with typed input and output. A body
// that is not such a document is refused as a SerializationException; an empty
// body is an empty document. A nil output is answered as {}.
func Handle[In, Out any](f func(context.Context, *In) (*Out, error)) Operation {
	return func(ctx context.Context, body []byte) (any, error) {
		in := new(In)
		if len(body) > 0 {
			if err := json.Unmarshal(body, in); err != nil {
				return nil, Errorf("SerializationException", "the request is not what the operation takes: %v", err)
			}
		}
		out, err := f(ctx, in)
		if err != nil || out == nil {
			return nil, err
		}
		return out, nil
	}
}

type baseURLKey struct{}

// withBaseURL keeps the address by which the client reached the endpoint.
func withBaseURL(r *http.Request) context.Context {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return context.WithValue(r.Context(), baseURLKey{}, scheme+r.Host)
}

// BaseURL gives the address by which the client of the present call reached
// the endpoint ("http://127.0.0.1:4566"), or "" outside of a call.
func BaseURL(ctx context.Context) string {
	base, _ := ctx.Value(baseURLKey{}).(string)
	return base
}
