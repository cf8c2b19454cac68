package model

import (
	"errors"
	"io"
	"net/http"
	"strconv"
)

// maxAnswer bounds what a server may send as one answer. The longest reply of any model is far below it.
const maxAnswer = 64 << 20

// HTTPClient is what adapters send with. It follows no redirect: the headers that some providers keep their key in
// would travel along to wherever a server points. And it stops reading a server that never ends.
func HTTPClient() *http.Client {
	return &http.Client{Transport: bounded{http.DefaultTransport}}
}

// redirect is the status of one. FromTransport words it.
type redirect int

func (r redirect) Error() string { return "redirect with status " + strconv.Itoa(int(r)) }

type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		_ = resp.Body.Close()
		return nil, redirect(resp.StatusCode)
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxAnswer}
	return resp, nil
}

var errTooLong = errors.New("the answer has more than 64 MiB")

type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
