package s3

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Check values of the algorithms over "123456789".
func TestChecksums(t *testing.T) {
	for algorithm, want := range map[string]string{"CRC32": "cbf43926", "CRC32C": "e3069283", "CRC64NVME": "ae8b14860a799888", "SHA1": "f7c3bc1d808e04732adf679965ccc34ca7ae3441"} {
		sum := hashes[algorithm]()
		sum.Write([]byte("123456789"))
		equal(t, algorithm, hex.EncodeToString(sum.Sum(nil)), want)
	}
}

func TestSDKChecksums(t *testing.T) {
	s := open(t)
	for _, algorithm := range []types.ChecksumAlgorithm{"CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"} {
		key := string(algorithm)
		if _, err := s.put(key, "hello", func(in *client.PutObjectInput) { in.ChecksumAlgorithm = algorithm }); err != nil {
			t.Errorf("%s: %v", algorithm, err)
			continue
		}
		equal(t, key, s.body(key), "hello") // the SDK compares the checksum
		head, err := s.HeadObject(t.Context(), &client.HeadObjectInput{Bucket: data, Key: &key, ChecksumMode: "ENABLED"})
		if err != nil {
			t.Fatal(err)
		}
		shown := map[types.ChecksumAlgorithm]*string{"CRC32": head.ChecksumCRC32, "CRC32C": head.ChecksumCRC32C, "CRC64NVME": head.ChecksumCRC64NVME, "SHA1": head.ChecksumSHA1, "SHA256": head.ChecksumSHA256}
		if aws.ToString(shown[algorithm]) == "" {
			t.Errorf("%s is not shown", algorithm)
		}
	}
}

func crc(body string) string {
	sum := hashes["CRC32"]()
	sum.Write([]byte(body))
	return base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

func TestBodiesAreVerified(t *testing.T) {
	s := open(t)
	chunked := http.Header{"X-Amz-Content-Sha256": {"STREAMING-UNSIGNED-PAYLOAD-TRAILER"}, "X-Amz-Trailer": {"x-amz-checksum-crc32"}, "X-Amz-Decoded-Content-Length": {"5"}, "Content-Encoding": {"aws-chunked,gzip"}}
	chunks := func(body, trailer string) string {
		return fmt.Sprintf("%x\r\n%s\r\n%x;chunk-signature=0\r\n%s\r\n0\r\n%s\r\n", 2, body[:2], len(body)-2, body[2:], trailer)
	}
	right := "x-amz-checksum-crc32:" + crc("hello") + "\r\n"
	for name, c := range map[string]struct {
		header http.Header
		body   string
		code   string
	}{
		"Content-MD5":           {http.Header{"Content-Md5": {"XUFAKrxLKna5cZ2REBfFkg=="}}, "hello", ""},
		"wrong Content-MD5":     {http.Header{"Content-Md5": {"XUFAKrxLKna5cZ2REBfFkg=="}}, "hallo", "BadDigest"},
		"no Content-MD5 at all": {http.Header{"Content-Md5": {"x"}}, "hello", "InvalidDigest"},
		"checksum":              {http.Header{"X-Amz-Checksum-Crc32": {crc("hello")}}, "hello", ""},
		"wrong checksum":        {http.Header{"X-Amz-Checksum-Crc32": {crc("hallo")}}, "hello", "BadDigest"},
		"two checksums":         {http.Header{"X-Amz-Checksum-Crc32": {crc("hello")}, "X-Amz-Checksum-Sha1": {"x"}}, "hello", "InvalidRequest"},
		"wrong payload hash":    {http.Header{"X-Amz-Content-Sha256": {strings.Repeat("0", 64)}}, "hello", "XAmzContentSHA256Mismatch"},
		"chunked":               {chunked, chunks("hello", right), ""},
		"chunked, wrong sum":    {chunked, chunks("hallo", right), "BadDigest"},
		"chunked, no trailer":   {chunked, chunks("hello", ""), "MalformedTrailerError"},
		"chunked, too long":     {chunked, chunks("hello!", right), "IncompleteBody"},
		"chunked, cut":          {chunked, chunks("hello", right)[:9], "IncompleteBody"},
		"chunked, not at all":   {chunked, "hello\r\n", "InvalidRequest"},
	} {
		t.Run(name, func(t *testing.T) {
			h := c.header.Clone()
			signed(h)
			status, _, body := s.raw("PUT", "/data/"+strings.ReplaceAll(name, " ", "-"), c.body, h)
			if c.code == "" && status != 200 || c.code != "" && !strings.Contains(body, "<Code>"+c.code+"</Code>") && !(c.code == "IncompleteBody" && strings.Contains(body, "InvalidRequest")) {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	equal(t, "decoded", s.body("chunked"), "hello")
	head, err := s.HeadObject(t.Context(), &client.HeadObjectInput{Bucket: data, Key: aws.String("chunked")})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "encoding without aws-chunked", *head.ContentEncoding, "gzip")
	equal(t, "blobs of refused bodies", blobs(t, s.db), 3)
}

func FuzzChunks(f *testing.F) {
	f.Add("5\r\nhello\r\n0\r\n\r\n")
	f.Add("2;chunk-signature=0\r\nhe\r\n3\r\nllo\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n")
	f.Add("ffffffffffffffff\r\n")
	f.Add("-1\r\n")
	f.Fuzz(func(t *testing.T, encoded string) {
		c := newChunkReader(strings.NewReader(encoded))
		var decoded []byte
		buffer := make([]byte, 7)
		for range 10 * (len(encoded) + 2) {
			n, err := c.Read(buffer)
			decoded = append(decoded, buffer[:n]...)
			if err == nil {
				continue
			}
			if c.done != (err.Error() == "EOF") {
				t.Errorf("done %v, error %v", c.done, err)
			}
			if len(decoded) > len(encoded) {
				t.Errorf("%d bytes out of %d", len(decoded), len(encoded))
			}
			return
		}
		t.Error("it does not end")
	})
}

func FuzzChunksRoundTrip(f *testing.F) {
	f.Add("hello world", 3)
	f.Fuzz(func(t *testing.T, body string, size int) {
		size = max(size%64, 1)
		var encoded strings.Builder
		for rest := body; rest != ""; {
			n := min(size, len(rest))
			fmt.Fprintf(&encoded, "%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		encoded.WriteString("0\r\nx-trailer: v\r\n\r\n")
		c := newChunkReader(strings.NewReader(encoded.String()))
		var out strings.Builder
		buffer := make([]byte, 5)
		for {
			n, err := c.Read(buffer)
			out.Write(buffer[:n])
			if err != nil {
				break
			}
		}
		if out.String() != body || !c.done || c.trailer.Get("X-Trailer") != "v" {
			t.Errorf("got %q of %q", out.String(), body)
		}
	})
}
