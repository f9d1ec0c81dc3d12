package ddb

// MaxItemSize is the largest item in bytes, as Size counts: 400 KB.
const MaxItemSize = 400 << 10

// MaxDepth is how many levels of lists and maps may lie inside one another.
const MaxDepth = 32

// Size counts an item's bytes as DynamoDB does: names and values, with its
// overheads for numbers, lists and maps.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func (item Item) Size() int {
	size := 0
	for name, value := range item {
		size += len(name) + value.Size()
	}
	return size
}

// Size counts a value's bytes as DynamoDB does.
func (v Value) Size() int {
	switch v.kind {
	case KindN:
		size := 1 + (len(v.text)+1)/2
		if v.flag {
			size++
		}
		return size
	case KindBOOL, KindNULL:
		return 1
	case KindL:
		size := 3
		for _, member := range v.list {
			size += 1 + member.Size()
		}
		return size
	case KindM:
		return 3 + len(v.fields) + v.fields.Size()
	case KindSS, KindNS, KindBS:
		size := 0
		for _, member := range v.list {
			size += member.Size()
		}
		return size
	default:
		return len(v.text)
	}
}

// Depth is how many levels of lists and maps lie inside a value: 0 for a
// scalar or a set, 1 for an empty list.
func (v Value) Depth() int {
	depth := 0
	for _, member := range v.fields {
		depth = max(depth, member.Depth())
	}
	if v.kind == KindL {
		for _, member := range v.list {
			depth = max(depth, member.Depth())
		}
	}
	if v.kind == KindL || v.kind == KindM {
		depth++
	}
	return depth
}
