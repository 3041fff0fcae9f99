import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Annals,
  type AnnalsOptions,
  type RecordedEvent,
  isEnd,
  verifyCallback,
} from '../../clients/typescript/src/index.js';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { WEBHOOK_SECRET, sampleCallback } from '../support/sample-callback.js';
import { Gate, before, call, say } from '../support/scripted-model.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const run = promisify(execFile);

/** Ours, and the one that npm was started with. */
const NODES = [
  resolve('node_modules/.bin/node'),
  ...(process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith('node_modules/.bin') && existsSync(join(folder, 'node')))
    .map((folder) => join(folder, 'node'))
    .slice(0, 1),
];

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1', ANNALS_WEBHOOK_SECRET: WEBHOOK_SECRET } });
});
afterAll(() => stage.close());

const client = (more: Partial<AnnalsOptions> = {}): Annals =>
  new Annals({ url: stage.service.origin, key: ADMIN_KEY, ...more });

/** Kills the service and starts it again where it was. */
const killAndRestart = (): Promise<void> =>
  stage.service.restart('SIGKILL', { env: { PORT: String(stage.service.port) } });

/** What the log holds of a run. */
async function recorded(runId: string): Promise<RecordedEvent[]> {
  const headers = { accept: 'application/json' };
  const page = await stage.client.get(`/runs/${runId}/events?limit=200`, { headers });
  return page.json<{ items: RecordedEvent[] }>().items;
}

describe('a stream of clients/typescript', () => {
  it('goes on over kill -9 and a restart, with every event once and in order', async () => {
    const turn = (attempt: number) =>
      say('Before', ...(attempt === 0 ? [before(new Gate())] : []), ', after.');
    const message = stage.book.on(stage.message('killed'), turn);
    const handle = await client().start({ message, streaming_tokens: true });
    const seen: RecordedEvent[] = [];
    for await (const event of handle.events()) {
      seen.push(event);
      if (stage.book.asksOf(message, 0) === 1 && event.data.type === 'agent_response') await killAndRestart();
    }
    expect(stage.book.asksOf(message, 0)).toBe(2);
    expect(seen).toEqual(await recorded(handle.id));
    expect(seen.map(({ data }) => data.type)).toEqual([
      'agent_started',
      'agent_response_start',
      'agent_response',
      'agent_response_start',
      ...seen.slice(4, -3).map(() => 'agent_response'),
      'agent_step',
      'agent_cost',
      'agent_completed',
    ]);
  });

  it('begins after the event that it is told, and has nothing to say after the last', async () => {
    const handle = await client().start({ message: stage.message('resumed') });
    const all = await Array.fromAsync(handle.events());
    for (const [n, { id }] of all.entries())
      expect(await Array.fromAsync(handle.events({ after: id }))).toEqual(all.slice(n + 1));
  });

  it('leaves when its signal says so, and the run goes on', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('left'), say('a', before(gate), 'b'));
    const handle = await client().start({ message, streaming_tokens: true });
    const leave = new AbortController();
    const reason = new Error('enough');
    const read = async (): Promise<void> => {
      for await (const { data } of handle.events({ signal: leave.signal }))
        if (data.type === 'agent_response') leave.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
    gate.open();
    expect(await handle.wait()).toMatchObject({ status: 'completed', run_id: handle.id });
  });

  it('follows a session over its runs', async () => {
    const annals = client();
    const first = await annals.start({ message: stage.message('one') });
    const ends: string[] = [];
    for await (const { data } of annals.followSession(first.session)) {
      if (!isEnd(data)) continue;
      ends.push(data.type);
      if (ends.length === 2) break;
      await annals.start({ message: stage.message('two') }, { session: annals.run(first.id).session });
    }
    expect(ends).toEqual(['agent_completed', 'agent_completed']);
  });
});

describe('a run of clients/typescript', () => {
  it('is waited for over kill -9 and a restart', async () => {
    const gate = new Gate();
    const turn = (attempt: number) => say(...(attempt === 0 ? [before(gate)] : []), 'Done.');
    const handle = await client().start({ message: stage.book.on(stage.message('waited'), turn) });
    const ended = handle.wait();
    await gate.reached;
    await killAndRestart();
    expect(await ended).toMatchObject({ status: 'completed', run_id: handle.id, session: handle.session });
  });

  it('is cancelled, twice as well as once', async () => {
    const gate = new Gate();
    const handle = await client().start({
      message: stage.book.on(stage.message('cancelled'), say(before(gate))),
    });
    await gate.reached;
    expect((await handle.cancel()).run_id).toBe(handle.id);
    expect((await handle.wait()).status).toBe('cancelled');
    expect((await handle.cancel()).status).toBe('cancelled');
  });

  it('is the same for the same key, and is started once where the service dies under the answer', async () => {
    const message = stage.message('once');
    const options = { idempotencyKey: message };
    const [one, two] = [
      await client().start({ message }, options),
      await client().start({ message }, options),
    ];
    expect(two.id).toBe(one.id);
    await stage.service.kill();
    const late = client().start({ message: stage.message('while it is down') });
    await stage.service.launch({ env: { PORT: new URL(stage.service.origin).port } });
    expect((await (await late).wait()).status).toBe('completed');
  });
});

