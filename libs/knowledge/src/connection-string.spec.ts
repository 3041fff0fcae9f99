import { describe, expect, it } from '@jest/globals';
import { connectionFault, readConnection } from './connection-string.js';

describe('a connection string', () => {
  it.each([
    ['', 'must be a URL like'],
    ['postgres', 'must be a URL like'],
    ['postgres:///shop', 'must name a host'],
    ['postgres://db.example.com/shop', 'must name a user'],
    ['postgres://:hush@db.example.com/shop', 'must name a user'],
    ['postgres://anna:hush@one.example.com,two.example.com/shop', 'must name one host'],
    ['postgres://anna:hush@%2Fvar%2Frun/shop', 'must name one host'],
    ['postgres://anna:hush@db.example.com:0/shop', 'must have a port'],
    ['postgres://anna:hush@db.example.com:99999/shop', 'must be a URL like'],
    ['postgres://anna:hu#sh@db.example.com/shop', 'percent-encoded: # is %23'],
    ['postgres://anna:12#rd@db.example.com/shop', 'percent-encoded: # is %23'],
    ['postgres://anna:hu/sh@db.example.com/shop', 'percent-encoded: # is %23'],
    ['postgres://anna:hu sh@db.example.com/shop', 'must be a URL like'],
    ['postgres://anna:%zz@db.example.com/shop', 'must be percent-encoded as UTF-8'],
    ['postgres://anna:hush%00@db.example.com/shop', 'must be percent-encoded as UTF-8'],
    ['postgres://anna:hush@db.example.com/shop#part', 'percent-encoded'],
    [
      'postgres://anna:hush@db.example.com/shop?sslmode=bogus',
      'sslmode must be disable, require or verify-full',
    ],
    ['postgres://anna:hush@db.example.com/shop?sslmode=require&ssl=0', 'ssl must be given once'],
    ['postgres://anna:hush@db.example.com/shop?host=/var/run', 'must not have the parameter host'],
    ['postgres://anna:hush@db.example.com/shop?options=-c%20x=y', 'must not have the parameter options'],
    [
      'postgres://anna:hush@db.example.com/shop?sslrootcert=/etc/passwd',
      'must not have the parameter sslrootcert',
    ],
    ['jdbc:postgresql://anna:hush@db.example.com/shop', 'must be a URL like'],
    ['postgresql+psycopg2://anna:hush@db.example.com/shop', 'must begin with postgres://'],
    ['mysql2://anna:hush@db.example.com/shop', 'must begin with postgres://'],
    ['sqlite:///etc/shop', 'must begin with postgres://'],
    ['host=db.example.com user=anna password=hush', 'must be a URL like'],
  ])('%j is refused with the reason', (text, reason) => {
    const fault = connectionFault(text);
    expect(fault).toContain(reason);
    expect(fault).not.toMatch(/anna|hush|shop\b|example/);
  });

  it.each([
    [
      'postgres://anna:hush@db.example.com/shop',
      { kind: 'postgres', port: 5432, database: 'shop', tls: 'off' },
    ],
    ['postgresql://anna:hu%23%2F%40sh@db.example.com', { password: 'hu#/@sh', database: 'anna' }],
    ['postgres://anna:hu@sh@db.example.com/shop', { host: 'db.example.com', password: 'hu@sh' }],
    [
      'postgres://anna:@[2001:db8::1]:6432/shop?sslmode=require',
      { host: '2001:db8::1', port: 6432, tls: 'encrypt' },
    ],
    ['mysql://anna@db.example.com', { kind: 'mysql', port: 3306, database: '' }],
    [
      'mariadb://anna@b%C3%BCro.example/shop?ssl-mode=VERIFY_IDENTITY&charset=utf8',
      { host: 'büro.example', tls: 'verify' },
    ],
  ])('%j is read', (text, connection) => {
    expect(connectionFault(text)).toBeNull();
    expect(readConnection(text)).toMatchObject(connection);
  });
});
