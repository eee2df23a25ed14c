package main

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/sources"
	httpsource "github.com/mcpdecl/mcpdecl/sources/http"
)

// TestExample reads every resource of examples/http.hcl from this backend.
func TestExample(t *testing.T) {
	server := httptest.NewServer(handler())
	defer server.Close()
	text, err := os.ReadFile("../http.hcl")
	if err != nil {
		t.Fatal(err)
	}
	config := strings.ReplaceAll(string(text), "http://127.0.0.1:9090", server.URL)
	kind := httpsource.Kind
	noEnv := func(string) (string, bool) { return "", false }
	c, diags := decl.Load([]string{"http.hcl"}, decl.Options{
		ReadFile:  func(string) ([]byte, error) { return []byte(config), nil },
		Stat:      func(string) (fs.FileInfo, error) { return os.Stat("../http.hcl") },
		LookupEnv: noEnv, Kinds: decl.Kinds{Connections: kind.Connections, Sources: []decl.SourceKind{kind.Source}},
	})
	for _, d := range diags {
		t.Fatalf("%s\n%s", d, d.Detail)
	}
	e, err := engine.New(c, []sources.Kind{kind}, sources.Host{Log: slog.New(slog.DiscardHandler), Now: time.Now, LookupEnv: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for uri, want := range map[string]string{
		"tracker://projects/compass/issues/2":            `{"id":420465847726953102,"project":"compass","number":2,`,
		"tracker://projects/compass/issues?state=closed": `[{"id":420465847726953101,"project":"compass","number":1,`,
		"tracker://projects/none/issues":                 `[]`,
		"tracker://search?text=mirror":                   `{"id":420465847726953104,`,
		"tracker://users/ada":                            "Ada Lovelace (ada) works in the team engine.\n",
		"tracker://users/ada/avatar":                     "\x89PNG",
	} {
		res, err := e.Read(context.Background(), uri)
		if err != nil || len(res.Contents) != 1 || !strings.HasPrefix(string(res.Contents[0].Data), want) {
			t.Errorf("%s: %v %v", uri, res, err)
		}
	}
	for _, uri := range []string{"tracker://projects/compass/issues/99", "tracker://users/nobody"} {
		if _, err := e.Read(context.Background(), uri); err == nil || !strings.HasPrefix(err.Error(), "Resource not found") {
			t.Errorf("%s: %v", uri, err)
		}
	}
}
