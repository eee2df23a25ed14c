# A small shop as MCP resources. Run it with nothing but Go and a C compiler:
#
#   go run ./cmd/mcpdecl serve --http 127.0.0.1:8080 examples/shop.hcl

server {
  name         = "shop"
  title        = "Shop data"
  version      = "1.0.0"
  instructions = "Customers, products and orders of a small shop. Start with shop://about."
}

# The scripts of init are loaded into an in-memory database at the first read.
# For a database of your own, write path = "shop.db" and leave init out.
connection "sqlite" "shop" {
  path = ":memory:"
  init = ["shop.sql"]
}

# A static resource: its URI has no variables, so it is listed as it is.
resource "about" {
  uri         = "shop://about"
  title       = "About this shop"
  description = "What there is to read, and how the URIs are made."
  mime_type   = "text/markdown"
  text        = <<-EOT
    # The shop

    - `shop://customers/{id}`: one customer, ids 1 to 60
    - `shop://orders{?status,customer,limit}`: orders, newest first
    - `shop://orders/{id}`: one order with its items
    - `shop://products/{code}`: one product, such as `TEA-100`
  EOT
}

# A resource template: {id} is a value of the URI, :id binds it to the query.
resource "customer" {
  uri         = "shop://customers/{id}"
  title       = "Customer"
  description = "One customer by number."
  mime_type   = "application/json"

  param "id" {
    type        = integer
    minimum     = 1
    description = "Customer number."
  }

  source "sql" {
    connection = connection.sqlite.shop
    query      = "SELECT id, name, email, phone, city, country, since FROM customers WHERE id = :id"
    rows       = "one"
  }
}

# Optional filters stand in the query part; one that is absent is null.
resource "orders" {
  uri         = "shop://orders{?status,customer,limit}"
  title       = "Orders"
  description = "Orders, newest first, filtered by status and customer."
  mime_type   = "application/json"

  param "status" {
    enum        = ["open", "paid", "shipped", "cancelled"]
    description = "Only orders in this state."
  }
  param "customer" {
    type        = integer
    description = "Only orders of this customer."
  }
  param "limit" {
    type        = integer
    minimum     = 1
    maximum     = 200
    default     = 20
    description = "How many orders at most."
  }

  source "sql" {
    connection  = connection.sqlite.shop
    query       = <<-SQL
      SELECT o.id, o.customer_id, c.name AS customer, o.status, o.ordered_at, o.shipped_at
      FROM orders o JOIN customers c ON c.id = o.customer_id
      WHERE (:status IS NULL OR o.status = :status)
        AND (:customer IS NULL OR o.customer_id = :customer)
      ORDER BY o.ordered_at DESC, o.id DESC
      LIMIT :limit
    SQL
    allow_empty = true
  }
}

# One JSON document from two tables: the database builds it, and a JSON column
# is embedded as it is.
resource "order" {
  uri         = "shop://orders/{id}"
  title       = "Order with its items"
  description = "One order with its items and its total."
  mime_type   = "application/json"

  param "id" {
    type        = integer
    description = "Order number."
  }

  source "sql" {
    connection = connection.sqlite.shop
    query      = <<-SQL
      SELECT o.id, o.customer_id, o.status, o.ordered_at, o.shipped_at, o.note,
             (SELECT round(sum(i.quantity * i.unit_price), 2)
              FROM order_items i WHERE i.order_id = o.id) AS total,
             (SELECT json_group_array(json_object(
                       'position', i.position, 'product', i.product, 'name', p.name,
                       'quantity', i.quantity, 'unit_price', i.unit_price))
              FROM order_items i JOIN products p ON p.code = i.product
              WHERE i.order_id = o.id) AS items
      FROM orders o WHERE o.id = :id
    SQL
    rows       = "one"
  }

  json = merge(row, { items = jsondecode(row.items) })
}

resource "product" {
  uri         = "shop://products/{code}"
  title       = "Product"
  description = "One product by code, such as TEA-100."
  mime_type   = "application/json"

  param "code" {
    pattern     = "^[A-Z]{3}-[A-Z0-9]{3}$"
    description = "Product code."
  }

  source "sql" {
    connection = connection.sqlite.shop
    query      = "SELECT code, name, category, price, weight, stock FROM products WHERE code = :code"
    rows       = "one"
  }
}
