package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"

	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// block is one fenced block of a Markdown file.
type block struct {
	language, text string
	line           int
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func blocksOf(t *testing.T, file string) []block {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	for _, m := range fence.FindAllSubmatchIndex(src, -1) {
		out = append(out, block{string(src[m[2]:m[3]]), string(src[m[4]:m[5]]), bytes.Count(src[:m[0]], []byte("\n")) + 1})
	}
	if len(out) == 0 {
		t.Fatalf("%s has no blocks", file)
	}
	return out
}

// TestReadmeCommands runs every command of the README from the project's
// folder, as a newcomer would.
func TestReadmeCommands(t *testing.T) {
	ran := 0
	for _, b := range blocksOf(t, "../../README.md") {
		if b.language != "sh" {
			continue
		}
		for line := range strings.Lines(b.text) {
			line = strings.TrimSpace(line)
			t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) { runReadme(t, line) })
			ran++
		}
	}
	if ran < 10 {
		t.Errorf("only %d commands were run", ran)
	}
}

func runReadme(t *testing.T, line string) {
	switch {
	case line == "make test":
		if _, err := os.Stat("../../Makefile"); err != nil {
			t.Fatal(err)
		}
		t.Skip("this test is a part of what make test runs")
	case strings.Contains(line, "--http"):
		runServer(t, line)
		return
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOBIN="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// runServer starts a command that serves, waits until it answers, and stops it
// as a terminal does.
func runServer(t *testing.T, line string) {
	addr := regexp.MustCompile(`--http (\S+)`).FindStringSubmatch(line)[1]
	free := freeAddr(t) // the documented port may be taken where tests run
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+strings.ReplaceAll(line, addr, free))
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	setGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitReady(t, ctx, "http://"+free, &stderr)
	interruptGroup(cmd)
	// "go run" itself reports the interrupt; the server ends with 0.
	if err := cmd.Wait(); err != nil && !strings.HasPrefix(line, "go run") {
		t.Errorf("%v\n%s", err, &stderr)
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func waitReady(t *testing.T, ctx context.Context, url string, stderr *bytes.Buffer) {
	t.Helper()
	for {
		res, err := http.Get(url + "/readyz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the server did not become ready: %v\n%s", err, stderr)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestReadmeClients holds the configurations of clients against what the
// server takes: the command is run as the client would, the URL is the one
// that the README's first command serves at.
func TestReadmeClients(t *testing.T) {
	type server struct {
		Command string
		Args    []string
		URL     string
	}
	stdio, web := 0, 0
	for _, b := range blocksOf(t, "../../README.md") {
		if b.language != "json" || !strings.Contains(b.text, "ervers") {
			continue
		}
		var config struct{ MCPServers, Servers map[string]server }
		if err := json.Unmarshal([]byte(b.text), &config); err != nil {
			t.Errorf("README.md:%d: %v", b.line, err)
			continue
		}
		for _, servers := range []map[string]server{config.MCPServers, config.Servers} {
			for _, s := range servers {
				if s.URL != "" {
					web++
					if s.URL != "http://127.0.0.1:8080/mcp" {
						t.Errorf("README.md:%d: url %q", b.line, s.URL)
					}
					continue
				}
				stdio++
				startAsClient(t, b.line, s.Command, s.Args)
			}
		}
	}
	if stdio != 4 || web != 3 {
		t.Errorf("%d stdio and %d http configurations", stdio, web)
	}
}

func startAsClient(t *testing.T, line int, command string, args []string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range args {
		args[i] = strings.Replace(a, "/path/to", root, 1)
	}
	cmd := exec.Command(command, args...)
	cmd.Dir = "/"
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"serverInfo":{"name":"shop"`) {
		t.Errorf("README.md:%d: %v\n%s", line, err, out)
	}
}

// TestReadmeExamples loads every block of HCL in the README and in docs
// together with what it needs, and holds the printed row against a real read.
func TestReadmeExamples(t *testing.T) {
	text := ""
	for _, b := range blocksOf(t, "../../README.md") {
		switch {
		case b.language == "hcl":
			text += b.text + "\n"
		case b.language == "json" && strings.HasPrefix(b.text, `{"id":1,`):
			out, err := exec.Command("mcpdecl", "read", "../../examples/shop.hcl", "shop://customers/1").Output()
			if err != nil || string(out) != strings.TrimSpace(b.text) {
				t.Errorf("README.md:%d: the row is %s (%v)", b.line, out, err)
			}
		}
	}
	dir := t.TempDir()
	sql, err := os.ReadFile("../../examples/shop.sql")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"readme.hcl": []byte(text), "shop.sql": sql} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("mcpdecl", "validate", "--strict", dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReadmeAnswers holds the table of answers against real reads.
func TestReadmeAnswers(t *testing.T) {
	f, err := os.Open("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	row := regexp.MustCompile("^\\| `(shop://[^`]*)` \\| (.*) \\|$")
	want := map[string]string{
		"*Resource not found*": "Resource not found", "*Invalid parameter": `Invalid parameter "id": "abc" is not an integer`,
		"refused": "URI refused",
	}
	rows := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		m := row.FindStringSubmatch(sc.Text())
		if m == nil {
			continue
		}
		rows++
		out, _ := exec.Command("mcpdecl", "read", "../../examples/shop.hcl", m[1]).CombinedOutput()
		found := false
		for said, message := range want {
			found = found || strings.HasPrefix(m[2], said) && strings.Contains(string(out), message)
		}
		if !found {
			t.Errorf("%s: README says %s, read says %s", m[1], m[2], out)
		}
	}
	if rows != 4 {
		t.Errorf("%d rows", rows)
	}
}
