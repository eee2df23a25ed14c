# Every example of the specification of the language, as one configuration.

server {
  name             = "shop" # default: the directory's or file's name
  title            = "Shop data"
  version          = "1.0.0"
  instructions     = "Customers and orders of the shop."
  page_size        = 100   # list methods; default 100
  resource_tool    = false # true: one read_resource tool over all resources
  legacy_not_found = false # true: sessions older than 2026-07-28 get -32002 as their revision says
}

connection "sqlite" "shop" {
  path = ":memory:"   # a file must exist; ":memory:" only together with init
  init = ["data/shop.sql"] # scripts run once, only for ":memory:" (demos, tests)
}

connection "postgres" "crm" {
  url = env("CRM_URL") # or host, port, user, password, database, sslmode
}

connection "mysql" "erp" { # MySQL and MariaDB
  url = env("ERP_URL") # mysql://user:password@host:3306/db, or the parts
}

connection "http" "tracker" {
  base_url = "https://api.example.com/v2"
  headers  = { Authorization = "Bearer ${env("TRACKER_TOKEN")}" }
}

connection "file" "handbook" {
  root = "data/docs"
}

resource "customer" {
  uri         = "shop://customers/{id}"
  title       = "Customer"
  description = "One customer by id."
  mime_type   = "application/json"

  param "id" {
    type        = integer
    minimum     = 1
    description = "Customer number."

    complete {
      source "sql" {
        connection = connection.sqlite.shop
        query      = "SELECT id FROM customers WHERE id LIKE :prefix || '%' ORDER BY id"
      }
    }
  }

  source "sql" {
    connection = connection.sqlite.shop
    query      = "SELECT id, name, email FROM customers WHERE id = :id"
    rows       = "one"
  }

  list { # concrete resources for resources/list
    source "sql" {
      connection = connection.sqlite.shop
      query      = "SELECT id, name FROM customers ORDER BY id"
    }
    name = row.name # params = { id = row.id } by same-named columns
  }

  cache { ttl = "30s" } # server-side, and ttlMs for clients; scope = "private" | "public"

  subscribe { every = "5s" } # resources/updated when the content's hash changes

  tool { name = "get_customer" } # the same read as a read-only tool
}

tool "find_customers" {
  description = "Customers whose name contains q."
  param "q" { min_length = 2 }
  param "limit" {
    type    = integer
    default = 20
    maximum = 100
  }
  source "sql" {
    connection  = connection.sqlite.shop
    query       = "SELECT id, name FROM customers WHERE name LIKE :pattern LIMIT :limit"
    args        = { pattern = "%${like_escape(param.q)}%" }
    allow_empty = true
  }
}

prompt "reply" {
  description = "Draft a reply to a customer."
  param "id" { type = integer }
  message {
    role     = "user"
    resource = "shop://customers/{id}"
  }
  message {
    role = "user"
    text = "Write a friendly reply to this customer."
  }
}

# What the tables of the specification name and its examples do not show.

variable "region" {
  type    = string
  default = "eu"
}

locals {
  scheme = "misc"
}

resource "icons" {
  uri         = "${local.scheme}://${var.region}/logo"
  title       = "Logo"
  description = "The logo."
  mime_type   = "image/png"
  size        = 4
  blob        = filebase64("data/logo.png")
  hidden      = true
  annotations {
    audience = ["user", "assistant"]
    priority = 0.5
  }
  icon {
    src       = "https://example.com/logo.png"
    mime_type = "image/png"
    sizes     = ["48x48", "any"]
  }
}

resource "search" {
  uri  = "misc://search{/path*}{?q,from,to,id,mail,tag*,n*,flag,share}"
  json = { path = param.path, q = param.q, all = param, where = uri }
  param "path" {
    type               = list(string)
    allow_dot_segments = true
  }
  param "q" {
    min_length = 1
    max_length = 50
    pattern    = "^[a-z]+$"
    enum       = ["a", "b"]
    default    = "a"
    complete { values = ["a", "b"] }
    validation {
      condition     = param.q != "c"
      error_message = "Not c: ${param.q}."
    }
  }
  param "from" { format = "date" }
  param "to" { format = "date-time" }
  param "id" { format = "uuid" }
  param "mail" { format = "email" }
  param "tag" { type = list(string) }
  param "n" { type = list(integer) }
  param "flag" { type = bool }
  param "share" {
    type    = number
    minimum = 0
    maximum = 1
  }
}

resource "issues" {
  uri = "tracker://{project}/issues{?state}"
  source "http" {
    connection  = connection.http.tracker
    url         = "/projects/{project}/issues{?state}"
    method      = "POST"
    headers     = { X-State = "s-${param.project}" }
    json_body   = { state = param.state }
    not_found   = [404, 410]
    items       = body.data.issues
    idempotent  = true
    rows        = "list"
    allow_empty = true
    timeout     = "2s"
    max_bytes   = "1MiB"
  }
}

resource "document" {
  uri = "docs://{+path}{?lines}"
  source "file" {
    connection = connection.file.handbook
    path       = "{+path}"
    glob       = "**/*.md"
    lines      = param.lines
  }
}

resource "person" {
  uri = "crm://people/{id}"
  source "sql" {
    connection = connection.postgres.crm
    query      = "SELECT id, name::text, d->>'k' AS k FROM people WHERE d ? 'a' AND id = :id"
    rows       = "each"
    item_uri   = "crm://people/${row.id}"
    format     = "ndjson"
    timeout    = "1s"
    max_rows   = 10
    max_bytes  = "64KiB"
  }
}

resource "part" {
  uri = "erp://parts/{id}"
  source "sql" {
    connection = connection.mysql.erp
    query      = "SELECT * FROM parts WHERE id = :id # it's a comment :x"
    format     = "markdown"
  }
}
