package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const toolConfig = `
server {
  resource_tool = true
}
resource "customer" {
  uri         = "shop://customers/{id}{?tag*,flag}"
  description = "One customer."
  param "id" {
    type    = integer
    minimum = 1
  }
  param "tag" {
    type = list(integer)
  }
  param "flag" {
    type = bool
  }
  source "fake" {}
  tool {
    name = "get_customer"
  }
}
tool "find" {
  title       = "Find"
  description = "Finds."
  param "q" {
    min_length  = 2
    description = "What."
  }
  param "limit" {
    type    = integer
    default = 20
    minimum = 1
    maximum = 100
  }
  param "kinds" {
    type       = list(string)
    enum       = ["a", "b"]
    max_length = 2
    default    = null
  }
  param "share" {
    type    = number
    default = null
  }
  source "fake" {}
}
`

func TestToolSchema(t *testing.T) {
	e := (&fake{}).mustEngine(t, toolConfig)
	var got []string
	for _, x := range e.Tools() {
		got = append(got, fmt.Sprintf("%s|%s|%s|%v|%s", x.Name, x.Title, x.Description, x.ReadOnly, x.InputSchema))
	}
	want := []string{
		`find|Find|Finds.|true|{"type":"object","properties":{"q":{"type":"string","description":"What.","minLength":2},` +
			`"limit":{"type":"integer","minimum":1,"maximum":100,"default":20},` +
			`"kinds":{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":2},"share":{"type":"number"}},` +
			`"required":["q"],"additionalProperties":false}`,
		`get_customer||One customer.|true|{"type":"object","properties":{"id":{"type":"integer","minimum":1},` +
			`"tag":{"type":"array","items":{"type":"integer"}},"flag":{"type":"boolean"}},"required":["id"],"additionalProperties":false}`,
		`read_resource|Read resource|Reads one resource of this server.|true|{"type":"object","properties":{"uri":{"type":"string",` +
			`"description":"The URI of the resource, as resources/list gives it or made from a resource template."}},"required":["uri"],"additionalProperties":false}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestToolArguments(t *testing.T) {
	var got []any
	f := &fake{read: func(req *sources.Request) (*sources.Result, error) {
		got = req.Params
		return &sources.Result{Contents: []sources.Content{{MIMEType: "application/json", Data: []byte(`[1]`)}}}, nil
	}}
	e := f.mustEngine(t, toolConfig)
	for args, want := range map[string]string{
		`{"q":"ab"}`: `[]interface {}{"ab", 20, interface {}(nil), interface {}(nil)}`,
		`{"q":"ab","limit":5.0,"kinds":["a","b"],"share":1.5}`: `[]interface {}{"ab", 5, []string{"a", "b"}, 1.5}`,
		`{"q":"ab","limit":null}`:                              `[]interface {}{"ab", 20, interface {}(nil), interface {}(nil)}`,
		`{}`:                                                   "required q", ``: "required q", `[]`: "type arguments", `{"q":1}`: "type q", `{"q":"a"}`: "min_length q",
		`{"q":"ab","limit":"5"}`: "type limit", `{"q":"ab","limit":5.5}`: "type limit", `{"q":"ab","limit":101}`: "maximum limit",
		`{"q":"ab","kinds":"a"}`: "type kinds", `{"q":"ab","kinds":["c"]}`: "enum kinds", `{"q":"ab","kinds":["a","b","a"]}`: "max_length kinds",
		`{"q":"ab","kinds":[null]}`: "type kinds", `{"q":"ab","x":1}`: "unknown x", `{"q":true}`: "type q",
	} {
		_, err := e.CallTool(t.Context(), "find", json.RawMessage(args))
		var own *Error
		said := fmt.Sprintf("%#v", got)
		if errors.As(err, &own) {
			said = fmt.Sprint(own.Data["rule"], " ", own.Data["parameter"])
		}
		if said != want {
			t.Errorf("%s: %s, want %s", args, said, want)
		}
	}
}

func TestS9_ResourceAsTool(t *testing.T) {
	var uri string
	f := &fake{read: func(req *sources.Request) (*sources.Result, error) {
		uri = req.URI
		if strings.HasPrefix(uri, "shop://customers/9") {
			return nil, sources.ErrNotFound
		}
		return &sources.Result{Contents: []sources.Content{{MIMEType: "application/json", Data: []byte(`{"big":9007199254740993}`)}}}, nil
	}}
	e := f.mustEngine(t, toolConfig)
	s := NewServer(func() Backend { return e }, ServerOptions{})
	c := connect(t, s)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_customer", Arguments: map[string]any{"id": 7, "tag": []int{1, 2}, "flag": true}})
	if err != nil || uri != "shop://customers/7?tag=1&tag=2&flag=true" || res.IsError {
		t.Fatalf("%+v, %v, read %q", res, err, uri)
	}
	if text := res.Content[0].(*mcp.TextContent).Text; text != `{"big":9007199254740993}` || res.StructuredContent == nil {
		t.Errorf("%s, %v", text, res.StructuredContent)
	}
	for name, c2 := range map[string]struct {
		tool string
		args map[string]any
		want string
	}{
		"not there":     {"get_customer", map[string]any{"id": 9}, "Resource not found"},
		"wrong value":   {"get_customer", map[string]any{"id": 0}, `Invalid parameter "id": 0 is below the minimum 1`},
		"wrong type":    {"find", map[string]any{"q": 1}, `Invalid parameter "q": 1 is not of type string`},
		"any resource":  {"read_resource", map[string]any{"uri": "shop://nope"}, "Resource not found"},
		"refused":       {"read_resource", map[string]any{"uri": "shop://customers/..%2F1"}, "URI refused"},
		"read resource": {"read_resource", map[string]any{"uri": "shop://customers/1"}, `{"big":9007199254740993}`},
	} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: c2.tool, Arguments: c2.args})
		if err != nil || len(res.Content) != 1 || !strings.HasPrefix(res.Content[0].(*mcp.TextContent).Text, c2.want) || res.IsError == strings.HasPrefix(c2.want, "{") {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "nope"}); err == nil {
		t.Error("a tool that is not there answers")
	}
	f.read = func(*sources.Request) (*sources.Result, error) { return nil, errors.New("dial 10.0.0.1 as admin") }
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "find", Arguments: map[string]any{"q": "ab"}}); err == nil ||
		strings.Contains(err.Error(), "admin") || !strings.Contains(err.Error(), "Internal error") {
		t.Errorf("a failure of the backend: %v", err)
	}
	_, err = e.CallTool(t.Context(), "find", []byte(`{"q":"ab"}`))
	var own *Error
	if !errors.As(err, &own) || own.Data["uri"] != nil {
		t.Errorf("a tool has no URI to speak of: %+v", own)
	}
}

// connect is a session of the SDK's own client with a server in this process.
func connect(t *testing.T, s *mcp.Server) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
