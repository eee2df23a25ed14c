package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

func TestS5_BadLinesAreAnsweredAndTheSessionGoesOn(t *testing.T) {
	deep := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`
	cases := map[string]struct {
		line string
		code int
		id   string
	}{
		"not JSON":                {`hello`, -32700, "null"},
		"half of JSON":            {`{"jsonrpc":"2.0","id":1`, -32700, "null"},
		"two on a line":           {`{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`, -32700, "null"},
		"not UTF-8":               {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, "null"},
		"UTF-16":                  {"\xff\xfe{\x00}\x00", -32700, "null"},
		"no version":              {`{"id":1,"method":"ping"}`, -32600, "1"},
		"version 1.0":             {`{"jsonrpc":"1.0","id":"a","method":"ping"}`, -32600, `"a"`},
		"version a number":        {`{"jsonrpc":2.0,"id":1,"method":"ping"}`, -32600, "1"},
		"other case":              {`{"JSONRPC":"2.0","id":1,"method":"ping"}`, -32600, "1"},
		"a number":                {`42`, -32600, "null"},
		"null":                    {`null`, -32600, "null"},
		"a string":                {`"ping"`, -32600, "null"},
		"an empty object":         {`{}`, -32600, "null"},
		"nothing to do":           {`{"jsonrpc":"2.0","id":1}`, -32600, "1"},
		"a method that is no one": {`{"jsonrpc":"2.0","id":1,"method":5}`, -32600, "1"},
		"an id that is null":      {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "null"},
		"an id that is an object": {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "null"},
		"an id with a fraction":   {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "null"},
		"an id over 53 bits":      {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600, "null"},
		"params a list":           {`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, -32602, "1"},
		"params a number":         {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":1}`, -32602, "1"},
		"params of other types":   {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":5}}`, -32602, "1"},
		"no params":               {`{"jsonrpc":"2.0","id":1,"method":"resources/read"}`, -32600, "1"},
		"unknown method":          {`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, -32601, "1"},
		"a call without an id":    {"{\"jsonrpc\":\"2.0\",\"method\":\"resources/read\",\"params\":{}}\nx", -32700, "null"},
		"too deep":                {deep, -32600, "1"},
		"too long":                {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 100<<10) + `"}}`, -32600, "null"},
		"a batch":                 {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, "null"},
	}
	s := startStdio(t, anyShop(), transport.StdioOptions{MaxFrame: 64 << 10})
	s.initialize("2025-11-25")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s.send(c.line)
			r := s.next()
			r.wantError(t, c.code)
			var raw struct{ ID json.RawMessage }
			_ = json.Unmarshal(r.raw, &raw)
			if string(raw.ID) != c.id {
				t.Errorf("id %s, want %s: %s", raw.ID, c.id, r.raw)
			}
			s.send(readLine(77, "shop://hello"))
			if r := s.next(); r.ID != 77.0 {
				t.Errorf("the next answer is not that of the next call: %s", r.raw)
			}
		})
	}
	s.in.Close()
	if _, err := s.wait(); err != nil {
		t.Errorf("Stdio: %v", err)
	}
}

func TestS5_WhatIsNotQuiteALineIsFine(t *testing.T) {
	s := startStdio(t, anyShop(), transport.StdioOptions{MaxFrame: 1000})
	full := initialize[:len(initialize)-1] + strings.Repeat(" ", 1000-len(initialize)) + "}"
	go func() {
		io.WriteString(s.in, "\xef\xbb\xbf\n\n  \r\n"+full+"\r\n\t"+readLine(1, "shop://hello")+" \r\n\n"+readLine(2, "shop://hello"))
		s.in.Close()
	}()
	if r := s.next(); r.ID != "init" || r.Error != nil {
		t.Fatalf("a line of exactly the limit: %s", r.raw)
	}
	if all := s.rest(); len(all) != 2 || all[0].Error != nil || all[1].Error != nil {
		t.Errorf("got %d answers", len(all))
	}
}

func TestS5_CallsBeforeInitialize(t *testing.T) {
	s := startStdio(t, anyShop(), transport.StdioOptions{})
	s.send(readLine(1, "shop://hello"))
	s.next().wantError(t, -32600)
	s.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if r := s.next(); r.Error != nil {
		t.Errorf("ping: %s", r.raw)
	}
	s.send(`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":5}}`)
	if r := s.next(); r.Error == nil {
		t.Errorf("initialize: %s", r.raw)
	}
	s.send(readLine(4, "shop://hello"))
	if r := s.next(); r.Error == nil {
		t.Errorf("after a bad initialize: %s", r.raw)
	}
	s.initialize("2025-06-18")
	s.send(readLine(5, "shop://hello"))
	s.next().wantText(t, "hello")
}

