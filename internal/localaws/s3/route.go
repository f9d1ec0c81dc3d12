package s3

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// A target is what a request is about; key is "" for a bucket, both are for the
// service.
type target struct{ bucket, key string }

// targetOf reads both styles: /bucket/key, and /key at bucket.localhost or
// bucket.s3.localhost.
func targetOf(r *http.Request) target {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if bucket := hostBucket(r.Host); bucket != "" {
		return target{bucket, path}
	}
	bucket, key, _ := strings.Cut(path, "/")
	return target{bucket, key}
}

func hostBucket(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	bucket, ok := strings.CutSuffix(host, ".localhost")
	if !ok || bucket == "s3" {
		return ""
	}
	return strings.TrimSuffix(bucket, ".s3")
}

// subresources change what a request means. Their order is that of precedence.
var subresources = []string{
	"accelerate", "acl", "analytics", "attributes", "cors", "delete", "encryption", "intelligent-tiering", "inventory", "legal-hold",
	"lifecycle", "location", "logging", "metadataConfiguration", "metadataInventoryTable", "metadataJournalTable", "metadataTable", "metrics",
	"notification", "object-lock", "ownershipControls", "policy", "policyStatus", "publicAccessBlock", "renameObject", "replication",
	"requestPayment", "restore", "retention", "select", "session", "tagging", "torrent", "uploads", "uploadId", "versioning", "versions", "website",
}

// verbs name operations on sub-resources that have no name of their own.
var verbs = map[string]string{"GET": "Get", "PUT": "Put", "DELETE": "Delete", "POST": "Post", "HEAD": "Head", "OPTIONS": "Options"}

var plainOperations = map[string]string{
	"GET service": "ListBuckets", "PUT bucket": "CreateBucket", "HEAD bucket": "HeadBucket", "DELETE bucket": "DeleteBucket", "GET bucket": "ListObjects",
	"POST bucket": "PostObject", "POST bucket?delete": "DeleteObjects", "GET bucket?uploads": "ListMultipartUploads", "GET bucket?versions": "ListObjectVersions",
	"PUT object": "PutObject", "GET object": "GetObject", "HEAD object": "HeadObject", "DELETE object": "DeleteObject",
	"POST object?uploads": "CreateMultipartUpload", "PUT object?uploadId": "UploadPart", "POST object?uploadId": "CompleteMultipartUpload",
	"PUT bucket?notification": "PutBucketNotificationConfiguration", "GET bucket?notification": "GetBucketNotificationConfiguration",
	"DELETE object?uploadId": "AbortMultipartUpload", "GET object?uploadId": "ListParts",
}

// Operation gives the name of the operation that a request calls, by AWS's names
// ("PutObject"); "Preflight" for a browser's question.
func Operation(r *http.Request) string {
	if r.Method == http.MethodOptions {
		return "Preflight"
	}
	t, query := targetOf(r), r.URL.Query()
	level, title := "object", "Object"
	switch {
	case t.bucket == "":
		level, title = "service", "Service"
	case t.key == "":
		level, title = "bucket", "Bucket"
	}
	i := slices.IndexFunc(subresources, query.Has)
	if level == "bucket" && r.Method == http.MethodGet && i < 0 && query.Get("list-type") == "2" {
		return "ListObjectsV2"
	}
	name := r.Method + " " + level
	if i >= 0 {
		name += "?" + subresources[i]
	}
	operation, known := plainOperations[name]
	if !known && i >= 0 {
		s := subresources[i]
		return verbs[r.Method] + title + strings.ToUpper(s[:1]) + s[1:]
	}
	switch {
	case !known:
		return r.Method + title
	case query.Has("versionId") && query.Get("versionId") != "null":
		return operation + "Version"
	case query.Has("partNumber") && operation != "UploadPart":
		return operation + "Part"
	case r.Header.Get("X-Amz-Copy-Source") == "":
		return operation
	case operation == "PutObject":
		return "CopyObject"
	case operation == "UploadPart":
		return "UploadPartCopy"
	}
	return operation
}
