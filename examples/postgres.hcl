# The shop of shop.hcl over PostgreSQL. Make the database once:
#
#   createdb shop && psql -d shop -f examples/shop.postgres.sql
#
# and say where it is: PGSHOP_HOST, PGSHOP_PORT, PGSHOP_USER, PGSHOP_PASSWORD and PGSHOP_DATABASE;
# each has a default.

connection "postgres" "shop" {
  host     = env("PGSHOP_HOST", "127.0.0.1")
  port     = tonumber(env("PGSHOP_PORT", "5432"))
  user     = env("PGSHOP_USER", "postgres")
  password = env("PGSHOP_PASSWORD", "")
  database = env("PGSHOP_DATABASE", "shop")
  sslmode  = "prefer"
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
    connection = connection.postgres.shop
    query      = "SELECT id, name, email, city, country, newsletter, since FROM customers WHERE id = :id"
    rows       = "one"
  }
}

# jsonb is embedded as it is, with its digits: the database builds the document.
resource "order" {
  uri         = "shop://orders/{id}"
  title       = "Order with its items"
  description = "One order with its items and its total."
  mime_type   = "application/json"

  param "id" {
    type = integer
  }

  source "sql" {
    connection = connection.postgres.shop
    query      = <<-SQL
      SELECT o.id, o.customer_id, o.status, o.ordered_at, o.shipped_at, o.note,
             sum(i.quantity * i.unit_price) AS total,
             jsonb_agg(jsonb_build_object('product', i.product, 'quantity', i.quantity, 'unit_price', i.unit_price)
                       ORDER BY i.position) AS items
      FROM orders o JOIN order_items i ON i.order_id = o.id
      WHERE o.id = :id
      GROUP BY o.id
    SQL
    rows       = "one"
  }
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
    connection = connection.postgres.shop
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
