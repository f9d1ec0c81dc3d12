package s3

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

const (
	maxPart     = 10_000
	minPartSize = 5 << 20 // bytes, of all parts but the last
)

// upload is a multipart upload that has begun.
type upload struct {
	Bucket   string            `json:"bucket"`
	Key      string            `json:"key"`
	Started  int64             `json:"started"`
	Headers  map[string]string `json:"headers,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

func (db *DB) createUpload(c *call) error {
	if err := c.checkKey(); err != nil {
		return err
	}
	headers, metadata, err := c.describe()
	if err != nil {
		return err
	}
	id := newID()
	err = db.change(func(tx *bolt.Tx) ([]string, error) {
		if _, err := bucketOf(tx, c.bucket); err != nil {
			return nil, err
		}
		return nil, putJSON(tx, uploadsBucket, []byte(id), upload{c.bucket, c.key, db.now().UnixMilli(), headers, metadata})
	})
	if err != nil {
		return err
	}
	return c.answerXML(struct {
		XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ InitiateMultipartUploadResult"`
		Bucket, Key, UploadId string
	}{Bucket: c.bucket, Key: c.key, UploadId: id})
}

// uploadOf reads the upload that a call names.
func (c *call) uploadOf(tx *bolt.Tx) (u upload, err error) {
	if _, err := bucketOf(tx, c.bucket); err != nil {
		return u, err
	}
	found, err := getJSON(tx, uploadsBucket, []byte(c.query.Get("uploadId")), &u)
	if err == nil && (!found || u.Bucket != c.bucket || u.Key != c.key) {
		return u, noSuchUpload()
	}
	return u, err
}

func partKey(upload string, number int) []byte {
	return binary.BigEndian.AppendUint16([]byte(upload+"\x00"), uint16(number))
}

// partsOf gives an upload's parts by number.
func partsOf(tx *bolt.Tx, upload string) (map[int]object, error) {
	parts := map[int]object{}
	prefix := []byte(upload + "\x00")
	cursor := tx.Bucket(partsBucket).Cursor()
	for key, value := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
		var o object
		if err := json.Unmarshal(value, &o); err != nil {
			return nil, err
		}
		parts[int(binary.BigEndian.Uint16(key[len(prefix):]))] = o
	}
	return parts, nil
}

func (db *DB) uploadPart(c *call) error {
	number, err := db.partNumber(c)
	if err != nil {
		return err
	}
	o, err := db.receive(c)
	if err != nil {
		return err
	}
	if err := db.putPart(c, number, o); err != nil {
		return err
	}
	c.showStored(o)
	return nil
}

// partNumber reads the number of the part that a call is about, of an upload that
// there is.
func (db *DB) partNumber(c *call) (int, error) {
	number, err := strconv.Atoi(c.query.Get("partNumber"))
	if err != nil || number < 1 || number > maxPart {
		return 0, invalidArgument("Part number must be an integer between 1 and %d, inclusive", maxPart)
	}
	return number, db.index.View(func(tx *bolt.Tx) error {
		_, err := c.uploadOf(tx)
		return err
	})
}

// putPart makes a part of a blob; where it can't be one, the blob is removed.
func (db *DB) putPart(c *call, number int, o object) error {
	err := db.change(func(tx *bolt.Tx) ([]string, error) {
		if _, err := c.uploadOf(tx); err != nil { // it may have ended meanwhile
			return nil, err
		}
		key := partKey(c.query.Get("uploadId"), number)
		var before object
		found, err := getJSON(tx, partsBucket, key, &before)
		if err != nil {
			return nil, err
		}
		var old []string
		if found {
			old = []string{before.Blob}
		}
		return old, putJSON(tx, partsBucket, key, o)
	})
	if err != nil {
		return errors.Join(err, removeBlob(db.blobPath(o.Blob)))
	}
	return nil
}

type completion struct {
	XMLName xml.Name `xml:"CompleteMultipartUpload"`
	Parts   []struct {
		PartNumber        int
		ETag              string
		ChecksumCRC32     string
		ChecksumCRC32C    string
		ChecksumCRC64NVME string
		ChecksumSHA1      string
		ChecksumSHA256    string
	} `xml:"Part"`
}

