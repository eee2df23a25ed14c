package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func readRequest(uri string) mcp.Request {
	return &mcp.ReadResourceRequest{Params: &mcp.ReadResourceParams{URI: uri}}
}

func TestS8_ListsAreEmptyArrays(t *testing.T) {
	generations(t, &fakeBackend{}, ServerOptions{}, func(t *testing.T, w *wire) {
		for method, field := range map[string]string{
			"resources/list": "resources", "resources/templates/list": "resourceTemplates",
			"tools/list": "tools", "prompts/list": "prompts",
		} {
			var got map[string]json.RawMessage
			w.call(method, "").decode(t, &got)
			if string(got[field]) != "[]" {
				t.Errorf("%s: %s is %s, want []", method, field, got[field])
			}
			if string(got["cacheScope"]) != `"private"` || string(got["ttlMs"]) != "0" {
				t.Errorf("%s: cacheScope %s, ttlMs %s", method, got["cacheScope"], got["ttlMs"])
			}
			if w.modern != (string(got["resultType"]) == `"complete"`) {
				t.Errorf("%s: resultType %s", method, got["resultType"])
			}
			if _, more := got["nextCursor"]; more {
				t.Errorf("%s: a cursor behind the last page", method)
			}
		}
	})
}

func TestS8_ListsWithoutParams(t *testing.T) {
	w := dial(t, &fakeBackend{}, ServerOptions{}, false)
	for i, method := range []string{"resources/list", "resources/templates/list", "tools/list", "prompts/list"} {
		for j, params := range []string{"", `,"params":null`, `,"params":{"cursor":null}`} {
			ch := make(chan []byte, 1)
			id := fmt.Sprint(1000 + 10*i + j)
			w.mu.Lock()
			w.replies[id] = ch
			w.mu.Unlock()
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q%s}`, id, method, params))
			if r := w.await(ch); r.Error != nil {
				t.Errorf("%s%s: %s", method, params, r.raw)
			}
		}
	}
}

func TestListEntriesOnTheWire(t *testing.T) {
	zero, half := 0.0, 0.5
	b := &fakeBackend{
		resources: []Listed{
			{URI: "x://a", Name: "a", Size: -1},
			{URI: "x://b", Name: "b", Title: "B", Description: "The b.", MIMEType: "text/plain", Size: 0,
				Audience: []string{"user", "assistant"}, Priority: &zero,
				LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)),
				Icons:        []Icon{{Src: "https://h/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}}}},
		},
		templates: []Listed{{URITemplate: "x://{id}", Name: "t", Size: -1, Priority: &half}},
	}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		var got struct{ Resources, ResourceTemplates []json.RawMessage }
		w.call("resources/list", "").decode(t, &got)
		w.call("resources/templates/list", "").decode(t, &got)
		want := []string{
			`{"uri":"x://a","name":"a"}`,
			`{"uri":"x://b","name":"b","title":"B","description":"The b.","mimeType":"text/plain","size":0,` +
				`"annotations":{"audience":["user","assistant"],"priority":0,"lastModified":"2026-01-02T02:04:05Z"},` +
				`"icons":[{"src":"https://h/i.png","mimeType":"image/png","sizes":["48x48"]}]}`,
			`{"uriTemplate":"x://{id}","name":"t","annotations":{"priority":0.5}}`,
		}
		for i, entry := range append(got.Resources, got.ResourceTemplates...) {
			if string(entry) != want[i] {
				t.Errorf("got  %s\nwant %s", entry, want[i])
			}
		}
	})
}

func TestListsPageInDeclarationOrder(t *testing.T) {
	b := &fakeBackend{info: Info{PageSize: 3}}
	var want []string
	for _, name := range strings.Split("z y x w v u t", " ") {
		b.resources = append(b.resources, Listed{URI: "x://" + name, Name: name, Size: -1})
		b.templates = append(b.templates, Listed{URITemplate: "x://{id}/" + name, Name: name, Size: -1})
		want = append(want, name)
	}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		for _, method := range []string{"resources/list", "resources/templates/list"} {
			var names []string
			var sizes []int
			params := "{}"
			for {
				var got struct {
					NextCursor                   string
					Resources, ResourceTemplates []struct{ Name string }
				}
				w.call(method, params).decode(t, &got)
				page := append(got.Resources, got.ResourceTemplates...)
				for _, r := range page {
					names = append(names, r.Name)
				}
				sizes = append(sizes, len(page))
				if got.NextCursor == "" {
					break
				}
				params = fmt.Sprintf(`{"cursor":%q}`, got.NextCursor)
			}
			if fmt.Sprint(names) != fmt.Sprint(want) || fmt.Sprint(sizes) != "[3 3 1]" {
				t.Errorf("%s: %v in pages of %v", method, names, sizes)
			}
		}
	})
}

func TestCursors(t *testing.T) {
	all := []Listed{{URI: "x://a"}, {URI: "x://b"}, {URI: "x://c"}, {URI: "x://d"}}
	page, next, err := pageOf(all, "", 2)
	if err != nil || len(page) != 2 || next == "" {
		t.Fatalf("first page: %v %q %v", page, next, err)
	}
	// A reload adds entries before and behind the cursor.
	grown := []Listed{{URI: "x://0"}, {URI: "x://a"}, {URI: "x://b"}, {URI: "x://b2"}, {URI: "x://c"}}
	if page, _, err := pageOf(grown, next, 2); err != nil || page[0].URI != "x://b2" {
		t.Errorf("after a reload: %v %v", page, err)
	}
	// A last page that is full has no cursor.
	if page, next, err := pageOf(all, next, 2); err != nil || len(page) != 2 || next != "" {
		t.Errorf("last page: %v %q %v", page, next, err)
	}
	templates := []Listed{{URITemplate: "x://b"}, {URITemplate: "x://c"}}
	for name, c := range map[string]struct {
		list   []Listed
		cursor string
	}{
		"not base64":         {all, "%%%"},
		"no cursor of ours":  {all, "YWJj"},
		"of the other list":  {templates, next},
		"of a removed entry": {all[2:], next},
		"trailing bits":      {all, next[:len(next)-1]},
	} {
		if _, _, err := pageOf(c.list, c.cursor, 2); err == nil || !strings.Contains(err.Error(), "invalid cursor") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestListsSeeTheSnapshotOfTheirTime(t *testing.T) {
	now := &fakeBackend{resources: []Listed{{URI: "x://old", Name: "old"}}}
	current := now
	server := NewServer(func() Backend { return current }, ServerOptions{})
	current = &fakeBackend{resources: []Listed{{URI: "x://new", Name: "new"}}}
	ct, st := mcp.NewInMemoryTransports()
	ss, err := server.Connect(context.Background(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ss.Close()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "t"}, nil).Connect(context.Background(), ct, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	res, err := cs.ListResources(context.Background(), nil)
	if err != nil || len(res.Resources) != 1 || res.Resources[0].URI != "x://new" {
		t.Errorf("got %v %v", res, err)
	}
}
