import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from './dice.js';
import { readLog } from './evidence.js';
import { Theatre } from './theatre.js';
import type { RowReport } from './verdict.js';

const AT_ONCE = 16;
const LOOK_MS = 50;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** F15: requests of which nearly none makes sense. None is answered with 5xx, and nothing is stored but what was accepted. */
export async function nonsense(requests: number, seed: number): Promise<RowReport> {
  const theatre = await Theatre.open();
  try {
    const { service, client } = theatre.stage;
    const caller = new Caller(service.port);
    const known = await client.runToEnd('a session that is known');
    const sentences = new Nonsense(new Dice(seed), known.session, known.run_id);
    const statuses = new Map<number, number>();
    const failures: string[] = [];
    const accepted = new Set([`/runs/${known.run_id}`]);
    let left = requests;
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const sent = sentences.next();
        const { status, text, run } = await caller.call(sent);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500 || status < 200)
          failures.push(`${status} for ${JSON.stringify(sent).slice(0, 300)}: ${text}`);
        if (run !== '') accepted.add(run);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    caller.close();
    for (const status of ['queued', 'running'])
      while ((await client.all(`/runs?status=${status}`)).length > 0) await sleep(LOOK_MS);
    const verdict = await theatre.audit();
    const runs = (await readLog(service.dataDir)).filter(({ type }) => type === 'run_requested');
    verdict.require(
      runs.length === accepted.size,
      () => `${accepted.size} runs were accepted, ${runs.length} are on the log`,
    );
    for (const failure of failures) verdict.note(failure);
    const told = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${n} × ${status}`);
    const line = `F15 ${requests} requests of nonsense (seed ${seed}): ${told.join(', ')}; ${verdict.problems.length} problems`;
    return { faults: requests, verdict, line };
  } finally {
    await theatre.close();
  }
}

interface Called {
  readonly status: number;
  readonly text: string;
  /** The run that was accepted; empty where none was. */
  readonly run: string;
}

/** Calls over connections that are used again. */
class Caller {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

  constructor(private readonly port: number) {}

  call({ method, path, body, headers }: Sent): Promise<Called> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, method, path, headers, agent: this.agent };
      const sent = request(options, (response) => {
        const status = response.statusCode ?? 0;
        const run = response.headers['content-location'] ?? '';
        // A session's events never end.
        if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy();
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', () => undefined);
        response.on('close', () => resolve({ status, text, run }));
      });
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

const FIELDS = [
  'message',
  'system',
  'mode',
  'rules',
  'workflows',
  'agents',
  'mcp_servers',
  'mcpServers',
  'background',
  'callback',
  'datastores',
  'queries',
  'streaming_tokens',
  'streaming',
  'schedules',
  'final_output',
  'on_busy',
  'colour',
  '__proto__',
  'constructor',
  'toString',
  '',
  'a.b',
  '$file',
];
const PATHS = [
  '/',
  '/',
  '/',
  '/',
  '/get-messages',
  '/clear-messages',
  '/runs',
  '/runs/RUN',
  '/runs/RUN/events',
  '/runs/RUN/cancel',
  '/sessions',
  '/sessions/SESSION',
  '/sessions/SESSION/events',
  '/api-keys',
  '/api-keys/key_1',
  '/runs/%00',
  '/runs/%zz',
  '/sessions/..%2f..%2fetc',
  '/nothing',
  '/runs/RUN/',
  '//',
  '/healthz',
  '/%F0%9F%98%80',
  '/runs/' + 'x'.repeat(2000),
];
const PARAMETERS = [
  'session',
  'limit',
  'cursor',
  'after',
  'status',
  'from',
  'to',
  'x',
  '',
  'session[]',
  '__proto__',
];
const VALUES = [
  'SESSION',
  'ses_x',
  '',
  '0',
  '-1',
  '1e9',
  '99999999999999999999',
  '%00',
  '%ff',
  'null',
  '2026-13-45',
  'a b',
  'RUN',
];
const WORDS = [
  '',
  'x',
  'base',
  'flash',
  'enqueue',
  'http://a',
  'file:///etc/passwd',
  '* * * * *',
  '2001-01-01',
  '\u2028',
  '😀',
  '%s',
];

/** Makes requests that look like the interface's. */
class Nonsense {
  constructor(
    private readonly dice: Dice,
    private readonly session: string,
    private readonly run: string,
  ) {}

  next(): Sent {
    const { dice } = this;
    const method = dice.pick([
      'POST',
      'POST',
      'POST',
      'POST',
      'GET',
      'GET',
      'GET',
      'DELETE',
      'PUT',
      'PATCH',
      'OPTIONS',
      'HEAD',
    ]);
    const body = method === 'GET' || method === 'HEAD' || dice.chance(5) ? null : this.body();
    const headers: Record<string, string> = {};
    if (!dice.chance(2)) headers['authorization'] = 'Bearer annals_the_admin_key_of_the_tests';
    if (body !== null) {
      headers['content-type'] = dice.chance(95)
        ? 'application/json'
        : dice.pick(['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', 'x', '']);
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    if (dice.chance(5)) headers['last-event-id'] = dice.pick(VALUES);
    if (dice.chance(5)) headers['idempotency-key'] = dice.pick(['k', 'x'.repeat(300), ' ', 'a,b']);
    if (dice.chance(30))
      headers['accept'] = dice.pick(['application/json', 'text/event-stream', '*/*', 'x', 'a/b;q=z']);
    // To erase a session is no nonsense: that one is asked for as a stranger's.
    const paths = method === 'DELETE' ? PATHS.map((path) => path.replace(/SESSION$/, 'ses_unknown')) : PATHS;
    const path = method === 'POST' && dice.chance(70) ? '/' : this.place(dice.pick(paths));
    return { method, path: dice.chance(60) ? path : path + this.query(), body, headers };
  }

  private query(): string {
    const { dice } = this;
    const pairs = Array.from(
      { length: dice.below(3) },
      () => `${dice.pick(PARAMETERS)}=${this.place(dice.pick(VALUES))}`,
    );
    return pairs.length === 0 ? '' : encodeURI(`?${pairs.join('&')}`).replaceAll('%25', '%');
  }

  private place(text: string): string {
    return text.replaceAll('SESSION', this.session).replaceAll('RUN', this.run);
  }

  private body(): string {
    const { dice } = this;
    if (dice.chance(5))
      return dice.pick([
        '',
        '{',
        '[]',
        'null',
        '1',
        '"x"',
        '{"message":"a","message":"b"',
        'ÿ',
        '{"a":1}}',
        '\ufeff{}',
      ]);
    const fields: Record<string, unknown> = {};
    if (dice.chance(80)) fields['message'] = dice.chance(70) ? 'hello' : this.value(3);
    // What is accepted is answered at once.
    if (dice.chance(95)) fields['background'] = true;
    for (let n = dice.below(4); n > 0; n--)
      Object.defineProperty(fields, dice.pick(FIELDS), own(this.value(4)));
    const text = JSON.stringify(fields);
    return dice.chance(4) ? text.slice(0, dice.below(text.length)) : text;
  }

  private value(depth: number): unknown {
    const { dice } = this;
    const kind = dice.below(depth > 0 ? 9 : 6);
    if (kind === 0) return null;
    if (kind === 1) return dice.chance(50);
    if (kind === 2) return dice.pick([0, -1, 1.5, 1e308, 2 ** 53, 31_536_001]);
    if (kind < 6) return dice.pick(WORDS);
    if (kind === 6) return Array.from({ length: dice.below(4) }, () => this.value(depth - 1));
    const object: Record<string, unknown> = {};
    for (let n = dice.below(4); n > 0; n--)
      Object.defineProperty(
        object,
        dice.pick(['name', 'id', 'url', 'type', 'schema', 'description', ...FIELDS]),
        own(this.value(depth - 1)),
      );
    return object;
  }
}

const own = (value: unknown): PropertyDescriptor => ({
  value,
  enumerable: true,
  configurable: true,
  writable: true,
});
