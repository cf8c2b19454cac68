package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds one message. The protocol's own connection ends at its bound, so ours is just below it.
const maxMessage = mcp.DefaultMaxLineLength - 2

// lastWithBatches is the newest version of the protocol in which a message may be a list.
const lastWithBatches = "2025-03-26"

// messages lets through the lines of a stream that are messages. The protocol's connection would end at the first that is
// none; here it is answered with what is wrong, and the next one is served. One line is held at a time.
type messages struct {
	in  *bufio.Reader
	out io.Writer // for answers to what is no message

	line  []byte // what is left to give of a line
	lists bool   // the client's version has batches
}

func newMessages(in io.Reader, out io.Writer) *messages {
	return &messages{in: bufio.NewReaderSize(in, 64<<10), out: out, lists: true}
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.line) == 0 {
		line, isLong, err := m.next()
		if isLong {
			if told := m.refuse(nil, jsonrpc.CodeParseError, fmt.Sprintf("a message has more than %d bytes", maxMessage)); told != nil {
				return 0, told
			}
		} else if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))); len(line) > 0 {
			if told := m.admit(line); told != nil {
				return 0, told
			}
		}
		if err != nil && len(m.line) == 0 {
			return 0, err
		}
	}
	n := copy(p, m.line)
	m.line = m.line[n:]
	return n, nil
}

// next reads a line, of which it holds no more than the bound.
func (m *messages) next() (line []byte, isLong bool, err error) {
	for {
		part, err := m.in.ReadSlice('\n')
		if isLong = isLong || len(line)+len(part) > maxMessage; isLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, isLong, err
		}
	}
}

// admit takes a line that is a message, and answers one that is none.
func (m *messages) admit(line []byte) error {
	if !json.Valid(line) {
		return m.refuse(nil, jsonrpc.CodeParseError, "a message must be one line of JSON")
	}
	if line[0] != '[' {
		msg, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			return m.refuse(idOf(line), jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC 2.0")
		}
		m.learn(msg)
	} else if !m.lists {
		return m.refuse(nil, jsonrpc.CodeInvalidRequest, "this version of the protocol has no batches: send one message a line")
	} else if !isBatch(line) {
		return m.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch holds something else than messages of JSON-RPC 2.0, each with an id of its own")
	}
	m.line = append(line, '\n')
	return nil
}

// learn takes notice of the version that a client begins with. One that is not known is answered with the newest.
func (m *messages) learn(msg jsonrpc.Message) {
	r, ok := msg.(*jsonrpc.Request)
	if !ok || r.Method != "initialize" {
		return
	}
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(r.Params, &params) == nil {
		m.lists = params.ProtocolVersion != "" && params.ProtocolVersion <= lastWithBatches
	}
}

func isBatch(line []byte) bool {
	var all []json.RawMessage
	if json.Unmarshal(line, &all) != nil || len(all) == 0 {
		return false
	}
	seen := map[jsonrpc.ID]bool{}
	for _, one := range all {
		msg, err := jsonrpc.DecodeMessage(one)
		if err != nil {
			return false
		}
		if r, ok := msg.(*jsonrpc.Request); ok && r.ID.IsValid() {
			if seen[r.ID] {
				return false
			}
			seen[r.ID] = true
		}
	}
	return true
}

// idOf is the id of a request that is wrong in something else: a number or a text, or nothing.
func idOf(line []byte) json.RawMessage {
	var envelope struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &envelope) != nil || len(envelope.ID) == 0 || len(envelope.ID) > 1<<10 {
		return nil
	}
	if envelope.ID[0] == '{' || envelope.ID[0] == '[' || envelope.ID[0] == 't' || envelope.ID[0] == 'f' {
		return nil
	}
	return envelope.ID
}

func (m *messages) refuse(id json.RawMessage, code int64, message string) error {
	answer, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"` // null where nobody can tell
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, &jsonrpc.Error{Code: code, Message: message}})
	if err != nil {
		return err
	}
	_, err = m.out.Write(append(answer, '\n'))
	return err
}

// oneAtATime keeps lines of several writers whole.
type oneAtATime struct {
	mu *sync.Mutex
	io.Writer
}

func (w oneAtATime) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Writer.Write(p)
}
