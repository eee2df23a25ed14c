# An issue tracker's JSON API as MCP resources. Start the backend, then serve:
#
#   go run ./examples/backend
#   go run ./cmd/mcpdecl serve --http 127.0.0.1:8080 examples/http.hcl

server {
  name         = "tracker"
  title        = "Issue tracker"
  version      = "1.0.0"
  instructions = "Issues of the projects compass and sextant, their authors, and a search over all."
}

# Scheme, host and base path of every request. A value of a client can reach
# nothing else. base_url names this machine, so its address is allowed; for a
# name on the outside, private addresses are refused.
connection "http" "tracker" {
  base_url = "http://127.0.0.1:9090/v1"
  bearer   = env("TRACKER_TOKEN", "demo-token")
  timeout  = "5s"
  health   = "/status"

  retry {
    max      = 2
    max_wait = "1s"
  }
}

# Without json, text or items the body is passed on byte for byte.
resource "issue" {
  uri         = "tracker://projects/{project}/issues/{number}"
  title       = "Issue"
  description = "One issue of a project."
  mime_type   = "application/json"

  param "number" {
    type        = integer
    minimum     = 1
    description = "Issue number."
  }

  source "http" {
    connection = connection.http.tracker
    url        = "/projects/{project}/issues/{number}"
  }
}

# items picks the list out of its envelope; each item stays as it was sent.
resource "issues" {
  uri         = "tracker://projects/{project}/issues{?state,label}"
  title       = "Issues"
  description = "The issues of a project, by state and label."
  mime_type   = "application/json"

  param "state" {
    enum        = ["open", "closed"]
    description = "Only issues in this state."
  }
  param "label" {
    description = "Only issues with this label."
  }

  source "http" {
    connection  = connection.http.tracker
    url         = "/projects/{project}/issues{?state,label}"
    items       = body.items
    allow_empty = true
  }
}

# A search by POST. It changes nothing, so it may be tried again. Every issue
# that is found is a content with a URI of its own.
resource "search" {
  uri         = "tracker://search{?text,limit}"
  title       = "Search"
  description = "Issues whose title or text holds the words."
  mime_type   = "application/json"

  param "text" {
    min_length  = 2
    default     = "needle"
    description = "What to look for."
  }
  param "limit" {
    type    = integer
    minimum = 1
    maximum = 50
    default = 10
  }

  source "http" {
    connection = connection.http.tracker
    url        = "/search"
    method     = "POST"
    json_body  = { text = param.text, limit = param.limit }
    idempotent = true
    items      = body.items
    rows       = "each"
    item_uri   = "tracker://projects/${item.project}/issues/${item.number}"
  }
}

# A text over the answer.
resource "user" {
  uri         = "tracker://users/{login}"
  title       = "User"
  description = "One user, as a sentence."
  mime_type   = "text/plain"

  source "http" {
    connection = connection.http.tracker
    url        = "/users/{login}"
  }

  text = "${body.name} (${body.login}) works in the team ${body.team}.\n"
}

# Binary bodies become blobs.
resource "avatar" {
  uri         = "tracker://users/{login}/avatar"
  title       = "Avatar"
  description = "The picture of a user."
  mime_type   = "image/png"

  source "http" {
    connection = connection.http.tracker
    url        = "/users/{login}/avatar"
  }
}
