package mcpserver

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLinesThatAreNoMessagesAreAnswered(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n"
	begin := func(version string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `"}}` + "\n"
	}
	list := "[" + strings.TrimSpace(ping) + "]\n"
	long := `"` + strings.Repeat("x", maxMessage) + `"` + "\n"
	for name, test := range map[string]struct{ in, passes, answer string }{
		"messages":               {ping + ping, ping + ping, ""},
		"no newline at the end":  {strings.TrimSpace(ping), ping, ""},
		"empty lines":            {"\n\r\n" + ping + "  \n", ping, ""},
		"carriage returns":       {strings.ReplaceAll(ping, "\n", "\r\n"), ping, ""},
		"byte order mark":        {"\xef\xbb\xbf" + ping, ping, ""},
		"no JSON":                {"hello\n" + ping, ping, `"id":null,"error":{"code":-32700`},
		"half of a message":      {`{"jsonrpc":"2.0","id":7,` + "\n" + ping, ping, `"code":-32700`},
		"two on a line":          {strings.TrimSpace(ping) + ping + ping, ping, `"code":-32700`},
		"no JSON at the end":     {ping + "hello", ping, `"code":-32700`},
		"too long":               {long + ping, ping, `"code":-32700,"message":"a message has more than`},
		"too long and endless":   {strings.TrimSpace(long), "", `"code":-32700`},
		"a number":               {"42\n" + ping, ping, `"code":-32600`},
		"another object":         {`{"id":"a","x":1}` + "\n" + ping, ping, `"id":"a","error":{"code":-32600`},
		"id that is none":        {`{"id":{"a":1},"x":1}` + "\n" + ping, ping, `"id":null,"error":{"code":-32600`},
		"batch":                  {begin("2025-03-26") + list, begin("2025-03-26") + list, ""},
		"batch of a new client":  {begin("2025-06-18") + list + ping, begin("2025-06-18") + ping, `"code":-32600`},
		"empty batch":            {"[]\n" + ping, ping, `"code":-32600`},
		"same id in a batch":     {"[" + strings.TrimSpace(ping) + "," + strings.TrimSpace(ping) + "]\n" + ping, ping, `"code":-32600`},
		"batch of something":     {"[1,2]\n" + ping, ping, `"code":-32600`},
		"batch of notifications": {`[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"a"}]` + "\n", `[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"a"}]` + "\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			got, err := io.ReadAll(newMessages(strings.NewReader(test.in), &out))
			if err != nil || string(got) != test.passes {
				t.Errorf("let through %.200q, %v; want %.200q", got, err, test.passes)
			}
			if (out.Len() > 0) != (test.answer != "") || !strings.Contains(out.String(), test.answer) || strings.Count(out.String(), "\n") > 1 {
				t.Errorf("answered %q, want %q", out.String(), test.answer)
			}
		})
	}
}

func TestLinesInPieces(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n"
	var out bytes.Buffer
	err := iotest.TestReader(newMessages(strings.NewReader("no\n"+ping+"{\n"+ping), &out), []byte(ping+ping))
	if err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("got %v, answered %s", err, out.String())
	}
}
