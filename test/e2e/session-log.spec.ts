import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_KEY } from '../support/service-process.js';
import { say } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

interface Line {
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly schemaVersion: number;
  readonly project: string;
  readonly actor: string;
  readonly run?: string;
  readonly causationId?: string;
  readonly correlationId?: string;
  readonly commitment: string;
  readonly prev: string;
  readonly salt?: string;
  readonly text?: string;
  readonly bytes?: number;
  readonly head?: string;
}

const sha256 = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** As docs/log-format.md has it. */
const hashOf = (session: string, line: Line): string => {
  const { revision, id, type, schemaVersion, time, project, actor, commitment, prev } = line;
  const place = prev === '' ? '' : String(revision);
  const by = [line.causationId ?? '', line.correlationId ?? ''];
  const fields = ['1', `session-${session}`, place, id, type, String(schemaVersion), String(time), project];
  return sha256(JSON.stringify([...fields, actor, ...by, commitment, prev]));
};

/** What is wrong with the lines of a session, from the first on. */
function faultsOf(session: string, lines: readonly Line[]): string[] {
  const faults: string[] = [];
  let next = sha256(`session-${session}`);
  let loose: string[] = [];
  for (const line of lines) {
    const { revision, salt = '', text = '', commitment, prev } = line;
    if (sha256(Buffer.from(salt, 'hex'), text) !== commitment) faults.push(`${revision}: its text`);
    if (prev === '') loose.push(hashOf(session, line));
    else {
      const expected = loose.length === 0 ? next : sha256(JSON.stringify([next, ...loose]));
      if (prev !== expected) faults.push(`${revision}: what it follows`);
      [next, loose] = [hashOf(session, line), []];
    }
  }
  return faults;
}

const headers = { authorization: `Bearer ${ADMIN_KEY}` };

const pageOf = async (session: string, query = '') => {
  const answer = await stage.client.get(`/sessions/${session}/log?limit=200${query}`, {
    headers: { accept: 'application/json' },
  });
  const { items } = answer.json<{ items: { id: string; data: Line }[] }>();
  for (const { id, data } of items) expect(id).toBe(String(data.revision));
  return { lines: items.map(({ data }) => data), head: Number(answer.headers['annals-head']) };
};

