package ddb

import "strings"

// A tokenKind tells what a token is.
type tokenKind uint8

const (
	tokenEnd     tokenKind = iota
	tokenWord              // a bare name: of an attribute or a function
	tokenName              // #placeholder
	tokenValue             // :placeholder
	tokenInteger           // a list index
	tokenKeyword           // AND, SET, …; op holds it in upper case
	tokenSymbol            // an operator or punctuation; op holds it
	tokenBad               // what no expression may hold
)

// A token is a piece of an expression, at text[start:end] of it.
type token struct {
	kind       tokenKind
	text       string
	op         string
	start, end int
}

var keywords = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "BETWEEN": true, "IN": true,
	"SET": true, "REMOVE": true, "ADD": true, "DELETE": true,
}

// lex cuts an expression into tokens, the last of which is a tokenEnd.
func lex(text string) []token {
	tokens := make([]token, 0, len(text)/3+4)
	for i := 0; i < len(text); {
		if strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
			continue
		}
		tok := lexOne(text[i:])
		tok.start, tok.end = i, i+len(tok.text)
		tokens = append(tokens, tok)
		i = tok.end
	}
	return append(tokens, token{kind: tokenEnd, text: "<EOF>", start: len(text), end: len(text)})
}

func lexOne(text string) token {
	c := text[0]
	switch {
	case isLetter(c):
		word := text[:wordEnd(text, 1)]
		if upper := strings.ToUpper(word); keywords[upper] {
			return token{kind: tokenKeyword, text: word, op: upper}
		}
		return token{kind: tokenWord, text: word}
	case c == '#' || c == ':':
		kind, end := tokenName, wordEnd(text, 1)
		if c == ':' {
			kind = tokenValue
		}
		if end == 1 {
			kind = tokenBad
		}
		return token{kind: kind, text: text[:end]}
	case isDigit(c):
		end := 1
		for c != '0' && end < len(text) && isDigit(text[end]) {
			end++
		}
		return token{kind: tokenInteger, text: text[:end]}
	}
	for _, symbol := range []string{"<>", "<=", ">=", "=", "<", ">", "(", ")", "[", "]", ",", ".", "+", "-"} {
		if strings.HasPrefix(text, symbol) {
			return token{kind: tokenSymbol, text: symbol, op: symbol}
		}
	}
	return token{kind: tokenBad, text: text[:1]}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// wordEnd is where the letters, digits and underscores from i on end.
func wordEnd(text string, i int) int {
	for i < len(text) && (isLetter(text[i]) || isDigit(text[i]) || text[i] == '_') {
		i++
	}
	return i
}
