package http

import (
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
)

func TestPassThrough(t *testing.T) {
	const body = "{ \"b\": 1.10,\n  \"a\": 420465847726953123 }\n"
	f := open(t, reply(t, 200, "application/json; charset=utf-8", body), one("", `url = "/x"`))
	c := f.content("r")
	if string(c.Data) != body || c.MIMEType != "application/json" || c.Binary {
		t.Errorf("got %q as %s", c.Data, c.MIMEType)
	}
}

func TestC8_DigitsSurvive(t *testing.T) {
	const body = `{"id":420465847726953123,"v":1.10,"list":[{"z":1,"id":420465847726953123,"v":1.10},{"z":2,"id":1,"v":-0.50}]}`
	server := reply(t, 200, "application/json", body)
	if got, want := open(t, server, one("", "url = \"/x\"\nitems = body.list")).text("r"), `[{"z":1,"id":420465847726953123,"v":1.10},{"z":2,"id":1,"v":-0.50}]`; got != want {
		t.Errorf("items: %s", got)
	}
	if got, want := open(t, server, one("", "url = \"/x\"\nitems = [for i in body.list : { v = i.v, id = i.id, whole = i }]")).text("r"),
		`[{"id":420465847726953123,"v":1.10,"whole":{"z":1,"id":420465847726953123,"v":1.10}},{"id":1,"v":-0.50,"whole":{"z":2,"id":1,"v":-0.50}}]`; got != want {
		t.Errorf("computed items: %s", got)
	}
	for _, body := range []string{"text = \"${body.id} ${body.v}\"", "json = body"} {
		text := strings.Replace(one("", `url = "/x"`), "uri = \"t://r\"", "uri = \"t://r\"\n"+body, 1)
		f := open(t, server, text)
		res, err := f.read("r")
		if err != nil {
			t.Fatal(err)
		}
		v := res.Scope["body"]
		if strings.HasPrefix(body, "text") {
			if got := v.GetAttr("id").AsBigFloat().Text('f', -1) + " " + v.GetAttr("v").AsString(); got != "420465847726953123 1.10" {
				t.Errorf("text: %s", got)
			}
			continue
		}
		id, _ := decl.Digits(v.GetAttr("id"))
		digits, _ := decl.Digits(v.GetAttr("v"))
		if id != "420465847726953123" || digits != "1.10" {
			t.Errorf("json: %s %s", id, digits)
		}
	}
}
