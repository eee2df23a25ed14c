package decl

// RootSpec is the specification of what stands at the top level of a
// configuration, with everything inside it. Documentation and the JSON Schema
// are made from it.
func RootSpec(k Kinds) *BlockSpec {
	connection := &BlockSpec{
		Type: "connection", Labels: []string{"kind", "name"}, Repeats: true, Open: true,
		Doc: "A backend that sources read from. It is opened at the first read.",
	}
	for _, c := range k.Connections {
		connection.Variants = append(connection.Variants, c.Spec)
	}
	source := &BlockSpec{
		Type: "source", Labels: []string{"kind"}, Open: true,
		Doc: "What answers a read.",
	}
	for _, s := range k.Sources {
		source.Variants = append(source.Variants, s.Spec)
	}
	param := paramSpec(source)
	return &BlockSpec{
		Type: "configuration",
		Blocks: []*BlockSpec{
			serverSpec(), variableSpec(), localsSpec(), connection,
			resourceSpec(source, param), toolSpec(source, param), promptSpec(param),
		},
	}
}

func bodyAttrs() []AttrSpec {
	return []AttrSpec{
		{Name: "text", Type: Expression, Doc: "The content as text; over what the source returned, where there is a source."},
		{Name: "json", Type: Expression, Doc: "The content as JSON: any value."},
		{Name: "blob", Type: Expression, Doc: "The content as bytes: a base64 string."},
	}
}

func validationSpec() *BlockSpec {
	return &BlockSpec{
		Type: "validation", Repeats: true,
		Attrs: []AttrSpec{
			{Name: "condition", Type: Expression, Required: true, Doc: "Must be true for the value to be accepted."},
			{Name: "error_message", Type: Expression, Required: true, Doc: "What is said when it is not."},
		},
		Doc: "A rule that the constraints cannot express.",
	}
}

func serverSpec() *BlockSpec {
	return &BlockSpec{
		Type: "server",
		Attrs: []AttrSpec{
			{Name: "name", Type: String, Doc: "The name that clients see; by default that of the file or directory."},
			{Name: "title", Type: String, Doc: "A name for people."},
			{Name: "version", Type: String, Doc: "The version of this configuration."},
			{Name: "instructions", Type: String, Doc: "What a model should know before it reads."},
			{Name: "page_size", Type: Integer, Default: "100", Min: "1", Doc: "The number of entries in one page of a list."},
			{Name: "resource_tool", Type: Bool, Default: "false", Doc: "Offer one tool read_resource over all resources."},
			{Name: "legacy_not_found", Type: Bool, Default: "false", Doc: "Answer sessions older than protocol 2026-07-28 with -32002 for a missing resource."},
		},
		Doc: "What the server says of itself.",
	}
}

func variableSpec() *BlockSpec {
	return &BlockSpec{
		Type: "variable", Labels: []string{"name"}, Repeats: true,
		Attrs: []AttrSpec{
			{Name: "type", Type: TypeConstraint, Doc: "string, number, bool, any, list(...), set(...), map(...), object({...}) or tuple([...])."},
			{Name: "default", Type: AnyValue, Doc: "The value when none is given; without it the variable is required."},
			{Name: "sensitive", Type: Bool, Default: "false", Doc: "The value is a secret and never printed."},
			{Name: "description", Type: String, Doc: "What the variable is for."},
		},
		Blocks: []*BlockSpec{validationSpec()},
		Doc:    "A value that the operator gives: --var name=value, --var-file, or the environment variable MCPDECL_VAR_name.",
	}
}

func localsSpec() *BlockSpec {
	return &BlockSpec{Type: "locals", Repeats: true, Doc: "Named values: each attribute is one."}
}

func paramSpec(source *BlockSpec) *BlockSpec {
	return &BlockSpec{
		Type: "param", Labels: []string{"name"}, Repeats: true,
		Attrs: []AttrSpec{
			{Name: "type", Type: ValueType, Default: "string", Doc: "string, integer, number, bool, list(string) or list(integer)."},
			{Name: "description", Type: String, Doc: "What the parameter means."},
			{Name: "default", Type: AnyValue, Doc: "The value when the request has none."},
			{Name: "enum", Type: AnyValue, Doc: "The list of allowed values."},
			{Name: "minimum", Type: Number, Doc: "The smallest allowed number."},
			{Name: "maximum", Type: Number, Doc: "The largest allowed number."},
			{Name: "min_length", Type: Integer, Min: "0", Doc: "The smallest allowed number of characters, or of entries of a list."},
			{Name: "max_length", Type: Integer, Min: "0", Doc: "The largest allowed number of characters, or of entries of a list."},
			{Name: "pattern", Type: String, Doc: "A regular expression (RE2) that must match somewhere in the value; anchor it with ^ and $."},
			{Name: "format", Type: String, Enum: []string{"uuid", "date", "date-time", "email"}, Doc: "A format of JSON Schema."},
			{Name: "allow_dot_segments", Type: Bool, Default: "false", Doc: "Lift the refusal of . and .. path segments for this parameter."},
		},
		Blocks: []*BlockSpec{validationSpec(), completeSpec(source)},
		Doc:    "The type and the constraints of one variable of the uri.",
	}
}

func completeSpec(source *BlockSpec) *BlockSpec {
	return &BlockSpec{
		Type:   "complete",
		Attrs:  []AttrSpec{{Name: "values", Type: StringList, Doc: "A fixed list of completions."}},
		Blocks: []*BlockSpec{source},
		Doc:    "Completions while a user types a value.",
	}
}

