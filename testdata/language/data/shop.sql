CREATE TABLE customers (id INTEGER, name TEXT, email TEXT);
