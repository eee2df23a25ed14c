package transport_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine"
)

func anyShop() *mcp.Server { return newShop(shop{}, engine.ServerOptions{}) }

func readParams(uri string) string {
	raw, _ := json.Marshal(map[string]string{"uri": uri})
	return string(raw)
}

func TestS1_AnyURIMakesAValidAnswer(t *testing.T) {
	uris := []string{"nope://h/\u007f", "nope://h/\u0001", "nope://h/\v", "nope://h/\x00", "nope://h/\U000E0001", "nope://h/\u2028\"\\"}
	wires(t, anyShop, func(t *testing.T, call func(string, string) reply) {
		for _, uri := range uris {
			r := call("resources/read", readParams(uri))
			r.wantError(t, -32602)
			if r.Error.Message != "Resource not found" || r.Error.Data["uri"] != uri {
				t.Errorf("%q: got %s", uri, r.raw)
			}
			call("resources/read", readParams("shop://hello")).wantText(t, "hello")
		}
	})
}

func TestS2_PanicEndsNothing(t *testing.T) {
	wires(t, anyShop, func(t *testing.T, call func(string, string) reply) {
		for range 2 {
			r := call("resources/read", readParams("shop://panic"))
			r.wantError(t, -32603)
			if r.Error.Data["reference"] == nil || strings.Contains(string(r.raw), "stock") {
				t.Errorf("got %s", r.raw)
			}
		}
		call("resources/read", readParams("shop://hello")).wantText(t, "hello")
	})
}

func TestS3_BackendErrorsStayInside(t *testing.T) {
	wires(t, anyShop, func(t *testing.T, call func(string, string) reply) {
		r := call("resources/read", readParams("shop://broken"))
		r.wantError(t, -32603)
		if r.Error.Message != "Internal error" || strings.Contains(string(r.raw), "hunter2") {
			t.Errorf("got %s", r.raw)
		}
	})
}

func TestS4_EmptyContentsHaveTheirField(t *testing.T) {
	wires(t, anyShop, func(t *testing.T, call func(string, string) reply) {
		if r := call("resources/read", readParams("shop://empty")); !strings.Contains(string(r.raw), `"contents":[{"uri":"shop://empty","mimeType":"text/plain","text":""}]`) {
			t.Errorf("got %s", r.raw)
		}
		if r := call("resources/read", readParams("shop://empty-blob")); !strings.Contains(string(r.raw), `"contents":[{"uri":"shop://empty-blob","blob":""}]`) {
			t.Errorf("got %s", r.raw)
		}
	})
}

func TestS8_ListsAreArrays(t *testing.T) {
	wires(t, anyShop, func(t *testing.T, call func(string, string) reply) {
		for method, want := range map[string]string{
			"tools/list":               `"tools":[]`,
			"prompts/list":             `"prompts":[]`,
			"resources/list":           `"resources":[{"uri":"shop://hello","name":"hello","description":"A greeting."}]`,
			"resources/templates/list": `"resourceTemplates":[{"uriTemplate":"shop://customers/{id}","name":"customer","description":"One customer."}]`,
		} {
			if r := call(method, "{}"); r.Error != nil || !strings.Contains(string(r.raw), want) {
				t.Errorf("%s: want %s, got %s", method, want, r.raw)
			}
		}
	})
}