func resourceSpec(source, param *BlockSpec) *BlockSpec {
	return &BlockSpec{
		Type: "resource", Labels: []string{"name"}, Repeats: true,
		Attrs: append([]AttrSpec{
			{Name: "uri", Type: String, Required: true, Template: TemplateURI, Doc: "The URI, or an RFC 6570 template of URIs."},
			{Name: "title", Type: String, Doc: "A name for people."},
			{Name: "description", Type: String, Doc: "What a model finds here."},
			{Name: "mime_type", Type: String, Doc: "The media type of the content."},
			{Name: "size", Type: Integer, Min: "0", Doc: "The size in bytes, of a static resource."},
			{Name: "hidden", Type: Bool, Default: "false", Doc: "Readable, but not listed."},
		}, bodyAttrs()...),
		Blocks: []*BlockSpec{
			param, source, annotationsSpec(), iconSpec(),
			listSpec(source), cacheSpec(), subscribeSpec(), resourceToolSpec(),
		},
		Doc: "One MCP resource, or one resource template where the uri has {variables}.",
	}
}

func annotationsSpec() *BlockSpec {
	return &BlockSpec{
		Type: "annotations",
		Attrs: []AttrSpec{
			{Name: "audience", Type: StringList, Doc: "Whom the content is for: \"user\", \"assistant\" or both."},
			{Name: "priority", Type: Number, Doc: "How important the content is, from 0 to 1."},
		},
		Doc: "Hints to clients.",
	}
}

func iconSpec() *BlockSpec {
	return &BlockSpec{
		Type: "icon", Repeats: true,
		Attrs: []AttrSpec{
			{Name: "src", Type: String, Required: true, Doc: "The URL of the image: https or data."},
			{Name: "mime_type", Type: String, Doc: "Its media type."},
			{Name: "sizes", Type: StringList, Doc: "Its sizes, such as \"48x48\" or \"any\"."},
		},
		Doc: "An icon for clients that show one.",
	}
}

func listSpec(source *BlockSpec) *BlockSpec {
	return &BlockSpec{
		Type: "list",
		Attrs: []AttrSpec{
			{Name: "params", Type: Object, Doc: "The parameters of each entry; by default the columns of the same names."},
			{Name: "name", Type: Expression, Doc: "The name of each entry."},
			{Name: "title", Type: Expression, Doc: "The title of each entry."},
			{Name: "description", Type: Expression, Doc: "The description of each entry."},
			{Name: "mime_type", Type: Expression, Doc: "The media type of each entry."},
		},
		Blocks: []*BlockSpec{source},
		Doc:    "The concrete resources of a template, for resources/list.",
	}
}

func cacheSpec() *BlockSpec {
	return &BlockSpec{
		Type: "cache",
		Attrs: []AttrSpec{
			{Name: "ttl", Type: String, Required: true, Doc: "How long a result is kept, such as \"30s\"; \"upstream\": as the HTTP backend says."},
			{Name: "scope", Type: String, Default: "private", Enum: []string{"private", "public"}, Doc: "Whether a shared cache may keep the result."},
		},
		Doc: "Keep results for a while, here and in clients.",
	}
}

func subscribeSpec() *BlockSpec {
	return &BlockSpec{
		Type: "subscribe",
		Attrs: []AttrSpec{
			{Name: "every", Type: Duration, Min: "1s", Doc: "How often to look whether the content changed."},
			{Name: "channel", Type: String, Doc: "The PostgreSQL channel whose notifications mean a change."},
		},
		Doc: "Tell subscribers when the content changes.",
	}
}

func resourceToolSpec() *BlockSpec {
	return &BlockSpec{
		Type: "tool",
		Attrs: []AttrSpec{
			{Name: "name", Type: String, Doc: "The tool's name; by default the resource's."},
			{Name: "title", Type: String, Doc: "A name for people."},
			{Name: "description", Type: String, Doc: "What the tool does; by default the resource's description."},
		},
		Doc: "Offer the same read as a read-only tool.",
	}
}

func toolSpec(source, param *BlockSpec) *BlockSpec {
	return &BlockSpec{
		Type: "tool", Labels: []string{"name"}, Repeats: true,
		Attrs: append([]AttrSpec{
			{Name: "title", Type: String, Doc: "A name for people."},
			{Name: "description", Type: String, Doc: "What the tool does."},
		}, bodyAttrs()...),
		Blocks: []*BlockSpec{param, source},
		Doc:    "One MCP tool over the same sources.",
	}
}

func promptSpec(param *BlockSpec) *BlockSpec {
	message := &BlockSpec{
		Type: "message", Repeats: true, Required: true,
		Attrs: []AttrSpec{
			{Name: "role", Type: String, Default: "user", Enum: []string{"user", "assistant"}, Doc: "Who says it."},
			{Name: "text", Type: Expression, Doc: "The text of the message."},
			{Name: "resource", Type: String, Template: TemplateURI, Doc: "The URI template of a resource to embed."},
		},
		Doc: "One message of the prompt.",
	}
	return &BlockSpec{
		Type: "prompt", Labels: []string{"name"}, Repeats: true,
		Attrs: []AttrSpec{
			{Name: "title", Type: String, Doc: "A name for people."},
			{Name: "description", Type: String, Doc: "What the prompt is for."},
		},
		Blocks: []*BlockSpec{param, message},
		Doc:    "One MCP prompt.",
	}
}
