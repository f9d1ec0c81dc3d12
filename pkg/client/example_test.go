package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/nightshift-go/nightshift/pkg/client"
)

func Example() {
	// Stands for the API.
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"id":"7","task":"photo.resize","state":"queued"}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":"7","task":"photo.resize","state":"done","result":{"sizes":4}}`)
	}))
	defer api.Close()

	ctx := context.Background()
	c, err := client.New(client.Config{URL: api.URL})
	if err != nil {
		panic(err)
	}
	j, err := c.Enqueue(ctx, "photo.resize", map[string]string{"key": "uploads/everyone/1"})
	if err != nil {
		panic(err)
	}
	j, err = c.Wait(ctx, j.ID)
	fmt.Println(j.State, string(j.Result), err)
	// Output: done {"sizes":4} <nil>
}
