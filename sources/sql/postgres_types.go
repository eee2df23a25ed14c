package sql

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// pgType says how the text form of a type becomes a cell.
type pgType struct {
	form  pgForm
	elem  *pgType // of an array
	delim byte    // between the elements of an array
}

// pgForm is the family of a type. Everything that is not listed is its text.
type pgForm uint8

const (
	pgText pgForm = iota
	pgBool
	pgInt
	pgFloat
	pgNumeric
	pgJSON
	pgBytes
	pgTimestamp
	pgTimestampTZ
	pgArray
)

// builtinForms are the types of pg_type.dat that are not their text form.
var builtinForms = map[uint32]pgForm{
	16: pgBool, 17: pgBytes, 20: pgInt, 21: pgInt, 23: pgInt, 26: pgInt, 28: pgInt, 29: pgInt,
	114: pgJSON, 3802: pgJSON, 700: pgFloat, 701: pgFloat, 1700: pgNumeric, 5069: pgNumeric,
	1114: pgTimestamp, 1184: pgTimestampTZ,
}

// builtinArrays are the array types of pg_type.dat and their elements.
var builtinArrays = map[uint32]uint32{
	1000: 16, 1001: 17, 1002: 18, 1003: 19, 1016: 20, 1005: 21, 1007: 23, 1009: 25, 1028: 26, 1011: 28, 1012: 29,
	199: 114, 3807: 3802, 1021: 700, 1022: 701, 1231: 1700, 271: 5069, 1115: 1114, 1185: 1184,
	1014: 1042, 1015: 1043, 1182: 1082, 1183: 1083, 1270: 1266, 1187: 1186, 2951: 2950,
	1041: 869, 651: 650, 1040: 829, 775: 774, 791: 790, 143: 142, 1561: 1560, 1563: 1562,
	1017: 600, 1018: 601, 1019: 602, 1027: 604, 629: 628, 719: 718,
	3905: 3904, 3907: 3906, 3909: 3908, 3911: 3910, 3913: 3912, 3927: 3926,
	6150: 4451, 6151: 4532, 6152: 4533, 6153: 4534, 6155: 4535, 6157: 4536,
	3643: 3614, 3645: 3615, 4073: 4072, 210: 194,
	2287: 2249, 1006: 22, 1013: 30, // record[], int2vector[], oidvector[]
}

// firstUserOID is the first OID that a type made by a user can have.
const firstUserOID = 16384

// typeOf returns the type and whether it is known; an unknown one is its text.
func (o *postgresOpener) typeOf(oid uint32) (pgType, bool) {
	if form, ok := builtinForms[oid]; ok {
		return pgType{form: form}, true
	}
	if elem, ok := builtinArrays[oid]; ok {
		return pgType{form: pgArray, elem: &pgType{form: builtinForms[elem]}, delim: ','}, true
	}
	if oid == 1020 { // box[] is the one array with another delimiter
		return pgType{form: pgArray, elem: &pgType{}, delim: ';'}, true
	}
	if oid < firstUserOID {
		return pgType{}, true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	t, ok := o.types[oid]
	return t, ok
}

// learnt keeps what the server said of a type.
func (o *postgresOpener) learnt(oid, base, elem uint32, delim byte) {
	t := pgType{}
	if base != 0 {
		t, _ = o.typeOf(base)
	} else if elem != 0 {
		e, _ := o.typeOf(elem)
		t = pgType{form: pgArray, elem: &e, delim: delim}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.types[oid] = t
}

// view looks at bytes as a string without copying them. The string is only
// used until the next row, and the bytes do not change before.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// cell turns the text form of a value into a cell. What has to be written
// anew for that goes to the session's scratch memory.
func (s *pgSession) cell(c *cell, t pgType, value []byte) error {
	if value == nil {
		*c = cell{}
		return nil
	}
	text := view(value)
	switch t.form {
	case pgBool:
		*c = cell{kind: cellBool}
		if text == "t" {
			c.n = 1
		}
	case pgInt:
		n, err := strconv.ParseInt(text, 10, 64)
		*c = cell{kind: cellInt, n: n}
		return err
	case pgFloat:
		f, err := strconv.ParseFloat(text, 64)
		*c = cell{kind: cellFloat, f: f}
		return err
	case pgNumeric:
		*c = cell{kind: cellDigits, text: text}
	case pgJSON:
		*c = cell{kind: cellJSON, text: text}
	case pgBytes:
		return s.bytea(c, text)
	case pgTimestamp, pgTimestampTZ:
		*c = cell{kind: cellText, text: s.timestamp(text, t.form == pgTimestampTZ)}
	case pgArray:
		at := len(s.scratch)
		out, err := appendArray(s, s.scratch, text, t)
		if errors.Is(err, errNotArray) {
			*c = cell{kind: cellText, text: text}
			return nil
		}
		s.scratch = out
		*c = cell{kind: cellJSON, text: view(out[at:])}
		return err
	default:
		*c = cell{kind: cellText, text: text}
	}
	return nil
}

// bytea reads the hexadecimal form, \xdeadbeef.
func (s *pgSession) bytea(c *cell, text string) error {
	digits, ok := strings.CutPrefix(text, `\x`)
	if !ok {
		return fmt.Errorf("read bytea: it is not in hexadecimal form")
	}
	out := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(out, []byte(digits)); err != nil {
		return fmt.Errorf("read bytea: %w", err)
	}
	*c = cell{kind: cellBinary, bytes: out}
	return nil
}

// timestamp writes the server's 2026-01-02 03:04:05+00 as RFC 3339 does. What
// RFC 3339 has no form for, infinity and years BC, stays as the server wrote it.
func (s *pgSession) timestamp(text string, zone bool) string {
	i := strings.IndexByte(text, ' ')
	if i < 10 || i+9 > len(text) || strings.HasSuffix(text, " BC") {
		return text
	}
	at := len(s.scratch)
	s.scratch = append(s.scratch, text...)
	s.scratch[at+i] = 'T'
	if zone {
		if k := strings.LastIndexAny(text, "+-"); k > i {
			offset := text[k:]
			s.scratch = s.scratch[:at+k]
			switch {
			case offset == "+00" || offset == "+00:00":
				s.scratch = append(s.scratch, 'Z')
			case len(offset) == 3:
				s.scratch = append(append(s.scratch, offset...), ":00"...)
			default:
				s.scratch = append(s.scratch, offset...)
			}
		}
	}
	return view(s.scratch[at:len(s.scratch):len(s.scratch)])
}
