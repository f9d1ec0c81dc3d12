package ddb

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumberText(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "001.50": "1.5", "1.0": "1", "1e2": "100", "+5": "5", ".5": "0.5", "5.": "5",
		"1E-3": "0.001", "-12.5e1": "-125", "123456789012345678901234567890.12345678": "123456789012345678901234567890.12345678",
		"9.9999999999999999999999999999999999999E+125": "99999999999999999999999999999999999999" + strings.Repeat("0", 88),
		"1e-130": "0." + strings.Repeat("0", 129) + "1",
	} {
		n, err := ParseNumber(text)
		if err != nil || n.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, n, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "converted", "-": "converted", "1.2.3": "converted", "abc": "converted", "1e": "converted", " 1": "converted", "0x10": "converted", "1_0": "converted", "NaN": "converted",
		strings.Repeat("1", 39): "38 significant digits", "1e126": "overflow", "-1e126": "overflow", "1e-131": "underflow",
	} {
		if n, err := ParseNumber(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v, want an error about %s", text, n, err, want)
		}
	}
}

func TestNumberInt64(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "17": 17, "-1e3": -1000, "9223372036854775807": 1<<63 - 1} {
		n, _ := ParseNumber(text)
		if got, ok := n.Int64(); !ok || got != want || NumberOf(want) != n {
			t.Errorf("%s: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"1.5", "1e19", "9223372036854775808", "0.1"} {
		n, _ := ParseNumber(text)
		if got, ok := n.Int64(); ok {
			t.Errorf("%s: %d, want none", text, got)
		}
	}
}

// drawNumber draws numbers whose sums stay within the limits.
func drawNumber(t *rapid.T, name string) Number {
	n, err := ParseNumber(rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,12})?(e-?[0-6])?`).Draw(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func rat(t *rapid.T, n Number) *big.Rat {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		t.Fatalf("%s is no number", n)
	}
	return r
}

func TestNumberAgainstBigRat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawNumber(t, "a"), drawNumber(t, "b")
		x, y := rat(t, a), rat(t, b)
		if a.Compare(b) != x.Cmp(y) {
			t.Errorf("%s compared with %s: %d", a, b, a.Compare(b))
		}
		if (a == b) != (x.Cmp(y) == 0) {
			t.Errorf("%s == %s: %v", a, b, a == b)
		}
		sum, err := a.Add(b)
		if err != nil || rat(t, sum).Cmp(new(big.Rat).Add(x, y)) != 0 {
			t.Errorf("%s + %s = %s, %v", a, b, sum, err)
		}
		difference, err := a.Sub(b)
		if err != nil || rat(t, difference).Cmp(new(big.Rat).Sub(x, y)) != 0 {
			t.Errorf("%s - %s = %s, %v", a, b, difference, err)
		}
	})
}

func TestNumberArithmeticLimits(t *testing.T) {
	large, _ := ParseNumber("9e125")
	small, _ := ParseNumber("1e-130")
	if _, err := large.Add(large); err == nil || !strings.Contains(err.Error(), "overflow") {
		t.Errorf("overflow: %v", err)
	}
	if _, err := large.Add(small); err == nil || !strings.Contains(err.Error(), "38") {
		t.Errorf("a sum of 256 digits: %v", err)
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, seed := range []string{"1", "-1.5e10", "1e-130", "99999999999999999999999999999999999999", "0.0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseNumber(text)
		if err != nil {
			return
		}
		again, err := ParseNumber(n.String())
		if err != nil || again != n {
			t.Errorf("%q: %s reads as %s, %v", text, n, again, err)
		}
	})
}
