import type {
  OpenApi,
  OpenApiOperation,
  OpenApiParameter,
} from '../../../apps/server/src/features/docs/describe-service.js';
import type { Dice } from '../../reliability/dice.js';
import { SchemaValues } from './schema-values.js';

export interface FuzzRequest {
  /** What it was made from: `GET /runs/{run_id}`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
}

const BOUNDARY = 'part-of-the-fuzz';
/** Where nothing listens, and where nobody may go. */
const URLS = ['http://127.0.0.1:9/x', 'http://10.0.0.1/', 'ftp://x', 'http://user:secret@127.0.0.1:9/'];

/** What fits into a request line; more is refused before it is a request. */
const MOST_IN_QUERY = 6_000;
const MOST_IN_HEADER = 2_000;
const METHODS = ['PUT', 'PATCH', 'OPTIONS', 'DELETE', 'HEAD'];
const NO_KEYS = ['', 'Bearer', 'Bearer nobodys-key', 'Basic YTpi', 'Bearer a b'];

/** Requests made from the description of the interface: most of them right, many wrong in one place or in several. */
export class FuzzRequests {
  private readonly values: SchemaValues;
  private readonly operations: readonly (readonly [string, string, OpenApiOperation])[];
  /** Ids that answers have named, by the name of the parameter. */
  private readonly ids = new Map<string, string[]>();

  /** @param key of the caller whose requests most of them are; others come with keys that the answers name, or none */
  constructor(
    private readonly dice: Dice,
    description: OpenApi,
    private readonly key: string,
  ) {
    this.values = new SchemaValues(dice, description.components.schemas, (field) => this.known(field));
    this.operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
    );
  }

  /** All that requests are made from. */
  get names(): string[] {
    return this.operations.map(([method, path]) => `${method} ${path}`);
  }

  next(): FuzzRequest {
    // Every third starts a run: the others need something to look at.
    const [method, path, operation] = this.dice.chance(30)
      ? this.operations.find(([method, path]) => method === 'POST' && path === '/')!
      : this.dice.pick(this.operations);
    const wrongness = this.dice.pick([0, 0, 2, 10]);
    const parameters = operation.parameters ?? [];
    const query = this.queryOf(parameters, wrongness);
    const { body, type } = this.bodyOf(operation, wrongness);
    return {
      operation: `${method} ${path}`,
      method: this.dice.chance(2) ? this.dice.pick(METHODS) : method,
      path: this.placed(path) + query,
      headers: {
        authorization: this.authorization(),
        ...this.headersOf(parameters, wrongness),
        ...(type === null ? {} : { 'content-type': type }),
        ...(this.dice.chance(50) ? { accept: this.dice.pick(ACCEPTS) } : {}),
      },
      body,
    };
  }

