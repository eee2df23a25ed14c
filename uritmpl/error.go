package uritmpl

import (
	"fmt"
	"strconv"
)

// The codes of the errors that Parse and Compile return. They are stable:
// users see them, and tools match on them.
const (
	CodeUnclosedExpression       = "unclosed_expression"
	CodeStrayCloseBrace          = "stray_close_brace"
	CodeEmptyExpression          = "empty_expression"
	CodeOperatorWithoutVariable  = "operator_without_variable"
	CodeReservedOperator         = "reserved_operator"
	CodeBadVariableName          = "bad_variable_name"
	CodeBadPrefixModifier        = "bad_prefix_modifier"
	CodeIllegalLiteralChar       = "illegal_literal_char"
	CodeBadPercent               = "bad_percent"
	CodePrefixNotInvertible      = "prefix_not_invertible"
	CodeExplodeNotInvertible     = "explode_not_invertible"
	CodeMultiVariableReserved    = "multi_variable_reserved"
	CodeAdjacentVariables        = "adjacent_variables"
	CodeTwoVariableLength        = "two_variable_length"
	CodeTextAfterPathExpression  = "text_after_path_expression"
	CodeMatrixNotLast            = "matrix_not_last"
	CodeLabelListAfterVariable   = "label_list_after_variable"
	CodeExplodeWithOthers        = "explode_with_other_variables"
	CodeQueryNotLast             = "query_not_last"
	CodeSecondQuery              = "second_query"
	CodeContinuationWithoutQuery = "continuation_without_query"
	CodeOperatorInQuery          = "operator_in_query"
	CodeQueryAfterFragment       = "query_after_fragment"
	CodeSecondFragment           = "second_fragment"
	CodeFragmentNotLast          = "fragment_not_last"
	CodeOperatorInFragment       = "operator_in_fragment"
	CodeDuplicateVariable        = "duplicate_variable"
	CodeNoLiteralScheme          = "no_literal_scheme"
	CodeTemplateTooLong          = "template_too_long"
	CodeTooManyVariables         = "too_many_variables"
)

// Codes lists every code that Parse and Compile use, in the order of the
// checks: the grammar first, then what cannot be matched.
func Codes() []string {
	return []string{
		CodeUnclosedExpression, CodeStrayCloseBrace, CodeEmptyExpression,
		CodeOperatorWithoutVariable, CodeReservedOperator, CodeBadVariableName,
		CodeBadPrefixModifier, CodeIllegalLiteralChar, CodeBadPercent,
		CodePrefixNotInvertible, CodeExplodeNotInvertible,
		CodeMultiVariableReserved, CodeAdjacentVariables, CodeTwoVariableLength,
		CodeTextAfterPathExpression, CodeMatrixNotLast,
		CodeLabelListAfterVariable, CodeExplodeWithOthers, CodeQueryNotLast,
		CodeSecondQuery, CodeContinuationWithoutQuery, CodeOperatorInQuery,
		CodeQueryAfterFragment, CodeSecondFragment, CodeFragmentNotLast,
		CodeOperatorInFragment, CodeDuplicateVariable, CodeNoLiteralScheme,
		CodeTemplateTooLong, CodeTooManyVariables,
	}
}

// An Error is a mistake in a template: what is wrong, where, and how to
// write it instead.
type Error struct {
	Code     string // one of Codes
	Template string // the whole template as it was given
	Offset   int    // first byte of the mistake, 0..len(Template)
	Length   int    // bytes of the mistake; 0 where something is missing
	Reason   string // the fact, lower case, without a full stop
	Fix      string // the remedy, a whole sentence
	// Suggestion is a corrected template that compiles, or empty when none
	// can be derived from what was written.
	Suggestion string
}

// Error returns one line that quotes the template and names the byte,
// counted from 1.
func (e *Error) Error() string {
	return fmt.Sprintf("template %s, byte %d: %s", quote(e.Template), e.Offset+1, e.Reason)
}

// quote quotes for a message and keeps it on one line of bearable length.
func quote(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}
