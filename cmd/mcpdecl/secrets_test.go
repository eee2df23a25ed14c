package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsAreNowhere puts known secrets through env, a sensitive variable,
// the URL of a connection and a header, provokes an error on every path, and
// looks for them in all output of all commands.
func TestSecretsAreNowhere(t *testing.T) {
	const fromEnv, fromVar, inURL, fromFile = "env-s3cr3t#1/x", "var-s3cr3t-2", "url-s3cr3t-3", "file-s3cr3t-4"
	closed := freeAddr(t) // nothing listens there
	host, port, _ := strings.Cut(closed, ":")
	base := fmt.Sprintf(`
variable "token" {
  type      = string
  sensitive = true
}
variable "listed" {
  type      = list(string)
  default   = ["%s"]
  sensitive = true
}
locals {
  header = "Bearer ${env("TOKEN")}"
}
connection "sqlite" "db" {
  path = ":memory:"
  init = ["init.sql"]
}
connection "postgres" "literal" {
  url = "postgres://app:%s@%s/app"
}
connection "postgres" "parts" {
  host     = "%s"
  port     = %s
  user     = "app"
  password = env("TOKEN")
  database = "app"
}
connection "mysql" "literal" {
  url = "mysql://app:%s@%s/app"
}
`, fromFile, inURL, closed, host, port, inURL, closed)
	source := func(name, connection, query, args string) string {
		return fmt.Sprintf("resource %q {\n  uri = \"a://%s/{id}\"\n  source \"sql\" {\n    connection = connection.%s\n    query = %q\n    %s\n  }\n}\n",
			name, name, connection, query, args)
	}
	working := base +
		source("ok", "sqlite.db", "SELECT id FROM t WHERE id = :id AND :s <> ''", "args = { s = \"${local.header}${var.token}${join(\",\", var.listed)}\" }") +
		source("fails", "sqlite.db", "SELECT nope FROM t WHERE id = :id AND s = :s", "args = { s = var.token }") +
		source("unreachable", "postgres.literal", "SELECT id FROM t WHERE id = :id", "") +
		source("refused", "postgres.parts", "SELECT id FROM t WHERE id = :id", "") +
		source("mysql", "mysql.literal", "SELECT id FROM t WHERE id = :id", "")
	configs := map[string]string{
		"working": working,
		"shown":   base + "resource \"r\" {\n  uri = \"a://r/${var.token}\"\n  title = local.header\n  description = var.listed[0]\n  text = \"${env(\"TOKEN\")}\"\n}\n",
		"types": base + "server {\n  page_size = var.token\n  title = { a = local.header }\n}\nresource \"r\" {\n  uri = \"a://r/{x}\"\n  text = parseint(env(\"TOKEN\"), 10)\n" +
			"  param \"x\" {\n    pattern = \"(${var.token}\"\n    format = var.token\n    default = [var.token]\n    enum = var.token\n  }\n}\n",
		"places": base + "connection \"postgres\" \"bad\" {\n  url = \"nope://u:" + inURL + "@h/d\"\n}\nconnection \"mysql\" \"bad\" {\n  url = \"mysql://u:" + inURL + "/%zz@h/d\"\n  timeout = env(\"TOKEN\")\n  max_bytes = var.token\n}\n" +
			"connection \"http\" \"bad\" {\n  base_url = \"https://u:" + inURL + "@h/?x\"\n  bearer = \"" + inURL + "\" + 1\n  headers = { A = \"" + inURL + "\", B = [1] }\n}\n" + source("r", "sqlite.db", "SELECT id FROM t WHERE id = :id AND '${var.token}' = :nope", "args = { x = env(\"TOKEN\") + 1 }"),
		"variables": "variable \"token\" {\n  type = number\n  sensitive = true\n  validation {\n    condition = var.token > 1\n    error_message = \"not ${var.token}\"\n  }\n}\n" +
			"variable \"listed\" {\n  type = number\n  sensitive = true\n  default = \"" + fromFile + "\"\n}\nresource \"r\" {\n  uri = \"a://r\"\n  text = \"x\"\n}\n",
		"paths": base + "connection \"sqlite\" \"gone\" {\n  path = env(\"TOKEN\")\n}\nlocals {\n  f = file(var.token)\n}\nresource \"r\" {\n  uri = \"a://r/{id}\"\n  text = param.id\n  mime_type = var.token\n}\n",
	}
	read := [][]string{}
	for _, name := range []string{"ok", "fails", "unreachable", "refused", "mysql", "r"} {
		uri := "a://" + name + "/1"
		read = append(read, []string{"read", "DIR", uri}, []string{"read", "--json", "DIR", uri}, []string{"explain", "DIR", uri}, []string{"explain", "--json", "DIR", uri})
	}
	commands := append(read, []string{"validate", "DIR"}, []string{"validate", "--format", "json", "--strict", "DIR"},
		[]string{"validate", "--format", "sarif", "DIR"}, []string{"serve", "--log-level", "debug", "--log-format", "json", "DIR"}, []string{"serve", "--log-level", "debug", "DIR"})
	for name, text := range configs {
		dir := t.TempDir()
		for file, data := range map[string]string{"main.hcl": text, "init.sql": "CREATE TABLE t (id INTEGER, s TEXT); INSERT INTO t VALUES (1, 'x');"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range commands {
			if name != "working" && strings.HasPrefix(args[len(args)-1], "a://") && args[len(args)-1] != "a://r/1" {
				continue
			}
			out := runWithSecrets(dir, args, "TOKEN="+fromEnv+"\n", "MCPDECL_VAR_token="+fromVar)
			for _, secret := range []string{fromEnv, fromVar, inURL, fromFile, "env-s3cr3t%231%2Fx"} {
				if bytes.Contains(out, []byte(secret)) {
					t.Errorf("%s: %v prints %q:\n%s", name, args, secret, out)
				}
			}
			if len(out) == 0 {
				t.Errorf("%s: %v prints nothing", name, args)
			}
		}
	}
}

// runWithSecrets runs a command on a folder; serve gets reads of everything on
// its standard input.
func runWithSecrets(dir string, args []string, env ...string) []byte {
	args = append([]string(nil), args...)
	for i := range args {
		if args[i] == "DIR" {
			args[i] = dir
		}
	}
	cmd := exec.Command("mcpdecl", args...)
	cmd.Env = append(os.Environ(), env...)
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	for i, name := range []string{"ok", "fails", "unreachable", "refused", "mysql"} {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"a://%s/1"}}`+"\n", i+1, name)
	}
	cmd.Stdin = strings.NewReader(in)
	out, _ := cmd.CombinedOutput()
	return out
}
