package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const clientsDir = "../../testdata/clients"

// TestShopWithRealClients serves the shop of the examples to the official
// clients of both protocol generations, over stdio and over HTTP.
func TestShopWithRealClients(t *testing.T) {
	node := needNode(t)
	shop, err := filepath.Abs("../../examples/shop.hcl")
	if err != nil {
		t.Fatal(err)
	}
	mcpdecl, err := exec.LookPath("mcpdecl")
	if err != nil {
		t.Fatal(err)
	}
	stdio, _ := json.Marshal([]string{mcpdecl, "serve", shop})
	url := serveShop(t, mcpdecl, shop)
	for _, client := range []string{"legacy", "modern"} {
		for wire, args := range map[string][]string{"stdio": {"--stdio", string(stdio)}, "http": {"--http", url + "/mcp"}} {
			t.Run(client+" "+wire, func(t *testing.T) {
				cmd := exec.Command(node, append(append([]string{"read.mjs", "--client", client}, args...),
					"shop://customers/1", "shop://customers/999", "shop://customers/abc", "shop://customers/..%2F1",
					"shop://about", "nope://h/\u007f", "shop://orders?status=open&limit=1")...)
				cmd.Dir = clientsDir
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, &stderr)
				}
				checkShop(t, out)
			})
		}
	}
}

func needNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(clientsDir, "node_modules", "@modelcontextprotocol", "client"))
	}
	if err == nil {
		return node
	}
	if required("node") {
		t.Fatalf("node clients: %v; run scripts/npm-install", err)
	}
	t.Skipf("node clients: %v; run scripts/npm-install", err)
	return ""
}

func serveShop(t *testing.T, mcpdecl, shop string) string {
	t.Helper()
	addr := freeAddr(t)
	cmd := exec.Command(mcpdecl, "serve", "--http", addr, shop)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve: %v\n%s", err, &stderr)
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	waitReady(t, ctx, "http://"+addr, &stderr)
	return "http://" + addr
}

func checkShop(t *testing.T, out []byte) {
	t.Helper()
	var seen struct {
		Templates []struct{ URITemplate string }
		Resources []struct{ URI string }
		Reads     []struct {
			Result struct {
				Contents []struct{ URI, MIMEType, Text string }
			}
			Error *struct {
				Code int
				Data map[string]any
			}
		}
		Problems []string
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var templates []string
	for _, x := range seen.Templates {
		templates = append(templates, x.URITemplate)
	}
	want := `["shop://customers/{id}","shop://orders{?status,customer,limit}","shop://orders/{id}","shop://products/{code}"]`
	if got := text(templates); got != want {
		t.Errorf("templates %s", got)
	}
	if len(seen.Resources) != 1 || seen.Resources[0].URI != "shop://about" || len(seen.Problems) > 0 || len(seen.Reads) != 7 {
		t.Fatalf("resources %v, problems %v, %d reads", seen.Resources, seen.Problems, len(seen.Reads))
	}
	first := seen.Reads[0].Result.Contents
	if len(first) != 1 || first[0].URI != "shop://customers/1" || first[0].MIMEType != "application/json" ||
		first[0].Text != `{"id":1,"name":"Zoë Müller","email":"customer1@example.com","phone":"+49 30 5550001","city":"Berlin","country":"DE","since":"2019-02-12"}` {
		t.Errorf("customer 1: %+v", first)
	}
	for i, data := range map[int]string{
		1: `{"uri":"shop://customers/999"}`,
		2: `{"parameter":"id","rule":"type","uri":"shop://customers/abc"}`,
		3: `{"parameter":"id","refusal":"traversal","uri":"shop://customers/..%2F1"}`,
		5: "{\"refusal\":\"control_char\",\"uri\":\"nope://h/\x7f\"}",
	} {
		if e := seen.Reads[i].Error; e == nil || e.Code != -32602 || text(e.Data) != data {
			t.Errorf("read %d: %+v", i, e)
		}
	}
	for _, i := range []int{4, 6} {
		if seen.Reads[i].Error != nil {
			t.Errorf("read %d: %+v", i, seen.Reads[i].Error)
		}
	}
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
