# The shop of shop.hcl over MySQL or MariaDB. Make the database once:
#
#   mysql -e "CREATE DATABASE shop" && mysql shop < examples/shop.mysql.sql
#
# and say where it is: MYSHOP_HOST, MYSHOP_PORT, MYSHOP_USER, MYSHOP_PASSWORD and MYSHOP_DATABASE;
# each has a default.

connection "mysql" "shop" {
  host     = env("MYSHOP_HOST", "127.0.0.1")
  port     = tonumber(env("MYSHOP_PORT", "3306"))
  user     = env("MYSHOP_USER", "root")
  password = env("MYSHOP_PASSWORD", "")
  database = env("MYSHOP_DATABASE", "shop")
  timeout  = "5s"
}

resource "customer" {
  uri         = "shop://customers/{id}"
  title       = "Customer"
  description = "One customer by number."
  mime_type   = "application/json"

  param "id" {
    type    = integer
    minimum = 1
  }

  source "sql" {
    connection = connection.mysql.shop
    query      = "SELECT id, name, email, city, country, newsletter, since FROM customers WHERE id = :id"
    rows       = "one"
  }
}

# The database builds the list of items; jsondecode makes it a part of the document.
resource "order" {
  uri         = "shop://orders/{id}"
  title       = "Order with its items"
  description = "One order with its items and its total."
  mime_type   = "application/json"

  param "id" {
    type = integer
  }

  source "sql" {
    connection = connection.mysql.shop
    query      = <<-SQL
      SELECT o.id, o.customer_id, o.status, o.ordered_at, o.shipped_at, o.note,
             sum(i.quantity * i.unit_price) AS total,
             concat('[', group_concat(json_object('product', i.product, 'quantity', i.quantity, 'unit_price', i.unit_price)
                                      ORDER BY i.position), ']') AS items
      FROM orders o JOIN order_items i ON i.order_id = o.id
      WHERE o.id = :id
      GROUP BY o.id
    SQL
    rows       = "one"
  }

  json = merge(row, { items = jsondecode(row.items) })
}

# One content for each row, each with a URI of its own.
resource "orders" {
  uri         = "shop://customers/{id}/orders{?status*}"
  title       = "Orders of a customer"
  description = "Every order of one customer, filtered by any number of states."
  mime_type   = "application/json"

  param "id" {
    type = integer
  }
  param "status" {
    type = list(string)
    enum = ["open", "paid", "shipped", "cancelled"]
  }

  source "sql" {
    connection = connection.mysql.shop
    query      = <<-SQL
      SELECT id, status, ordered_at FROM orders
      WHERE customer_id = :id AND (:any OR status IN (:status))
      ORDER BY id
    SQL
    args       = { any = length(coalesce(param.status, [])) == 0 }
    rows       = "each"
    item_uri   = "shop://orders/${row.id}"
  }
}
