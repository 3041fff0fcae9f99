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

  const PROVIDERS: [string, object][] = [
    [
      'postgresql://reader:s3cret@127.0.0.1:5999/shop?sslmode=require&channel_binding=require',
      { tls: 'encrypt', bindsChannel: true },
    ],
    [
      'postgres://u:p@ep-a-1.eu.aws.neon.tech/db?sslmode=require&options=endpoint%3Dep-a-1',
      { options: 'endpoint=ep-a-1' },
    ],
    [
      'postgres://postgres.ref:p@aws-0-eu.pooler.supabase.com:6543/postgres?pgbouncer=true&connection_limit=1&supa=base-pooler.x',
      { tls: 'off' },
    ],
    ['mysql://u:pscale_pw_a@aws.connect.psdb.cloud/db?ssl={"rejectUnauthorized":true}', { tls: 'verify' }],
    ['mysql://u:pscale_pw_a@aws.connect.psdb.cloud/db?sslaccept=strict', { tls: 'verify' }],
    ['mysql://avnadmin:AVNS_a@m.aivencloud.com:123/defaultdb?ssl-mode=REQUIRED', { tls: 'encrypt' }],
    ['postgres://doadmin:a@db.ondigitalocean.com:25060/defaultdb?sslmode=require', { tls: 'encrypt' }],
    [
      'postgresql://anna@server:hu%2Fsh@server.postgres.database.azure.com/db?sslmode=require',
      { user: 'anna@server', password: 'hu/sh' },
    ],
    [
      'postgresql://u:p@a.cockroachlabs.cloud:26257/defaultdb?sslmode=verify-full&options=--cluster%3Da-1',
      { tls: 'verify', options: '--cluster=a-1' },
    ],
    [
      'postgresql://u:p@db.example.com/db?schema=sales&connection_limit=5&pool_timeout=2&connect_timeout=3&statement_cache_size=0',
      { schema: 'sales' },
    ],
    ['postgres://u:p@rds.amazonaws.com/db?sslmode=verify-full&sslrootcert=system', { tls: 'verify' }],
    [
      'postgres://u:p@h.example/db?sslmode=require&ssl=true&keepalives=1&target_session_attrs=read-write',
      { tls: 'verify' },
    ],
    [
      'mysql://u:p@gateway01.tidbcloud.com:4000/test?sslaccept=strict&useSSL=true&serverTimezone=UTC',
      { tls: 'verify' },
    ],
    [
      'postgres://u:p@h.example/db?gssencmode=disable&sslnegotiation=postgres&ssl_min_protocol_version=TLSv1.2',
      { tls: 'off' },
    ],
  ];
  it.each(PROVIDERS)('%j, as a provider prints it, is read', (text, connection) => {
    expect(connectionFault(text)).toBeNull();
    expect(readConnection(text)).toMatchObject(connection);
  });

  it.each([
    ['sslaccept=accept_invalid_certs', 'sslaccept must be strict'],
    ['ssl={"rejectUnauthorized":false}', 'rejectUnauthorized must be true'],
    ['ssl={"ca":"/etc/passwd"}', 'ssl must not have the field ca'],
    ['ssl={', 'ssl must be disable, require or verify-full'],
    ['rejectUnauthorized=false', 'rejectunauthorized must be true'],
    ['verifyServerCertificate=false', 'verifyservercertificate must be true'],
    ['sslmode=disable&sslaccept=strict', 'sslaccept must be given once'],
    ['channel_binding=require', 'channel_binding=require needs sslmode'],
    ['channel_binding=hush', 'channel_binding must be disable or prefer or require'],
    ['ssl_min_protocol_version=TLSv1', 'ssl_min_protocol_version must be tlsv1.2'],
    ['sslcompression=1', 'sslcompression must be 0'],
    ['gssencmode=require', 'gssencmode must be disable'],
    ['options=-c%20search_path%3Dhush', 'must not have the parameter options'],
    ['sslcert=hush.pem', 'must not have the parameter sslcert'],
    ['sslidentity=hush.p12', 'must not have the parameter sslidentity'],
    ['hostaddr=10.0.0.1', 'must not have the parameter hostaddr'],
    ['service=hush', 'must not have the parameter service'],
    ['__proto__=hush', 'must not have the parameter __proto__'],
    ['sslmode=constructor', 'sslmode must be'],
    ['schema=', 'schema must be the name'],
  ])('%s is refused by name', (parameters, reason) => {
    const fault = connectionFault(`postgres://anna:hush@db.example.com/shop?${parameters}`);
    expect(fault).toContain(reason);
    expect(fault).not.toMatch(/anna|hush|shop\b|example/);
  });
});
