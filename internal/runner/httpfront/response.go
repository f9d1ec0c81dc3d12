package httpfront

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// respond writes a function's answer. One with a statusCode says all; any other
// JSON is the body of a 200. An error means that nothing was written.
func respond(w http.ResponseWriter, answer []byte, ownCORS bool) error {
	answer = bytes.TrimSpace(answer)
	if !json.Valid(answer) {
		return errors.New("it is not JSON")
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(answer, &members) != nil || members["statusCode"] == nil {
		return plain(w, answer)
	}
	status, err := statusCode(members["statusCode"])
	if err != nil {
		return err
	}
	body, err := decodeBody(members["body"], members["isBase64Encoded"])
	if err != nil {
		return err
	}
	headers, err := decodeHeaders(members["headers"])
	if err != nil {
		return err
	}
	var cookies []string
	if c := members["cookies"]; c != nil {
		if err := json.Unmarshal(c, &cookies); err != nil {
			return errors.New("cookies is not a list of strings")
		}
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain;charset=UTF-8")
	for name, value := range headers {
		switch lower := strings.ToLower(name); {
		case lower == "content-length", lower == "connection", lower == "transfer-encoding":
		case ownCORS && strings.HasPrefix(lower, "access-control-"): // the API's own configuration counts
		default:
			h.Set(name, value)
		}
	}
	for _, c := range cookies {
		h.Add("Set-Cookie", c)
	}
	return write(w, status, body)
}

// plain answers JSON without a statusCode; a JSON string is its own text.
func plain(w http.ResponseWriter, answer []byte) error {
	var text string
	if json.Unmarshal(answer, &text) == nil && answer[0] == '"' {
		answer = []byte(text)
	}
	w.Header().Set("Content-Type", "application/json")
	return write(w, http.StatusOK, answer)
}

func write(w http.ResponseWriter, status int, body []byte) error {
	if status != http.StatusNoContent && status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	} else {
		body = nil
		w.Header().Del("Content-Type")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone, or HEAD: nobody is left to tell
	return nil
}

// statusCode takes a number or digits in a string.
func statusCode(raw json.RawMessage) (int, error) {
	status, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	if err != nil || status < 200 || status > 599 {
		return 0, fmt.Errorf("statusCode is %s", raw)
	}
	return status, nil
}

func decodeBody(raw, encoded json.RawMessage) ([]byte, error) {
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, errors.New("body is not a string")
	}
	if string(encoded) != "true" {
		return []byte(text), nil
	}
	body, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("body is not base64: %w", err)
	}
	return body, nil
}

// decodeHeaders takes strings, numbers and booleans.
func decodeHeaders(raw json.RawMessage) (map[string]string, error) {
	var values map[string]any
	if raw != nil {
		if err := json.Unmarshal(raw, &values); err != nil {
			return nil, errors.New("headers is not an object")
		}
	}
	headers := map[string]string{}
	for name, v := range values {
		switch v := v.(type) {
		case string:
			headers[name] = v
		case float64:
			headers[name] = strconv.FormatFloat(v, 'f', -1, 64)
		case bool:
			headers[name] = strconv.FormatBool(v)
		case nil:
		default:
			return nil, fmt.Errorf("the header %s is not a string", name)
		}
	}
	return headers, nil
}
