package s3

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"net/http"
	"strings"
)

// A checksum is one that a client gave and that was found right.
type checksum struct {
	Algorithm string `json:"algorithm,omitempty"` // "CRC32"
	Value     string `json:"value,omitempty"`     // base64
}

func (c checksum) header() string { return "X-Amz-Checksum-" + c.Algorithm }

// hashes are the algorithms of
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html.
var hashes = map[string]func() hash.Hash{
	"CRC32":     func() hash.Hash { return crc32.NewIEEE() },
	"CRC32C":    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	"CRC64NVME": func() hash.Hash { return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5)) },
	"SHA1":      sha1.New,
	"SHA256":    sha256.New,
}

// A verifier computes the digests of a body, and compares what was promised.
type verifier struct {
	md5       hash.Hash
	sha256    hash.Hash // nil if x-amz-content-sha256 has no digest
	other     hash.Hash // nil without a checksum
	algorithm string
	promised  struct{ md5, sha256, other string }
}

// verifierOf reads what a request promises of its body. A checksum that comes in
// a trailer is asked for in the end.
func verifierOf(c *call) (*verifier, error) {
	v := &verifier{md5: md5.New()}
	if promised := c.header("Content-Md5"); promised != "" {
		if raw, err := base64.StdEncoding.DecodeString(promised); err != nil || len(raw) != md5.Size {
			return nil, refuse(http.StatusBadRequest, "InvalidDigest", "The Content-MD5 you specified is not valid.")
		}
		v.promised.md5 = promised
	}
	if promised := c.header("X-Amz-Content-Sha256"); len(promised) == sha256.Size*2 {
		v.sha256, v.promised.sha256 = sha256.New(), promised
	}
	trailer := strings.ToUpper(c.header("X-Amz-Trailer"))
	for algorithm, make := range hashes {
		value := c.header("X-Amz-Checksum-" + algorithm)
		if value == "" && trailer != "X-AMZ-CHECKSUM-"+algorithm {
			continue
		}
		if v.other != nil {
			return nil, refuse(http.StatusBadRequest, "InvalidRequest", "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.")
		}
		v.algorithm, v.other, v.promised.other = algorithm, make(), value
	}
	return v, nil
}

// Write takes a part of the body.
func (v *verifier) Write(b []byte) (int, error) {
	v.md5.Write(b)
	if v.sha256 != nil {
		v.sha256.Write(b)
	}
	if v.other != nil {
		v.other.Write(b)
	}
	return len(b), nil
}

// finish compares, and gives the ETag and the checksum. trailer has the headers
// that came behind the body.
func (v *verifier) finish(trailer http.Header) (etag string, sum checksum, err error) {
	raw := v.md5.Sum(nil)
	if v.promised.md5 != "" && v.promised.md5 != base64.StdEncoding.EncodeToString(raw) {
		return "", sum, refuse(http.StatusBadRequest, "BadDigest", "The Content-MD5 you specified did not match what we received.")
	}
	if v.sha256 != nil && v.promised.sha256 != hex.EncodeToString(v.sha256.Sum(nil)) {
		return "", sum, refuse(http.StatusBadRequest, "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed.")
	}
	if v.other != nil {
		sum = checksum{v.algorithm, base64.StdEncoding.EncodeToString(v.other.Sum(nil))}
		promised := v.promised.other
		if promised == "" {
			promised = trailer.Get(sum.header())
		}
		if promised == "" {
			return "", sum, refuse(http.StatusBadRequest, "MalformedTrailerError", "The request contained trailing data that was not well-formed or did not conform to our published schema.")
		}
		if promised != sum.Value {
			return "", sum, refuse(http.StatusBadRequest, "BadDigest", "The %s you specified did not match the calculated checksum.", v.algorithm)
		}
	}
	return hex.EncodeToString(raw), sum, nil
}
