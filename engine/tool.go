package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// Tool is one entry of tools/list.
type Tool struct {
	Name, Title, Description string
	// InputSchema is a JSON Schema object.
	InputSchema json.RawMessage
	// ReadOnly says that a call changes nothing, whatever its arguments are.
	ReadOnly bool
}

// tool is a tool with what answers it.
type tool struct {
	Tool
	params []*decl.Param
	call   func(ctx context.Context, params []any) (*Result, error)
}

// readResourceTool is the tool of server.resource_tool.
const readResourceTool = "read_resource"

// openTools makes the tools of a configuration ready: its tool blocks, the
// resources that are tools too, and the one tool over all resources.
func (e *Engine) openTools(o *opener, c *decl.Config) error {
	for _, d := range c.Tools {
		r := &resource{Resource: &decl.Resource{Name: d.Name, Params: d.Params, Source: d.Source, Body: d.Body}}
		if d.Source != nil {
			var err error
			if r.source, err = o.source(d.Source); err != nil {
				return fmt.Errorf("open tool %q: %w", d.Name, err)
			}
		}
		e.tools = append(e.tools, &tool{
			Tool:   Tool{d.Name, d.Title, d.Description, inputSchema(d.Params), d.Source == nil || !d.Source.Writes},
			params: d.Params,
			call:   func(ctx context.Context, params []any) (*Result, error) { return e.callTool(ctx, r, params) },
		})
	}
	for _, d := range c.Resources {
		if d.Tool != nil {
			e.tools = append(e.tools, e.resourceTool(d))
		}
	}
	if c.Server.ResourceTool {
		e.tools = append(e.tools, e.readTool())
	}
	return nil
}

// callTool runs a tool block; it is a read without a URI.
func (e *Engine) callTool(ctx context.Context, r *resource, params []any) (*Result, error) {
	uri := "tool:" + r.Name // for messages, and for contents that are not text
	if err := validate(r.Params, params, uri); err != nil {
		return nil, toolError(r.Name, err)
	}
	m := &match{uri: uri, resource: r, params: params}
	out, _, err := m.answer(ctx, m.request())
	if err != nil {
		return nil, toolError(r.Name, err)
	}
	return out, nil
}

func toolError(name string, err error) error {
	var broken *decl.Broken
	if errors.As(err, &broken) {
		return invalidParameter("", broken)
	}
	own := readError("", name, err)
	if own.NotFound {
		own.Message = "Nothing found"
	}
	return own
}

// resourceTool offers the read of a resource as a tool: its arguments make the
// URI, which is read as a client's own would be.
func (e *Engine) resourceTool(d *decl.Resource) *tool {
	t := &tool{
		Tool:   Tool{d.Tool.Name, d.Tool.Title, d.Tool.Description, inputSchema(d.Params), d.Source == nil || !d.Source.Writes},
		params: d.Params,
	}
	t.call = func(ctx context.Context, params []any) (*Result, error) {
		values := make([]uritmpl.Value, len(params))
		for i, p := range params {
			values[i] = uriValue(p)
		}
		uri, err := d.Matcher.Expand(values)
		if err != nil {
			return nil, &Error{Code: CodeInvalidParams, Message: "No URI can be made of these values: " + err.Error()}
		}
		return e.Read(ctx, uri)
	}
	return t
}

// uriValue spells a typed value as it stands in a URI.
func uriValue(v any) uritmpl.Value {
	switch v := v.(type) {
	case nil:
		return uritmpl.Value{}
	case []string:
		return uritmpl.Value{Present: len(v) > 0, IsList: true, List: v}
	case []int64:
		list := make([]string, len(v))
		for i, n := range v {
			list[i] = fmt.Sprint(n)
		}
		return uritmpl.Value{Present: len(v) > 0, IsList: true, List: list}
	case string:
		return uritmpl.Value{Present: true, Text: v}
	}
	text, _ := json.Marshal(v) // a number or a bool, in the spelling of JSON
	return uritmpl.Value{Present: true, Text: string(text)}
}

func (e *Engine) readTool() *tool {
	params := []*decl.Param{{Name: "uri", Required: true, Description: "The URI of the resource, as resources/list gives it or made from a resource template."}}
	return &tool{
		Tool: Tool{
			Name: readResourceTool, Title: "Read resource", Description: "Reads one resource of this server.",
			InputSchema: inputSchema(params), ReadOnly: true,
		},
		params: params,
		call:   func(ctx context.Context, params []any) (*Result, error) { return e.Read(ctx, params[0].(string)) },
	}
}

// Tools returns the tools in declaration order.
func (e *Engine) Tools() []Tool {
	out := make([]Tool, len(e.tools))
	for i, t := range e.tools {
		out[i] = t.Tool
	}
	return out
}

// CallTool runs the tool of that name with the arguments of a client. The
// error is always an *Error.
func (e *Engine) CallTool(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	i := slices.IndexFunc(e.tools, func(t *tool) bool { return t.Name == name })
	if i < 0 {
		return nil, &Error{Code: CodeInvalidParams, Message: fmt.Sprintf("Unknown tool %q", name)}
	}
	t := e.tools[i]
	params, broken := decodeArgs(t.params, args)
	if broken != nil {
		return nil, invalidParameter("", broken)
	}
	return t.call(ctx, params)
}