describe('an action of clients/typescript', () => {
  it('is listed, read and decided on, once', async () => {
    const annals = client();
    const turn = say(...call(0, 'a', 'count', {}), ...call(1, 'b', 'count', {}));
    const handle = await annals.start({
      message: stage.book.on(stage.message('asks'), turn, say('done')),
      tools: [{ name: 'count', description: 'Counts', parameters: { type: 'object' } }],
    });
    const asked: string[] = [];
    for await (const { data } of handle.events()) {
      if (data.type !== 'agent_action_required' || !('action_id' in data)) continue;
      asked.push(data.action_id);
      expect(await annals.action(data.action_id)).toMatchObject({ run_id: handle.id, status: 'open' });
      if (asked.length === 2) break;
    }
    const listed = await Array.fromAsync(annals.actions({ run: handle.id, kind: 'tool', status: 'open' }));
    expect(listed.map(({ action_id }) => action_id).toSorted()).toEqual(asked.toSorted());
    const [one = '', two = ''] = asked;
    const answered = await annals.resolve(one, { decision: 'answer', result: 3 });
    expect(answered).toMatchObject({ status: 'resolved', decision: 'answer' });
    expect(await annals.resolve(one, { decision: 'answer', result: 3 })).toEqual(answered);
    await expect(annals.resolve(one, { decision: 'deny' })).rejects.toMatchObject({ status: 409 });
    await annals.resolve(two, { decision: 'deny', reason: 'enough' });
    expect((await handle.wait()).status).toBe('completed');
  });
});

describe('what is refused', () => {
  it('is thrown at once, with what the service said', async () => {
    const refused = (status: number, code: string) => ({ name: 'AnnalsRefused', status, problem: { code } });
    const { id } = await client().start({ message: stage.message('refused') });
    await expect(client({ key: 'annals_wrong' }).run(id).get()).rejects.toMatchObject(
      refused(401, 'unauthenticated'),
    );
    await expect(client().run('run_none').get()).rejects.toMatchObject(refused(404, 'not_found'));
    const events = client().run('run_none').events();
    await expect(events.next()).rejects.toMatchObject(refused(404, 'not_found'));
    await expect(client().start({ message: '' })).rejects.toMatchObject(refused(400, 'invalid_request'));
  });

  it('is nobody there: thrown when the client has been patient', async () => {
    const nobody = client({ url: 'http://127.0.0.1:1', patienceMs: 300 });
    await expect(nobody.start({ message: 'x' })).rejects.toMatchObject({ name: 'AnnalsUnreachable' });
    await expect(nobody.run('run_ses_1').events().next()).rejects.toMatchObject({
      name: 'AnnalsUnreachable',
    });
  });
});

describe('a stream that says nothing', () => {
  it('is dead after a while, and taken up where it was', async () => {
    let connections = 0;
    const gate = new Gate();
    const quiet = client({
      quietMs: 300,
      fetch: (input, init) => {
        if (typeof input === 'string' && input.endsWith('/events') && ++connections === 2) gate.open();
        return fetch(input, init);
      },
    });
    const message = stage.book.on(stage.message('quiet'), say('a', before(gate), 'b'));
    const handle = await quiet.start({ message, streaming_tokens: true });
    const seen = await Array.fromAsync(handle.events());
    expect(connections).toBeGreaterThan(1);
    expect(seen).toEqual(await recorded(handle.id));
  });
});

describe('callbacks', () => {
  it('of the service are verified as they come', async () => {
    const receiver = await CallbackReceiver.start();
    try {
      const handle = await client().start({
        message: stage.message('called'),
        callback: { url: receiver.url },
      });
      await receiver.ended(handle.id);
      const verified = await Promise.all(
        receiver.of(handle.id).map(({ headers, body }) => verifyCallback(WEBHOOK_SECRET, headers, body)),
      );
      expect(verified.map(({ event }) => event)).toEqual((await recorded(handle.id)).map(({ data }) => data));
      expect(verified.map(({ sequence }) => sequence)).toEqual(verified.map((_, n) => n + 1));
    } finally {
      await receiver.close();
    }
  });
});

describe('the package', () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'annals-client-'));
    const home = join(folder, 'node_modules', 'annals-client');
    mkdirSync(home, { recursive: true });
    symlinkSync(resolve('clients/typescript/package.json'), join(home, 'package.json'));
    await run('node_modules/.bin/tsc', ['-p', 'clients/typescript', '--outDir', join(home, 'dist')]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const snippet = (name: string): string => {
    const page = readFileSync('clients/typescript/README.md', 'utf8');
    return page.split(`\`\`\`js ${name}\n`)[1]?.split('```')[0] ?? '';
  };
  /** What a program prints, under the system's Node and under ours. */
  const outputs = async (program: string): Promise<string[]> => {
    const file = join(folder, `${stage.message('program').replaceAll(/\W/g, '')}.mjs`);
    writeFileSync(file, program);
    const env = {
      ...process.env,
      ANNALS_URL: stage.service.origin,
      ANNALS_KEY: ADMIN_KEY,
      ANNALS_WEBHOOK_SECRET: WEBHOOK_SECRET,
    };
    return Promise.all(NODES.map(async (node) => (await run(node, [file], { env })).stdout));
  };

  it('runs the quick start of its README', async () => {
    stage.book.on('What is 6 x 7?', say('6 x 7', ' = 42'));
    for (const output of await outputs(snippet('quick-start')))
      expect(output).toMatch(/^6 x 7 = 42\nrun_ses_\S+ completed, 0 US dollars\n$/);
  });

  it('answers as its README does', async () => {
    stage.book.on('Carry out weather {"city": "Oslo"}', say(...call(0, 'c', 'weather', { city: 'Oslo' })));
    for (const output of await outputs(snippet('waiting'))) expect(output).toBe('answered weather\n');
  });

  it('verifies a callback as its README does', async () => {
    const { headers, body } = sampleCallback();
    const request = `new Request('http://localhost', ${JSON.stringify({ method: 'POST', headers, body })})`;
    for (const output of await outputs(`${snippet('callback')}\nconsole.log(await take(${request}));`))
      expect(output).toBe('run_1 1 agent_started\n');
  });
});