func TestBatchesWhereTheRevisionHasThem(t *testing.T) {
	for version, allowed := range map[string]bool{"2024-11-05": true, "2025-03-26": true, "2025-06-18": false, "2025-11-25": false} {
		t.Run(version, func(t *testing.T) {
			s := startStdio(t, anyShop(), transport.StdioOptions{})
			s.initialize(version)
			s.send(`[` + readLine(1, "shop://hello") + `,{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},{"id":2},` + readLine(3, "shop://nope") + `]`)
			var line []byte
			select {
			case line = <-s.lines:
			case <-time.After(patience):
				t.Fatal("no answer")
			}
			if !allowed {
				parseReply(t, line).wantError(t, -32600)
				return
			}
			var all []json.RawMessage
			if err := json.Unmarshal(line, &all); err != nil || len(all) != 3 {
				t.Fatalf("got %s", line)
			}
			codes := map[string]int{}
			for _, raw := range all {
				r := parseReply(t, raw)
				if r.Error != nil {
					codes[fmt.Sprint(r.ID)] = r.Error.Code
				} else {
					codes[fmt.Sprint(r.ID)] = 1
				}
			}
			if codes["1"] != 1 || codes["2"] != -32600 || codes["3"] != -32602 {
				t.Errorf("got %v out of %s", codes, line)
			}
			s.send(`[]`)
			s.next().wantError(t, -32600)
			// Nothing in it wants an answer, so there is none.
			s.send(`[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`)
			s.send(`[` + initialize + `]`)
			if line := string(<-s.lines); !strings.HasPrefix(line, `[{"jsonrpc":"2.0","id":"init","error":{"code":-32600`) {
				t.Errorf("initialize in a batch: %s", line)
			}
		})
	}
}

func TestOneIDForTwoCalls(t *testing.T) {
	gate := make(chan struct{})
	s := startStdio(t, newShop(shop{slow: func(context.Context) { <-gate }}, engine.ServerOptions{}), transport.StdioOptions{})
	s.initialize("2025-11-25")
	s.send(readLine(1, "shop://slow"))
	s.send(readLine(1, "shop://hello"))
	r := s.next()
	r.wantError(t, -32600)
	if r.ID != nil {
		t.Errorf("the refusal looks like the answer to the first call: %s", r.raw)
	}
	close(gate)
	if r := s.next(); r.ID != 1.0 || r.Error != nil {
		t.Errorf("the first call: %s", r.raw)
	}
	s.send(readLine(1, "shop://hello"))
	s.next().wantText(t, "hello")
}

func TestCancelledCallsGetNoAnswer(t *testing.T) {
	s := startStdio(t, newShop(shop{slow: func(ctx context.Context) { <-ctx.Done() }}, engine.ServerOptions{}), transport.StdioOptions{})
	s.initialize("2025-11-25")
	s.send(readLine(1, "shop://slow"))
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
	s.send(readLine(2, "shop://hello"))
	if r := s.next(); r.ID != 2.0 {
		t.Errorf("got %s", r.raw)
	}
	s.in.Close()
	if took, _ := s.wait(); took > soon {
		t.Errorf("the end took %v: the cancelled call is still waited for", took)
	}
	if rest := s.rest(); len(rest) != 0 {
		t.Errorf("got %s", rest[0].raw)
	}
}

func TestS17_ReadingPausesAtTheBound(t *testing.T) {
	gate, begun := make(chan struct{}), make(chan struct{}, 10)
	slow := func(context.Context) { begun <- struct{}{}; <-gate }
	s := startStdio(t, newShop(shop{slow: slow}, engine.ServerOptions{}), transport.StdioOptions{MaxPending: 4})
	s.initialize("2025-11-25")
	go func() {
		for i := range 10 {
			fmt.Fprintln(s.in, readLine(i, "shop://slow"))
		}
	}()
	for range 4 {
		<-begun
	}
	select {
	case <-begun:
		t.Error("a fifth call was read")
	case <-time.After(50 * time.Millisecond):
	}
	close(gate)
	for range 10 {
		s.next().wantText(t, "slow")
	}
}

func TestS17_NothingIsLost(t *testing.T) {
	slow := func(context.Context) { time.Sleep(time.Millisecond) }
	s := startStdio(t, newShop(shop{slow: slow}, engine.ServerOptions{MaxInFlight: 4}), transport.StdioOptions{MaxPending: 16})
	s.initialize("2025-11-25")
	go func() {
		for i := range 200 {
			fmt.Fprintln(s.in, readLine(i, "shop://slow"))
		}
	}()
	seen := map[any]bool{}
	for range 200 {
		r := s.next()
		r.wantText(t, "slow")
		seen[r.ID] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d calls answered", len(seen))
	}
}
