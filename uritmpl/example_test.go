package uritmpl_test

import (
	"errors"
	"fmt"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

func ExampleMatcher_Match() {
	m := uritmpl.MustCompile("shop://customers/{id}/orders{?since,status*}")
	match, ok, err := m.Match("shop://customers/a%20b/orders?status=open&status=paid")
	fmt.Println(ok, err)
	for i, v := range m.Template().Variables() {
		value := match.Values[i]
		fmt.Printf("%s: present %v, %q %q\n", v.Name, value.Present, value.Text, value.List)
	}
	// Output:
	// true <nil>
	// id: present true, "a b" []
	// since: present false, "" []
	// status: present true, "" ["open" "paid"]
}

func ExampleMatcher_Match_refused() {
	_, _, err := uritmpl.MustCompile("docs://{name}").Match("docs://..%2Fsecret")
	var r *uritmpl.Refusal
	if errors.As(err, &r) {
		fmt.Println(r.Code, r.Parameter, r.Offset)
	}
	// Output: traversal name 7
}

func ExampleCompile() {
	t, err := uritmpl.Parse("shop://{customer}{order}")
	if err != nil {
		panic(err)
	}
	_, err = uritmpl.Compile(t)
	var e *uritmpl.Error
	if errors.As(err, &e) {
		fmt.Println(e)
		fmt.Println(e.Fix)
		fmt.Println(e.Suggestion)
	}
	// Output:
	// template "shop://{customer}{order}", byte 18: nothing separates "{order}" from "{customer}"
	// Put text between them, a slash or a dash for instance.
	// shop://{customer}/{order}
}

func ExampleTemplate_Expand() {
	t, err := uritmpl.Parse("https://api.example.com/search/{kind}{?q,tags*}")
	if err != nil {
		panic(err)
	}
	fmt.Println(t.Expand(map[string]any{"kind": "book", "q": "a&b", "tags": []string{"x", "y"}}))
	// Output: https://api.example.com/search/book?q=a%26b&tags=x&tags=y <nil>
}

func ExampleCompare() {
	a := uritmpl.MustCompile("shop://orders/{id}")
	b := uritmpl.MustCompile("shop://{kind}/latest")
	c := uritmpl.Compare(a, b)
	fmt.Println(c.Relation, c.Winner, c.Rule, c.Witness)
	// Output: overlap 0 leftmost_literal shop://orders/latest
}

func ExampleNormalize() {
	fmt.Println(uritmpl.Normalize("DOCS://h/caf\u00e9/%7Ebob/a%2fb c"))
	// Output: docs://h/caf%C3%A9/~bob/a%2Fb%20c <nil>
}
