package sql

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/mcpdecl/mcpdecl/sources"
)

// mysqlOpener opens sessions with a MySQL or MariaDB server.
type mysqlOpener struct {
	settings *settings
	config   *mysql.Config
	dialer   net.Dialer
}

func newMySQL(host sources.Host, s *settings) (opener, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName = s.server.user, s.server.password, s.server.database
	c.Logger = &mysql.NopLogger{} // what it has to say is returned as an error too
	network := "tcp"
	c.Addr = net.JoinHostPort(s.server.host, strconv.Itoa(s.server.port))
	if strings.HasPrefix(s.server.host, "/") {
		network, c.Addr = "unix", s.server.host
	}
	c.Net = network
	if err := c.Apply(mysql.Charset(s.server.charset, "")); err != nil {
		return nil, err
	}
	if err := mysqlTLS(host, c, s.server); err != nil {
		return nil, err
	}
	return &mysqlOpener{settings: s, config: c}, nil
}

// mysqlTLS applies the tls and ca_file attributes.
func mysqlTLS(host sources.Host, c *mysql.Config, s *serverSettings) error {
	mode := s.tls
	if mode == "" {
		mode = "prefer"
		if s.caFile != "" {
			mode = "verify"
		}
	}
	switch mode {
	case "disable":
		return nil
	case "prefer":
		c.TLS = &tls.Config{InsecureSkipVerify: true} // who the server is, is not checked
		c.AllowFallbackToPlaintext = true
		return nil
	case "require":
		c.TLS = &tls.Config{InsecureSkipVerify: true}
		return nil
	}
	c.TLS = &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}
	if s.caFile == "" {
		return nil
	}
	if host.ReadFile == nil {
		return errors.New("read ca_file: no files can be read here")
	}
	pem, err := host.ReadFile(s.caFile)
	if err != nil {
		return fmt.Errorf("read ca_file: %w", err)
	}
	c.TLS.RootCAs = x509.NewCertPool()
	if !c.TLS.RootCAs.AppendCertsFromPEM(pem) {
		return fmt.Errorf("read ca_file %s: it holds no certificate in PEM form", s.caFile)
	}
	return nil
}

func (o *mysqlOpener) open(ctx context.Context) (session, error) {
	s := &mysqlSession{opener: o}
	s.stmts.close = func(st *mysqlStmt) { _ = st.Close() }
	conn, err := o.connect(ctx, &s.wire)
	if err != nil {
		return nil, err
	}
	s.conn = conn
	if err := s.start(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

// connect opens a connection; wire receives its network side.
func (o *mysqlOpener) connect(ctx context.Context, wire **budgetConn) (driver.Conn, error) {
	config := o.config.Clone()
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := o.dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		b := &budgetConn{Conn: c, left: 1 << 40}
		*wire = b
		return b, nil
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return connector.Connect(ctx)
}

// kill ends the statement that another connection is running.
func (o *mysqlOpener) kill(ctx context.Context, id uint64) error {
	var wire *budgetConn
	conn, err := o.connect(ctx, &wire)
	if err != nil {
		return fmt.Errorf("connect to end a query: %w", err)
	}
	defer conn.Close()
	_, err = conn.(driver.ExecerContext).ExecContext(ctx, "KILL QUERY "+strconv.FormatUint(id, 10), nil)
	return err
}

// budgetConn bounds how much a query may read. The driver would take in a row
// of any size before it is known to be too large.
type budgetConn struct {
	net.Conn
	left  int64
	spent bool
}

func (c *budgetConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.spent = true
		return 0, errors.New("result is too large")
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.Conn.Read(p)
	c.left -= int64(n)
	return n, err
}

// stale reports that a session had died in the pool, or that the server has
// forgotten a statement.
func (o *mysqlOpener) stale(err error) bool {
	var my *mysql.MySQLError
	if errors.As(err, &my) {
		switch my.Number {
		case 1053, 1077, 1079, 1243, 1615, 1927, 4031:
			return true
		}
		return false
	}
	var network *net.OpError
	return errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &network) && !network.Timeout()
}

func (o *mysqlOpener) plain(err error) error {
	var my *mysql.MySQLError
	if !errors.As(err, &my) {
		return err
	}
	if my.Number == 1792 || my.Number == 1290 {
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	}
	return err
}
