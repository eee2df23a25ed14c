# The documentation of this project as MCP resources: a folder of files, listed
# and read. Run it with nothing but Go and a C compiler:
#
#   go run ./cmd/mcpdecl serve --http 127.0.0.1:8080 examples/docs.hcl
#   go run ./cmd/mcpdecl read examples/docs.hcl docs://pages/guide/files.md

server {
  name         = "docs"
  title        = "Documentation of mcpdecl"
  version      = "1.0.0"
  instructions = "The pages are listed. docs://outline/{+path} has the headings of one, docs://lines/{+path} a part of it."
}

# Nothing outside of this directory is ever read, whatever a URI, a link or a
# pattern says, and nothing hidden unless hidden = true.
connection "file" "docs" {
  root = "../docs"
}

# A page by its path. glob says what can be read: no file of another kind.
# {+path} spans directories. list {} puts every page into resources/list, with
# its size and the time of its last change; content is its text.
resource "page" {
  uri         = "docs://pages/{+path}"
  title       = "Page"
  description = "One page of the documentation, by its path."

  annotations {
    audience = ["user", "assistant"]
  }

  source "file" {
    connection = connection.file.docs
    path       = "{+path}"
    glob       = "**/*.md"
  }

  list {
    title       = regex("(?m)^# (.+)$", content)[0]
    description = "${file.size} bytes of Markdown."
  }
}

# A part of a page: 1-20, 30- to the end, -10 for the last ten lines, the whole
# page without. Files of any size are read so, without being loaded.
resource "lines" {
  uri         = "docs://lines/{+path}{?lines}"
  title       = "Lines of a page"
  description = "Some lines of a page, such as 1-20, 30- or -10."

  source "file" {
    connection = connection.file.docs
    path       = "{+path}"
    glob       = "**/*.md"
    lines      = param.lines
  }
}

# A text over the content: the headings of a page, below a line about the file.
resource "outline" {
  uri         = "docs://outline/{+path}"
  title       = "Headings of a page"
  description = "What a page is about, and how long it is."
  mime_type   = "text/markdown"

  source "file" {
    connection = connection.file.docs
    path       = "{+path}"
    glob       = "**/*.md"
  }

  text = "${file.path}, ${file.size} bytes\n\n${join("\n", regexall("(?m)^#+ .+$", content))}\n"
}

# Every file that matches, each as a content of its own.
resource "guides" {
  uri         = "docs://guides"
  title       = "All guides"
  description = "All step-by-step guides at once."

  source "file" {
    connection = connection.file.docs
    glob       = "guide/*.md"
  }
}
