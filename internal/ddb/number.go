package ddb

import (
	"math/big"
	"strconv"
	"strings"
)

// The limits of a number: significant digits, and the decimal exponents of the
// largest (9.99…E+125) and the smallest (1E-130) magnitude.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
const (
	maxDigits   = 38
	maxExponent = 125
	minExponent = -130
)

// A Number is an exact decimal of up to 38 significant digits. The zero Number
// is 0. Numbers of equal value are equal (==).
type Number struct {
	negative bool
	// The value is 0.digits × 10^exp; digits neither begins nor ends with 0.
	exp    int16
	digits string
}

// ParseNumber reads decimal text such as "-1.50" or "1e2". It fails with a
// *ValidationError for other text and for numbers past the limits.
func ParseNumber(text string) (Number, error) {
	rest, negative := text, false
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		negative, rest = rest[0] == '-', rest[1:]
	}
	shift := 0
	if e := strings.IndexAny(rest, "eE"); e >= 0 {
		var err error
		if shift, err = strconv.Atoi(rest[e+1:]); err != nil || shift > 1<<20 || shift < -1<<20 {
			return Number{}, notANumber(text)
		}
		rest = rest[:e]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	digits := whole + fraction
	if digits == "" || !allDigits(digits) {
		return Number{}, notANumber(text)
	}
	return makeNumber(negative, digits, len(whole)+shift)
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

func notANumber(text string) error {
	return Invalidf("The parameter cannot be converted to a numeric value: %s", text)
}

// makeNumber normalises 0.digits × 10^exp and checks the limits.
func makeNumber(negative bool, digits string, exp int) (Number, error) {
	significant := strings.TrimLeft(digits, "0")
	exp -= len(digits) - len(significant)
	significant = strings.TrimRight(significant, "0")
	switch {
	case significant == "":
		return Number{}, nil
	case len(significant) > maxDigits:
		return Number{}, Invalidf("Attempting to store more than 38 significant digits in a Number")
	case exp-1 > maxExponent:
		return Number{}, Invalidf("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case exp-1 < minExponent:
		return Number{}, Invalidf("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	return Number{negative: negative, exp: int16(exp), digits: significant}, nil
}

// NumberOf makes a number from an integer.
func NumberOf(n int64) Number {
	text := strconv.FormatInt(n, 10)
	digits := strings.TrimPrefix(text, "-")
	number, err := makeNumber(n < 0, digits, len(digits))
	if err != nil {
		panic("ddb: an int64 past the limits of a number: " + err.Error()) // 19 digits at most: cannot happen
	}
	return number
}

// String writes the number in plain digits, as DynamoDB answers it: "1.5",
// "100", never with an exponent.
func (n Number) String() string {
	if n.digits == "" {
		return "0"
	}
	sign := ""
	if n.negative {
		sign = "-"
	}
	exp := int(n.exp)
	switch {
	case exp <= 0:
		return sign + "0." + strings.Repeat("0", -exp) + n.digits
	case exp >= len(n.digits):
		return sign + n.digits + strings.Repeat("0", exp-len(n.digits))
	default:
		return sign + n.digits[:exp] + "." + n.digits[exp:]
	}
}

// Int64 gives an integer's value; ok is false for a fraction or a number that
// an int64 cannot hold.
func (n Number) Int64() (value int64, ok bool) {
	if int(n.exp) < len(n.digits) || n.exp > 19 {
		return 0, false
	}
	value, err := strconv.ParseInt(n.String(), 10, 64)
	return value, err == nil
}

// Compare orders by value: -1, 0 or 1.
func (n Number) Compare(other Number) int {
	if n.sign() != other.sign() {
		if n.sign() < other.sign() {
			return -1
		}
		return 1
	}
	order := 0
	switch {
	case n.exp < other.exp:
		order = -1
	case n.exp > other.exp:
		order = 1
	default:
		order = strings.Compare(n.digits, other.digits)
	}
	return order * n.sign() // mirrored below zero
}

func (n Number) sign() int {
	switch {
	case n.digits == "":
		return 0
	case n.negative:
		return -1
	default:
		return 1
	}
}

// Add gives n + other exactly. It fails with a *ValidationError where the sum
// needs more than 38 digits or is past the limits.
func (n Number) Add(other Number) (Number, error) {
	switch {
	case n.digits == "":
		return other, nil
	case other.digits == "":
		return n, nil
	}
	unit := min(n.unit(), other.unit())
	sum := n.scaled(unit)
	sum.Add(sum, other.scaled(unit))
	digits := new(big.Int).Abs(sum).String()
	return makeNumber(sum.Sign() < 0, digits, len(digits)+unit)
}

// Sub gives n − other, as Add does.
func (n Number) Sub(other Number) (Number, error) {
	if other.digits != "" {
		other.negative = !other.negative
	}
	return n.Add(other)
}

// unit is the decimal exponent of the last digit.
func (n Number) unit() int { return int(n.exp) - len(n.digits) }

// scaled is the number counted in 10^unit, which must not exceed its own unit.
func (n Number) scaled(unit int) *big.Int {
	value, ok := new(big.Int).SetString(n.digits, 10)
	if !ok {
		panic("ddb: a number without digits") // the constructors allow digits only
	}
	value.Mul(value, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.unit()-unit)), nil))
	if n.negative {
		value.Neg(value)
	}
	return value
}
