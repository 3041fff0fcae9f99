export interface CurlCall {
  readonly method?: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One word of a POSIX shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The call as a line for a shell. The key is named, never told: `$ANNALS_KEY`.
 * @param origin what the path is put behind
 */
export function curlOf({ method = 'GET', path, body, headers = {} }: CurlCall, origin: string): string {
  const parts = ['curl'];
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push(`-X ${method}`);
  parts.push(quoted(origin + path), '-H "Authorization: Bearer $ANNALS_KEY"');
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'");
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`-d ${quoted(JSON.stringify(body))}`);
  return parts.join(' \\\n  ');
}
