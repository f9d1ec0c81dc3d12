package s3

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

func (db *DB) copyObject(c *call) error {
	if err := c.checkKey(); err != nil {
		return err
	}
	from, err := copySource(c.r.Header.Get("X-Amz-Copy-Source"))
	if err != nil {
		return err
	}
	directive := c.header("X-Amz-Metadata-Directive")
	if directive != "" && directive != "COPY" && directive != "REPLACE" {
		return invalidArgument("Unknown metadata directive.")
	}
	if from == c.target && directive != "REPLACE" {
		return refuse(http.StatusBadRequest, "InvalidRequest", "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.")
	}
	source, f, err := db.open(from.bucket, from.key)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := conditionsOf(c.r.Header, "X-Amz-Copy-Source-").forCopy(source); err != nil {
		return err
	}
	o := *source
	if directive == "REPLACE" {
		if o.Headers, o.Metadata, err = c.describe(); err != nil {
			return err
		}
	}
	if o.Blob, o.ETag, err = db.duplicate(f); err != nil {
		return err
	}
	o.Modified = db.now().UnixMilli()
	if err := db.commit(c, "ObjectCreated:Copy", o); err != nil {
		return err
	}
	return c.answerXML(struct {
		XMLName      xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CopyObjectResult"`
		ETag         string
		LastModified string
	}{ETag: quote(o.ETag), LastModified: timestamp(o.Modified)})
}

// copySource reads bucket/key, with or without a slash before, percent-encoded.
func copySource(header string) (target, error) {
	path, version, _ := strings.Cut(header, "?")
	if version != "" && version != "versionId=null" {
		return target{}, notImplemented("the local endpoint has no versions")
	}
	path, err := url.PathUnescape(path)
	bucket, key, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if err != nil || !ok || bucket == "" || key == "" {
		return target{}, invalidArgument("Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
	}
	return target{bucket, key}, nil
}

// duplicate copies bodies, one behind the other, into a new blob, and gives its
// ETag as well.
func (db *DB) duplicate(bodies ...io.Reader) (name, etag string, err error) {
	name, to, err := db.newBlob()
	if err != nil {
		return "", "", err
	}
	sum := md5.New()
	_, err = io.Copy(io.MultiWriter(to, sum), io.MultiReader(bodies...))
	if err = errors.Join(err, to.Close()); err != nil {
		return "", "", errors.Join(err, removeBlob(db.blobPath(name)))
	}
	return name, hex.EncodeToString(sum.Sum(nil)), nil
}
