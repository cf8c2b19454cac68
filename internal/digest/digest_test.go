package digest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const emptySHA = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestOf(t *testing.T) {
	if got := Of(nil); got != emptySHA {
		t.Errorf("got %s, want %s", got, emptySHA)
	}
	d := Of([]byte("sluice"))
	if d.Hex() != strings.TrimPrefix(string(d), "sha256:") || len(d.Short()) != 12 || !strings.HasPrefix(d.Hex(), d.Short()) {
		t.Errorf("digest %s: hex %s, short %s", d, d.Hex(), d.Short())
	}
	if zero := Digest(""); zero.Hex() != "" || zero.Short() != "" {
		t.Error("the zero digest names nothing")
	}
}

func TestParse(t *testing.T) {
	if got, err := Parse(emptySHA); err != nil || got != emptySHA {
		t.Errorf("got %q, %v", got, err)
	}
	for name, s := range map[string]string{
		"empty":         "",
		"no prefix":     strings.TrimPrefix(emptySHA, "sha256:"),
		"other hash":    strings.Replace(emptySHA, "sha256", "sha512", 1),
		"short":         emptySHA[:len(emptySHA)-1],
		"long":          emptySHA + "0",
		"upper case":    "sha256:" + strings.ToUpper(strings.TrimPrefix(emptySHA, "sha256:")),
		"not hex":       emptySHA[:len(emptySHA)-1] + "g",
		"path in it":    emptySHA[:len(emptySHA)-3] + "/..",
		"space at ends": " " + emptySHA,
	} {
		if got, err := Parse(s); err == nil {
			t.Errorf("%s: %q parsed as %q", name, s, got)
		}
	}
}

func TestCanonicalJSON(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"keys sorted", `{"b":1,"a":2}`, `{"a":2,"b":1}`},
		{"keys by bytes, not by alphabet", `{"a":1,"B":2,"é":3}`, `{"B":2,"a":1,"é":3}`},
		{"spaces gone", " { \"a\" : [ 1 , 2 ] } \n", `{"a":[1,2]}`},
		{"lists keep their order", `[3,1,2]`, `[3,1,2]`},
		{"digits as written", `[1.0,1e2,12345678901234567890,0.1]`, `[1.0,1e2,12345678901234567890,0.1]`},
		{"no HTML escapes", `"\u003ca\u003e & b"`, `"<a> & b"`},
		{"escapes that mean the same", `"\u0041\/"`, `"A/"`},
		{"nested", `{"z":{"y":[{"b":null,"a":true}]}}`, `{"z":{"y":[{"a":true,"b":null}]}}`},
		{"empty", `{"a":{},"b":[]}`, `{"a":{},"b":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := CanonicalJSON([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCanonicalJSONRefuses(t *testing.T) {
	for _, in := range []string{``, `{`, `{"a":}`, `1 2`, `{} {}`, `nul`} {
		if got, err := CanonicalJSON([]byte(in)); err == nil {
			t.Errorf("%q gave %q", in, got)
		}
	}
}

func TestOfValueIgnoresFieldOrder(t *testing.T) {
	type ab struct {
		A int    `json:"a"`
		B string `json:"b"`
	}
	type ba struct {
		B string `json:"b"`
		A int    `json:"a"`
	}
	one, err1 := OfValue(ab{1, "x"})
	two, err2 := OfValue(ba{"x", 1})
	if err1 != nil || err2 != nil || one != two {
		t.Errorf("got %s, %s, %v, %v; want the same name", one, two, err1, err2)
	}
	if other, err := OfValue(ab{2, "x"}); err != nil || other == one {
		t.Errorf("a different value has the name %s, %v", other, err)
	}
	if _, err := OfValue(func() {}); err == nil {
		t.Error("a function has no JSON and no name")
	}
}

// TestEqualValuesGiveEqualBytes renders one value twice, plainly and indented with other key order, and expects one
// canonical form.
func TestEqualValuesGiveEqualBytes(t *testing.T) {
	key := rapid.StringMatching(`[a-zA-Zé<]{0,3}`)
	leaf := rapid.OneOf(rapid.Custom(func(t *rapid.T) any { return rapid.Int64().Draw(t, "n") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "s") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.Bool().Draw(t, "b") }))
	value := rapid.MapOf(key, rapid.OneOf(leaf,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOf(leaf).Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.MapOf(key, leaf).Draw(t, "map") })))
	rapid.Check(t, func(t *rapid.T) {
		v := value.Draw(t, "value")
		plain, err := Canonical(v)
		if err != nil {
			t.Fatal(err)
		}
		var spaced bytes.Buffer
		spaced.WriteByte('{')
		first := true
		for k, item := range v { // in map order, which differs from time to time
			if !first {
				spaced.WriteString(" ,\n")
			}
			first = false
			name, _ := json.Marshal(k)
			body, _ := json.MarshalIndent(item, " ", "\t")
			spaced.Write(name)
			spaced.WriteString(" : ")
			spaced.Write(body)
		}
		spaced.WriteByte('}')
		again, err := CanonicalJSON(spaced.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(plain, again) {
			t.Fatalf("got  %s\nwant %s", again, plain)
		}
	})
}

func FuzzCanonicalJSON(f *testing.F) {
	for _, seed := range []string{`{"b":1,"a":[1.50,null,"<é\ud83d\ude00"]}`, `"\ud800"`, `[1e400,-0]`, `{"a":1,"a":2}`, "\"\xff\"", `1]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		one, err := CanonicalJSON(raw)
		if err != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q is no JSON document and gave %q", raw, one)
		}
		two, err := CanonicalJSON(one)
		if err != nil {
			t.Fatalf("%q: its canonical form %q is refused: %v", raw, one, err)
		}
		if !bytes.Equal(one, two) {
			t.Fatalf("not idempotent: %q, then %q", one, two)
		}
		if !reflect.DeepEqual(decoded(t, raw), decoded(t, one)) {
			t.Fatalf("%q means something else as %q", raw, one)
		}
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, one, " ", "\t"); err != nil {
			t.Fatal(err)
		}
		if three, err := CanonicalJSON(spaced.Bytes()); err != nil || !bytes.Equal(one, three) {
			t.Fatalf("spacing changed it: %q, then %q, %v", one, three, err)
		}
	})
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
