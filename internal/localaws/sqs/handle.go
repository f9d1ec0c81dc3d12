package sqs

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strconv"
)

// A receipt handle names one receive of one message: the queue, the message and
// a number drawn at that receive.
type handle struct {
	queue uint32
	seq   uint64
	nonce uint64
}

const handleSize = 4 + 8 + 8 + 4 // and a checksum

// queueKey ties handles to one life of one queue.
func queueKey(name string, created int64) uint32 {
	return crc32.ChecksumIEEE([]byte(name + "@" + strconv.FormatInt(created, 10)))
}

func (h handle) String() string {
	b := make([]byte, 0, handleSize)
	b = binary.BigEndian.AppendUint32(b, h.queue)
	b = binary.BigEndian.AppendUint64(b, h.seq)
	b = binary.BigEndian.AppendUint64(b, h.nonce)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseHandle reads what String wrote and nothing else.
func parseHandle(s string) (handle, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != handleSize {
		return handle{}, false
	}
	h := handle{
		queue: binary.BigEndian.Uint32(b),
		seq:   binary.BigEndian.Uint64(b[4:]),
		nonce: binary.BigEndian.Uint64(b[12:]),
	}
	if binary.BigEndian.Uint32(b[20:]) != crc32.ChecksumIEEE(b[:20]) || h.String() != s {
		return handle{}, false
	}
	return h, true
}