/** A stream of lines; `read` waits for so many. */
async function follow(session: string, query: string, lastId?: number) {
  const ended = new AbortController();
  const answer = await fetch(`${stage.service.origin}/sessions/${session}/log${query}`, {
    headers: { ...headers, ...(lastId === undefined ? {} : { 'last-event-id': String(lastId) }) },
    signal: ended.signal,
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const linesIn = (): Line[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Line);
  const read = async (count: number): Promise<Line[]> => {
    while (linesIn().length < count) {
      const { done, value = '' } = await reader.read();
      if (done) break;
      text += value;
    }
    return linesIn();
  };
  return { status: answer.status, headers: answer.headers, read, stop: () => ended.abort() };
}

const played = async (...answers: readonly string[]) => {
  const message = stage.book.on(stage.message('log'), ...answers.map((answer) => say(answer)));
  return stage.client.runToEnd({ message, streaming_tokens: true });
};

describe('the log of a session', () => {
  it('is all of its events, each as it can be checked by whoever has the format', async () => {
    const { session, run_id: run } = await played('forty two \u{1f642}\u2028');
    const { lines, head } = await pageOf(session);
    expect(lines.map(({ revision }) => revision)).toEqual([...lines.keys()]);
    expect(head).toBe(lines.length - 1);
    expect(faultsOf(session, lines)).toEqual([]);
    const at = lines.findIndex(({ type }) => type === 'agent_response');
    const forged = lines.with(at, { ...lines[at]!, time: lines[at]!.time + 1 });
    expect(faultsOf(session, forged)).toHaveLength(1);
    // Those that everybody is shown are among them.
    const shown = await stage.client.get(`/runs/${run}/events?limit=200`, {
      headers: { accept: 'application/json' },
    });
    const { items: told } = shown.json<{ items: { id: string; data: { type: string } }[] }>();
    expect(told.length).toBeGreaterThan(0);
    for (const { id, data } of told) expect(lines[Number(id)]?.type).toBe(data.type);
    expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(['session_opened', 'run_claimed']));
    expect((await pageOf(session, `&run=${run}`)).lines).toEqual(lines.filter((line) => line.run === run));
    expect((await pageOf(session, '&run=run_of_nobody')).lines).toEqual([]);
  });

  it('comes as a stream from any point, and goes on', async () => {
    const { session } = await played('one');
    const { lines } = await pageOf(session);
    const all = await follow(session, '?after=0', 3);
    expect(all.headers.get('annals-head')).toBe(String(lines.length - 1));
    expect(await all.read(lines.length - 4)).toEqual(lines.slice(4));
    const message = stage.book.on(stage.message('log'), say('two'));
    const beyond = await follow(session, '?after=100000');
    await stage.client.runToEnd({ message }, { session });
    const after = (await pageOf(session)).lines;
    expect(await all.read(after.length - 4)).toEqual(after.slice(4));
    expect(await beyond.read(after.length - lines.length)).toEqual(after.slice(lines.length));
    expect(faultsOf(session, after)).toEqual([]);
    all.stop();
    beyond.stop();
  });

  it('gives of one event what was said in it, in whichever field that stands, and whether or not it lies in a file', async () => {
    for (const count of [1, 40]) {
      const message = stage.book.on(stage.message('offered'), say('done'));
      const tools = Array.from({ length: count }, (_, n) => ({
        name: `look_up_${n}`,
        description: 'Looks a word up. '.repeat(500),
        parameters: { type: 'object' },
      }));
      const { session } = await stage.client.runToEnd({ message, tools });
      const { lines } = await pageOf(session);
      const offer = lines.find(({ type }) => type === 'tools_offered')!;
      const one = (await stage.client.get(`/sessions/${session}/log/${offer.revision}`)).json();
      expect(JSON.parse(String(one['content']))).toEqual(
        tools.map((tool) => expect.objectContaining(tool) as object),
      );
      expect(String(one['text']).includes('"$file"')).toBe(count > 1);
    }
  });

  it('leaves out what is long, and gives one event whole', async () => {
    const long = 'x'.repeat(150_000);
    const { session } = await played(long);
    const short = await pageOf(session, '&inline=100');
    const left = short.lines.find(({ bytes }) => bytes !== undefined)!;
    expect(left).not.toHaveProperty('salt');
    expect(left).not.toHaveProperty('text');
    expect(left.head!.length).toBe(Math.min(512, left.bytes!));
    const { lines } = await pageOf(session);
    const whole = (await stage.client.get(`/sessions/${session}/log/${left.revision}`)).json();
    expect(faultsOf(session, [whole as unknown as Line])).not.toContain(`${left.revision}: its text`);
    expect(String(whole['text'])).toHaveLength(left.bytes!);
    const texts = await Promise.all(
      lines
        .filter(({ type }) => type === 'agent_response')
        .map(async ({ revision }) => (await stage.client.get(`/sessions/${session}/log/${revision}`)).json()),
    );
    expect(texts.map((text) => String(text['content'])).join('')).toBe(long);
    const opened = (await stage.client.get(`/sessions/${session}/log/0`)).json();
    expect(opened).toMatchObject({ type: 'session_opened', content: null });
    for (const none of [lines.length, '-1', '1e1', 'x'])
      expect((await stage.client.get(`/sessions/${session}/log/${none}`)).status).toBe(404);
    for (const wrong of ['-1', '262145', 'x'])
      expect((await stage.client.get(`/sessions/${session}/log?inline=${wrong}`)).status).toBe(400);
  });

  it('ends with its session', async () => {
    const { session } = await played('gone');
    const open = await follow(session, '');
    await open.read(1);
    expect((await stage.client.call('DELETE', `/sessions/${session}`)).status).toBe(200);
    const told = await open.read(Infinity);
    expect(JSON.stringify(told.map(({ type }) => type))).not.toContain('session_erased');
    for (const path of ['', '/0']) {
      const answer = await stage.client.get(`/sessions/${session}/log${path}`);
      expect([answer.status, answer.text.includes('gone')]).toEqual([404, false]);
    }
  });
});