  /** Remembers what an answer names, so that later requests can ask for it. */
  learn(path: string, text: string): void {
    const isOfKeys = path.startsWith('/api-keys');
    for (const [, field = '', value = ''] of text.matchAll(/"(\w+)":\s?"([^"\\]{1,300})"/g)) {
      const isId = /^(session|run_id|delivery_id|datastore_id|document_id|file_id|next_cursor)$/.test(field);
      const isOfKey = isOfKeys && (field === 'id' || field === 'key');
      if (!isId && !isOfKey) continue;
      const name = field === 'datastore_id' || field === 'document_id' ? 'id' : field;
      for (const key of new Set([name, field])) this.keep(key, value);
    }
    for (const [, list = ''] of text.matchAll(/"task_ids":\s?\[([^\]]*)\]/g))
      for (const [, task = ''] of list.matchAll(/"([^"]+)"/g)) this.keep('task_id', task);
  }

  private authorization(): string {
    if (this.dice.chance(3)) return this.dice.pick(NO_KEYS);
    const others = this.ids.get('key') ?? [];
    return `Bearer ${others.length > 0 && this.dice.chance(10) ? this.dice.pick(others) : this.key}`;
  }

  private keep(name: string, value: string): void {
    const known = this.ids.get(name) ?? [];
    this.ids.set(name, known);
    if (known.length < 200) known.push(value);
    else known[this.dice.below(known.length)] = value;
  }

  private known(field: string): string | null {
    if (/url/i.test(field)) return this.dice.pick(URLS);
    if (field === 'connectionString') return 'postgres://reader:secret@127.0.0.1:9/shop';
    if (field === 'schedule') return this.dice.pick(['0 9 * * 1-5', '2099-01-01T00:00:00Z', '* * *']);
    if (field === 'timezone') return this.dice.pick(['UTC', 'Europe/Berlin', 'Mars/Base']);
    if (field === 'from' || field === 'to') return this.dice.pick(['2026-01-01', '2026-01-01T00:00:00Z']);
    const ids = this.ids.get(field === 'cursor' ? 'next_cursor' : field);
    return ids === undefined ? null : this.dice.pick(ids);
  }

  private placed(path: string): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) =>
      // A lone surrogate cannot stand in a URL.
      encodeURIComponent(this.values.text(name).toWellFormed()),
    );
  }

  private queryOf(parameters: readonly OpenApiParameter[], wrongness: number): string {
    const query = new URLSearchParams();
    for (const { name, schema, required, in: place } of parameters) {
      if (place !== 'query' || !(required || this.dice.chance(30))) continue;
      // Now and then twice, which is once too often.
      for (let times = this.dice.chance(wrongness) ? 2 : 1; times > 0; times--)
        query.append(name, String(this.values.of(schema, wrongness, name)));
    }
    if (this.dice.chance(wrongness)) query.append('nonsense', 'x');
    return query.size === 0 ? '' : `?${String(query).slice(0, MOST_IN_QUERY)}`;
  }

  private headersOf(parameters: readonly OpenApiParameter[], wrongness: number): Record<string, string> {
    const headers: Record<string, string> = {};
    for (const { name, schema, in: place } of parameters) {
      if (place !== 'header' || !this.dice.chance(20)) continue;
      const value = String(this.values.of(schema, wrongness, name));
      // Others cannot be sent.
      headers[name] = /^[\x20-\x7e]+$/.test(value) ? value.slice(0, MOST_IN_HEADER) : 'key';
    }
    return headers;
  }

  private bodyOf(
    { requestBody }: OpenApiOperation,
    wrongness: number,
  ): { readonly body: string | Buffer | null; readonly type: string | null } {
    if (requestBody === undefined)
      return this.dice.chance(5) ? { body: '{"a":1}', type: 'application/json' } : { body: null, type: null };
    const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(requestBody.content);
    const value = this.values.of(schema, wrongness);
    if (type === 'multipart/form-data')
      return { body: this.form(value), type: `${type}; boundary=${BOUNDARY}` };
    const json = JSON.stringify(value);
    const body = this.dice.chance(wrongness) ? this.broken(json) : json;
    return { body, type: this.dice.chance(wrongness) ? this.dice.pick(['text/plain', 'a/b', type]) : type };
  }

  private broken(json: string): string | Buffer {
    return this.dice.pick([
      () => json.slice(0, this.dice.below(json.length + 1)),
      () => `${json}}`,
      () => `\ufeff${json}`,
      () => json.replace('{', '{"message":"twice",'),
      () => Buffer.from(json.replace('"', '"\xff'), 'latin1'),
    ])();
  }

  private form(value: unknown): Buffer {
    const fields = Object.entries((typeof value === 'object' && value) || {});
    const parts = fields.map(([name, content]) => {
      const file = name === 'file' ? `; filename="${this.dice.pick(['a.txt', 'a.pdf', 'a', 'ä.md'])}"` : '';
      const safe = name.replaceAll(/["\r\n\0]/g, '_');
      return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${safe}"${file}\r\n\r\n${String(content)}\r\n`;
    });
    return Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  }
}

const ACCEPTS = ['application/json', 'text/event-stream', '*/*', 'text/html', 'application/json;q=0.1, x/y'];
