package transport_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/engine/transport"
)

const clientsDir = "../../testdata/clients"

// needNode skips a test that has no clients to run, unless they are required.
func needNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(clientsDir, "node_modules", "@modelcontextprotocol", "client"))
	}
	if err == nil {
		return node
	}
	if slices.Contains(strings.Split(os.Getenv("MCPDECL_TEST_REQUIRE"), ","), "node") {
		t.Fatalf("node clients: %v; run scripts/npm-install", err)
	}
	t.Skipf("node clients: %v; run scripts/npm-install", err)
	return ""
}

// seen is what read.mjs prints.
type seen struct {
	ProtocolVersion string
	Server          struct{ Name string }
	Capabilities    map[string]json.RawMessage
	Templates       []struct{ URITemplate, Name string }
	Resources       []struct{ URI, Name string }
	Tools, Prompts  []any
	Reads           []struct {
		URI    string
		Result struct {
			Contents []struct {
				URI, MIMEType string
				Text, Blob    *string
			}
		}
		Error *struct {
			Code    int
			Message string
			Data    map[string]any
		}
	}
	Problems []string
}

func runClient(t *testing.T, node string, args ...string) seen {
	t.Helper()
	cmd := exec.Command(node, append([]string{"read.mjs"}, args...)...)
	cmd.Dir = clientsDir
	cmd.Env = serverEnv()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var s seen
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return s
}

func TestRealClients(t *testing.T) {
	node := needNode(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command, _ := json.Marshal([]string{self})
	w := startWeb(t, anyShop(), transport.HTTPOptions{})
	for _, c := range []struct{ client, version string }{{"legacy", "2025-11-25"}, {"modern", "2026-07-28"}} {
		for name, how := range map[string][]string{
			"stdio": {"--stdio", string(command)},
			"http":  {"--http", w.url + "/mcp"},
		} {
			t.Run(c.client+" "+name, func(t *testing.T) {
				args := append([]string{"--client", c.client}, how...)
				s := runClient(t, node, append(args, "shop://customers/7", "shop://empty", "shop://empty-blob",
					"shop://nope", "shop://caf\u00e9/\u0001", "shop://panic", "shop://hello")...)
				checkSeen(t, s, c.version)
			})
		}
	}
}

func checkSeen(t *testing.T, s seen, version string) {
	t.Helper()
	if s.ProtocolVersion != version || s.Server.Name != "shop" || len(s.Problems) > 0 {
		t.Errorf("version %q, server %q, problems %q", s.ProtocolVersion, s.Server.Name, s.Problems)
	}
	if len(s.Templates) != 1 || s.Templates[0].URITemplate != "shop://customers/{id}" {
		t.Errorf("templates: %v", s.Templates)
	}
	if len(s.Resources) != 1 || s.Resources[0].URI != "shop://hello" {
		t.Errorf("resources: %v", s.Resources)
	}
	if s.Tools == nil || s.Prompts == nil || len(s.Tools)+len(s.Prompts) > 0 {
		t.Errorf("tools %v, prompts %v", s.Tools, s.Prompts)
	}
	if len(s.Reads) != 7 {
		t.Fatalf("%d reads", len(s.Reads))
	}
	for i, want := range []string{"text customer 7", "text ", "blob ", "error -32602", "error -32602", "error -32603", "text hello"} {
		r := s.Reads[i]
		got := "nothing"
		switch {
		case r.Error != nil:
			got = "error " + string(mustJSON(r.Error.Code))
			if r.Error.Code == -32602 && r.Error.Data["uri"] != r.URI {
				t.Errorf("%s: data %v", r.URI, r.Error.Data)
			}
		case len(r.Result.Contents) == 1 && r.Result.Contents[0].Text != nil:
			got = "text " + *r.Result.Contents[0].Text
		case len(r.Result.Contents) == 1 && r.Result.Contents[0].Blob != nil:
			got = "blob " + *r.Result.Contents[0].Blob
		}
		if got != want {
			t.Errorf("%s: got %q, want %q (%+v)", r.URI, got, want, r.Error)
		}
	}
}

func mustJSON(v any) []byte {
	raw, _ := json.Marshal(v)
	return raw
}
