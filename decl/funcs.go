package decl

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functionError is a mistake in the use of one of our functions that has a
// code of its own.
type functionError struct{ code, summary, detail string }

func (e *functionError) Error() string { return e.summary + ": " + e.detail }

// functions are the functions of the language, for files of one folder.
func (l *loader) functions(dir string) map[string]function.Function {
	fns := standardFunctions()
	fns["env"] = l.envFunction()
	fns["can"], fns["try"] = l.keepSecret(tryfunc.CanFunc), l.keepSecret(tryfunc.TryFunc)
	fns["file"] = l.fileFunction(dir, func(b []byte) (string, error) {
		if !utf8.Valid(b) {
			return "", &functionError{"function_call", "the file is not UTF-8 text", "Use filebase64 for a file that is not text."}
		}
		return string(b), nil
	})
	fns["filebase64"] = l.fileFunction(dir, func(b []byte) (string, error) {
		return base64.StdEncoding.EncodeToString(b), nil
	})
	fns["startswith"], fns["endswith"] = affixFunction(strings.HasPrefix), affixFunction(strings.HasSuffix)
	fns["like_escape"] = stringFunction(`Puts a backslash before \, % and _ so that LIKE ... ESCAPE '\' takes them literally.`, likeEscape)
	fns["urlencode"] = stringFunction("Percent-encodes everything but the unreserved characters of RFC 3986.", urlEncode)
	return fns
}

// standardFunctions are the functions of the cty library under the names of
// the HCL guide.
func standardFunctions() map[string]function.Function {
	return map[string]function.Function{
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "chomp": stdlib.ChompFunc,
		"chunklist": stdlib.ChunklistFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc,
		"compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc,
		"csvdecode": stdlib.CSVDecodeFunc, "distinct": stdlib.DistinctFunc, "element": stdlib.ElementFunc,
		"flatten": stdlib.FlattenFunc, "floor": stdlib.FloorFunc, "format": stdlib.FormatFunc,
		"formatdate": stdlib.FormatDateFunc, "formatlist": stdlib.FormatListFunc, "indent": stdlib.IndentFunc,
		"index": stdlib.IndexFunc, "join": stdlib.JoinFunc, "jsondecode": stdlib.JSONDecodeFunc,
		"jsonencode": stdlib.JSONEncodeFunc, "keys": stdlib.KeysFunc, "length": stdlib.LengthFunc,
		"log": stdlib.LogFunc, "lookup": stdlib.LookupFunc, "lower": stdlib.LowerFunc, "max": stdlib.MaxFunc,
		"merge": stdlib.MergeFunc, "min": stdlib.MinFunc, "parseint": stdlib.ParseIntFunc, "pow": stdlib.PowFunc,
		"range": stdlib.RangeFunc, "regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc,
		"regex_replace": stdlib.RegexReplaceFunc, "replace": stdlib.ReplaceFunc, "reverse": stdlib.ReverseListFunc,
		"setintersection": stdlib.SetIntersectionFunc, "setproduct": stdlib.SetProductFunc,
		"setsubtract": stdlib.SetSubtractFunc, "setunion": stdlib.SetUnionFunc, "signum": stdlib.SignumFunc,
		"slice": stdlib.SliceFunc, "sort": stdlib.SortFunc, "split": stdlib.SplitFunc, "strlen": stdlib.StrlenFunc,
		"strrev": stdlib.ReverseFunc, "substr": stdlib.SubstrFunc, "timeadd": stdlib.TimeAddFunc,
		"title": stdlib.TitleFunc, "trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc,
		"trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc, "upper": stdlib.UpperFunc,
		"values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
		"tobool":   stdlib.MakeToFunc(cty.Bool),
		"tolist":   stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
		"tomap":    stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
		"tonumber": stdlib.MakeToFunc(cty.Number),
		"toset":    stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
		"tostring": stdlib.MakeToFunc(cty.String),
	}
}

// envFunction is env(name) and env(name, default). The result is secret; one
// trailing newline is dropped, as files that hold secrets end in one.
func (l *loader) envFunction() function.Function {
	return function.New(&function.Spec{
		Description: "The value of an environment variable, as a secret. An unset one is an error unless a default is given.",
		Params:      []function.Parameter{{Name: "name", Type: cty.String}},
		VarParam:    &function.Parameter{Name: "default", Type: cty.String},
		Type:        function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if len(args) > 2 {
				return cty.NilVal, function.NewArgErrorf(2, "env takes a name and at most one default")
			}
			name := args[0].AsString()
			value, ok := l.LookupEnv(name)
			switch {
			case ok:
				value = strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r")
			case len(args) == 2:
				return args[1].WithMarks(cty.NewValueMarks(secretMark{}, defaultMark{})), nil
			case l.IgnoreEnv:
				return cty.UnknownVal(cty.String).Mark(secretMark{}), nil
			default:
				return cty.NilVal, &functionError{"env_unset",
					fmt.Sprintf("the environment variable %q is not set", name),
					fmt.Sprintf("Set it before the start, or give a default: env(%q, \"...\").", name)}
			}
			l.config.Secrets.Add(value)
			return cty.StringVal(value).Mark(secretMark{}), nil
		},
	})
}

func (l *loader) fileFunction(dir string, decode func([]byte) (string, error)) function.Function {
	return function.New(&function.Spec{
		Description: "The content of a file; a relative path is relative to the configuration file.",
		Params:      []function.Parameter{{Name: "path", Type: cty.String}},
		Type:        function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			path := args[0].AsString()
			b, err := l.ReadFile(l.resolvePath(dir+"/x", path))
			if err != nil {
				return cty.NilVal, &functionError{"file_unreadable",
					fmt.Sprintf("cannot read the file %q", path),
					pathReason(err) + " A relative path is relative to the configuration file."}
			}
			s, err := decode(b)
			if err != nil {
				return cty.NilVal, err
			}
			return cty.StringVal(s), nil
		},
	})
}

func stringFunction(doc string, f func(string) string) function.Function {
	return function.New(&function.Spec{
		Description: doc,
		Params:      []function.Parameter{{Name: "s", Type: cty.String}},
		Type:        function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.StringVal(f(args[0].AsString())), nil
		},
	})
}

// affixFunction is startswith and endswith.
func affixFunction(has func(s, affix string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "s", Type: cty.String}, {Name: "affix", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(has(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

func likeEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}

func urlEncode(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}

// FunctionNames lists the functions of the language.
func FunctionNames() []string { return sortedKeys((&loader{}).functions("")) }
