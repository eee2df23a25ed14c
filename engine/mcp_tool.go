package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ToolBackend is a Backend that has tools.
type ToolBackend interface {
	Tools() []Tool
	CallTool(ctx context.Context, name string, args json.RawMessage) (*Result, error)
}

// addTools offers the tools of the backend through the SDK.
func (e *edge) addTools(s *mcp.Server, b ToolBackend) {
	for _, t := range b.Tools() {
		destructive := !t.ReadOnly
		s.AddTool(&mcp.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.ReadOnly, IdempotentHint: t.ReadOnly, DestructiveHint: &destructive},
		}, e.callTool)
	}
}

// callTool answers a call. What a model can correct by itself, a wrong value or
// nothing found, is a result that says so; all else is an error of the protocol.
func (e *edge) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	b, ok := e.current().(ToolBackend)
	if !ok {
		return nil, &Error{Code: CodeInvalidParams, Message: "this server has no tools"}
	}
	res, err := b.CallTool(ctx, req.Params.Name, req.Params.Arguments)
	var own *Error
	if errors.As(err, &own) && own.Code == CodeInvalidParams {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: own.Message}}}, nil
	}
	if err != nil {
		return nil, err
	}
	return toolResult(res), nil
}

// toolResult carries each content as text, or as an embedded resource where it
// is not text, and the first one, if it is JSON, as structured content too.
func toolResult(res *Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{}
	for _, c := range res.Contents {
		out.Content = append(out.Content, toolContent(c))
	}
	if len(res.Contents) > 0 && res.Contents[0].MIMEType == typeJSON {
		out.StructuredContent = structured(res.Contents[0].Data)
	}
	return out
}

func toolContent(c Content) mcp.Content {
	switch {
	case !c.Binary:
		return &mcp.TextContent{Text: string(c.Data)}
	case strings.HasPrefix(c.MIMEType, "image/"):
		return &mcp.ImageContent{MIMEType: c.MIMEType, Data: c.Data}
	case strings.HasPrefix(c.MIMEType, "audio/"):
		return &mcp.AudioContent{MIMEType: c.MIMEType, Data: c.Data}
	}
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: c.URI, MIMEType: c.MIMEType, Blob: c.Data}}
}

// structured is an object, as the protocol wants it: a list stands in a member
// "result". It keeps the digits as they are.
func structured(data []byte) any {
	if !json.Valid(data) {
		return nil
	}
	if len(data) > 0 && data[0] == '{' {
		return json.RawMessage(data)
	}
	return map[string]json.RawMessage{"result": data}
}
