/** What the parameters of a connection string come to. */
export interface ConnectionParameters {
  /** `verify`: the certificate must be good for the host; `encrypt`: any will do. */
  readonly tls: 'off' | 'encrypt' | 'verify';
  /** PostgreSQL: names without a schema are of this one. */
  readonly schema?: string;
  /** PostgreSQL: by which a proxy knows where to lead us. */
  readonly options?: string;
  /** PostgreSQL: the password proves itself to this very TLS connection. */
  readonly bindsChannel?: true;
}

/** Holds the parameter's name, and nothing of its value. */
export class ConnectionParameterRefused extends Error {
  override readonly name = 'ConnectionParameterRefused';
}

type Tls = ConnectionParameters['tls'];

/** What a parameter of TLS says, in the words of both databases. */
const TLS: Readonly<Record<string, Tls>> = {
  disable: 'off',
  disabled: 'off',
  false: 'off',
  '0': 'off',
  allow: 'off',
  prefer: 'off',
  preferred: 'off',
  require: 'encrypt',
  required: 'encrypt',
  'no-verify': 'encrypt',
  'verify-ca': 'verify',
  verify_ca: 'verify',
  'verify-full': 'verify',
  verify_identity: 'verify',
  true: 'verify',
  '1': 'verify',
};
const TLS_PARAMETERS = new Set(['sslmode', 'ssl-mode', 'ssl_mode', 'ssl', 'tls', 'usessl']);

/**
 * Say nothing that matters here: the character set is UTF-8, each call has a connection of its own that lives as long as the
 * call, there is one host, and the limits of time are ours.
 */
const IGNORED = new Set(
  (
    'application_name fallback_application_name charset characterencoding useunicode client_encoding collation ' +
    'connect_timeout connecttimeout connectiontimeout socket_timeout sockettimeout statement_timeout query_timeout ' +
    'lock_timeout idle_in_transaction_session_timeout tcp_user_timeout keepalives keepalives_idle keepalives_interval ' +
    'keepalives_count tcpkeepalive pgbouncer connection_limit connectionlimit pool_timeout pool_size poolsize max_pool_size ' +
    'maxpoolsize min_pool_size minpoolsize pool_max_conns pool_min_conns max_idle_connection_lifetime ' +
    'statement_cache_size prepared_statement_cache_size preparethreshold prefer_simple_protocol binary_parameters ' +
    'uselibpqcompat target_session_attrs targetservertype load_balance_hosts timezone servertimezone parsetime loc ' +
    'zerodatetimebehavior autoreconnect reconnect supa workaround'
  ).split(' '),
);

/** May be given with these values, which say what is so anyway. With another they would weaken TLS, or ask for what is not done. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  gssencmode: ['disable', 'prefer'],
  sslcompression: ['0', 'false'],
  sslsni: ['1', 'true'],
  sslnegotiation: ['postgres'],
  sslcertmode: ['disable', 'allow'],
  ssl_min_protocol_version: ['tlsv1.2', 'tlsv1.3'],
  channel_binding: ['disable', 'prefer', 'require'],
};
/** Say that the certificate must be good, or nothing. */
const VERIFIES: Readonly<Record<string, string>> = {
  sslaccept: 'strict',
  rejectunauthorized: 'true',
  verifyservercertificate: 'true',
  sslrootcert: 'system',
};
/** What Neon, Supabase and CockroachDB are told of where to lead us. */
const OPTIONS = /^(?:(?:endpoint|project|reference)=|--cluster=)[\w.-]{1,200}$/;

/** A parameter may not lead elsewhere: to another host, a socket, a file. @throws ConnectionParameterRefused */
export function readParameters(parameters: Iterable<readonly [string, string]>): ConnectionParameters {
  const tls: Tls[] = [];
  const more: { schema?: string; options?: string; bindsChannel?: true } = {};
  for (const [name, value] of parameters) {
    const key = name.toLowerCase();
    if (IGNORED.has(key)) continue;
    const said = tlsOf(key, value);
    if (said !== null) {
      if (tls.length > 0 && (said === 'off') !== tls.includes('off'))
        throw new ConnectionParameterRefused(`${key} must be given once`);
      tls.push(said);
    } else if (key === 'schema' || key === 'currentschema') more.schema = schemaOf(key, value);
    else if (key === 'options' && OPTIONS.test(value)) more.options = value;
    else if (Object.hasOwn(HARMLESS, key)) requireHarmless(key, value);
    else throw new ConnectionParameterRefused(`must not have the parameter ${name.slice(0, 50)}`);
    if (key === 'channel_binding' && value.toLowerCase() === 'require') more.bindsChannel = true;
  }
  // Two that both ask for TLS: the one that asks for more.
  const strictest = (['verify', 'encrypt'] as const).find((one) => tls.includes(one)) ?? 'off';
  if (more.bindsChannel && strictest === 'off')
    throw new ConnectionParameterRefused('channel_binding=require needs sslmode=require or verify-full');
  return { tls: strictest, ...more };
}

/** null: it is no parameter of TLS. */
function tlsOf(key: string, value: string): Tls | null {
  if (Object.hasOwn(VERIFIES, key)) {
    if (value.toLowerCase() === VERIFIES[key]) return 'verify';
    if (key === 'sslrootcert')
      throw new ConnectionParameterRefused('must not have the parameter sslrootcert but for system');
    throw new ConnectionParameterRefused(
      `${key} must be ${VERIFIES[key]}: certificates are not taken unseen`,
    );
  }
  if (!TLS_PARAMETERS.has(key)) return null;
  if (value.startsWith('{')) return tlsOfObject(key, value);
  const said = Object.hasOwn(TLS, value.toLowerCase()) ? TLS[value.toLowerCase()] : undefined;
  if (said === undefined)
    throw new ConnectionParameterRefused(`${key} must be disable, require or verify-full`);
  return said;
}

/** As PlanetScale prints it for Node: `ssl={"rejectUnauthorized":true}`. */
function tlsOfObject(key: string, value: string): Tls {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(value) as Record<string, unknown>;
  } catch {
    throw new ConnectionParameterRefused(`${key} must be disable, require or verify-full`);
  }
  for (const [field, said] of Object.entries(fields)) {
    if (field === 'rejectUnauthorized' && said === true) continue;
    if (field === 'minVersion' && (said === 'TLSv1.2' || said === 'TLSv1.3')) continue;
    if (field === 'rejectUnauthorized')
      throw new ConnectionParameterRefused(
        `${key}: rejectUnauthorized must be true: certificates are not taken unseen`,
      );
    throw new ConnectionParameterRefused(`${key} must not have the field ${field.slice(0, 50)}`);
  }
  return 'verify';
}

function schemaOf(key: string, value: string): string {
  if (value === '' || value.length > 63 || value.includes('\0'))
    throw new ConnectionParameterRefused(`${key} must be the name of a schema`);
  return value;
}

function requireHarmless(key: string, value: string): void {
  const allowed = HARMLESS[key] ?? [];
  if (!allowed.includes(value.toLowerCase()))
    throw new ConnectionParameterRefused(`${key} must be ${allowed.join(' or ')}`);
}
