package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// licences finds the licences of the modules by the texts in their directories: path@version to its SPDX id. A text that is
// not known for certain has none; a wrong licence is worse than no licence.
func (r *release) licences(ctx context.Context) (map[string]string, error) {
	if r.known != nil {
		return r.known, nil
	}
	out, err := run(ctx, r.root, []string{"GOFLAGS=", "GOWORK=off"}, "go", "list", "-mod=readonly", "-m", "-json=Path,Version,Dir,Replace", "all")
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Version, Dir string }
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if id := licenceIn(m.Dir); id != "" {
			known[m.Path+"@"+m.Version] = id
		}
	}
	r.known = known
	return known, nil
}

func licenceIn(dir string) string {
	if dir == "" {
		return ""
	}
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "License", "COPYING", "LICENSE-MIT"} {
		if body, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return licenceOf(string(body))
		}
	}
	return ""
}

// licenceOf knows the texts by sentences that only they have.
func licenceOf(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(parts ...string) bool {
		for _, p := range parts {
			if !strings.Contains(text, p) {
				return false
			}
		}
		return true
	}
	apache, mit := has("apache license", "version 2.0, january 2004"), has("permission is hereby granted, free of charge, to any person obtaining a copy")
	switch {
	case apache && mit, has("gnu general public license", "version"):
		return "" // several at once, or one that needs a person's eye
	case apache:
		return "Apache-2.0"
	case mit:
		return "MIT"
	case has("mozilla public license version 2.0"):
		return "MPL-2.0"
	case has("permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"),
		has("permission to use, copy, modify, and distribute this software for any purpose with or without fee"):
		return "ISC"
	case has("redistributions of source code must retain", "redistributions in binary form must reproduce", "endorse or promote products"):
		return "BSD-3-Clause"
	case has("redistributions of source code must retain", "redistributions in binary form must reproduce"):
		return "BSD-2-Clause"
	}
	return ""
}