// choose gives the parts that a completion names, in order, and the ETag of the
// whole.
func (in completion) choose(parts map[int]object) (chosen []object, etag string, err error) {
	for i := 1; i < len(in.Parts); i++ {
		if in.Parts[i].PartNumber <= in.Parts[i-1].PartNumber {
			return nil, "", refuse(http.StatusBadRequest, "InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by part number.")
		}
	}
	sums := md5.New()
	for i, p := range in.Parts {
		o, found := parts[p.PartNumber]
		given := map[string]string{"CRC32": p.ChecksumCRC32, "CRC32C": p.ChecksumCRC32C, "CRC64NVME": p.ChecksumCRC64NVME, "SHA1": p.ChecksumSHA1, "SHA256": p.ChecksumSHA256}[o.Checksum.Algorithm]
		if !found || strings.Trim(p.ETag, `"`) != o.ETag || given != "" && given != o.Checksum.Value {
			return nil, "", refuse(http.StatusBadRequest, "InvalidPart", "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.")
		}
		if i < len(in.Parts)-1 && o.Size < minPartSize {
			return nil, "", refuse(http.StatusBadRequest, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
		}
		raw, err := hex.DecodeString(o.ETag)
		if err != nil {
			return nil, "", fmt.Errorf("s3: part %d: %w", p.PartNumber, err)
		}
		sums.Write(raw)
		chosen = append(chosen, o)
	}
	return chosen, fmt.Sprintf("%x-%d", sums.Sum(nil), len(chosen)), nil
}

func (db *DB) completeUpload(c *call) error {
	for algorithm := range hashes {
		if c.header("X-Amz-Checksum-"+algorithm) != "" {
			return notImplemented("the local endpoint compares the checksums of parts, not X-Amz-Checksum-%s of the whole", algorithm)
		}
	}
	doc, err := c.document()
	if err != nil {
		return err
	}
	var in completion
	if xml.Unmarshal(doc, &in) != nil || len(in.Parts) == 0 {
		return malformedXML()
	}
	o, err := db.join(c, in)
	if err != nil {
		return err
	}
	err = db.change(func(tx *bolt.Tx) ([]string, error) {
		if _, err := c.uploadOf(tx); err != nil { // another call may have ended it
			return nil, err
		}
		old, err := replace(tx, c.bucket, c.key, o, conditionsOf(c.r.Header, ""))
		if err != nil {
			return nil, err
		}
		if err := db.happened(tx, c, "ObjectCreated:CompleteMultipartUpload", c.key, &o); err != nil {
			return nil, err
		}
		parts, err := end(tx, c.query.Get("uploadId"))
		return append(old, parts...), err
	})
	if err != nil {
		return errors.Join(err, removeBlob(db.blobPath(o.Blob)))
	}
	return c.answerXML(struct {
		XMLName                     xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CompleteMultipartUploadResult"`
		Location, Bucket, Key, ETag string
	}{Location: "http://" + c.r.Host + c.r.URL.EscapedPath(), Bucket: c.bucket, Key: c.key, ETag: quote(o.ETag)})
}

// join makes one blob of the parts that a completion names.
func (db *DB) join(c *call, in completion) (o object, err error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var u upload
	var parts map[int]object
	err = db.index.View(func(tx *bolt.Tx) (err error) {
		if u, err = c.uploadOf(tx); err != nil {
			return err
		}
		parts, err = partsOf(tx, c.query.Get("uploadId"))
		return err
	})
	if err != nil {
		return o, err
	}
	chosen, etag, err := in.choose(parts)
	if err != nil {
		return o, err
	}
	o = object{ETag: etag, Modified: db.now().UnixMilli(), Headers: u.Headers, Metadata: u.Metadata}
	var bodies []io.Reader
	for _, part := range chosen {
		f, err := os.Open(db.blobPath(part.Blob))
		if err != nil {
			return o, err
		}
		defer func() { _ = f.Close() }() // it was only read
		bodies = append(bodies, f)
		o.Size += part.Size
	}
	o.Blob, _, err = db.duplicate(bodies...)
	return o, err
}

// end removes an upload's entries and gives its blobs.
func end(tx *bolt.Tx, id string) ([]string, error) {
	parts, err := partsOf(tx, id)
	if err != nil {
		return nil, err
	}
	var blobs []string
	for number, o := range parts {
		blobs = append(blobs, o.Blob)
		if err := tx.Bucket(partsBucket).Delete(partKey(id, number)); err != nil {
			return nil, err
		}
	}
	return blobs, tx.Bucket(uploadsBucket).Delete([]byte(id))
}

func (db *DB) abortUpload(c *call) error {
	err := db.change(func(tx *bolt.Tx) ([]string, error) {
		if _, err := c.uploadOf(tx); err != nil {
			return nil, err
		}
		return end(tx, c.query.Get("uploadId"))
	})
	if err == nil {
		c.w.WriteHeader(http.StatusNoContent)
	}
	return err
}
