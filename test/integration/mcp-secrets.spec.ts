import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { sessionStream } from '#domain';
import type { McpServerConfig } from '#agent';
import type { RecordedEvent } from '#event-log';
import type { StartedRun } from '#runs';
import type { House } from '../support/house.js';
import { McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { McpRun, at } from '../support/mcp-servers/mcp-run.js';
import { answering, plain } from '../support/mcp-servers/raw-answers.js';
import {
  ADDRESS,
  FORM,
  TaskServer,
  WORKING,
  completed,
  said,
  wanting,
} from '../support/mcp-servers/task-server.js';
import { openQuarry } from '../support/quarry.js';
import { TempLog } from '../support/temp-log.js';

const TOKEN = 'sesame-Op3n';
const auth = { type: 'bearer', token: TOKEN } as const;

let server: TaskServer;
let temp: TempLog;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());
beforeEach(async () => {
  server = await TaskServer.start();
});
afterEach(() => server.close());

const entry = (): McpServerConfig => ({ ...server.entry, auth });
const start = (house: House): Promise<StartedRun> =>
  house.start('dig', { config: { mcp_servers: ['quarry'] }, mcpServers: [entry()] });

/** Nothing of the caller's entry but its name is anywhere on the log, or was told to the model. */
async function expectNoSecret(house: House, { session }: StartedRun): Promise<void> {
  const events = await temp.read(sessionStream(session));
  const all = JSON.stringify(events) + JSON.stringify(house.model.requests);
  expect(all).toContain('"quarry"');
  expect(all).not.toMatch(/sesame-Op3n|sesame%2DOp3n/i);
  expect(all).not.toContain(server.url);
}

const askedIn = ({ data }: RecordedEvent): unknown =>
  JSON.parse((data as { readonly content: string }).content);

describe('what only the caller may know', () => {
  it("is not in a tool's schema, and the server gets the arguments that it wants", async () => {
    server.schema = {
      type: 'object',
      properties: {
        deep: { type: 'boolean', description: `use token ${TOKEN} at ${server.url}` },
        where: { type: 'string', enum: ['here', TOKEN], default: TOKEN },
      },
    };
    server.answerCall = () => said('gold');
    const house = openQuarry(temp);
    const run = await start(house);
    expect((await house.ended(run)).type).toBe('agent_completed');
    expect(house.model.requests[0]!.tools?.[0]!.parameters).toEqual({
      type: 'object',
      properties: {
        deep: { type: 'boolean', description: 'use token *** at ***' },
        where: { type: 'string', enum: ['here'] },
      },
    });
    expect(server.calls[0]!.arguments).toEqual({ deep: true });
    await expectNoSecret(house, run);
  });

  it('is not in a form', async () => {
    const requestedSchema = {
      type: 'object',
      title: `for ${TOKEN}`,
      properties: {
        metres: { type: 'number', title: TOKEN, description: `at ${server.url}` },
        tool: { type: 'string', enum: ['spade', TOKEN], enumNames: ['Spade', 'Other'], default: TOKEN },
      },
    };
    server.answerCall = () =>
      wanting({ depth: { ...FORM, params: { mode: 'form', message: `as ${TOKEN}?`, requestedSchema } } });
    const house = openQuarry(temp);
    const run = await start(house);
    const asked = await house.heard(run.session, ({ type }) => type === 'agent_action_required');
    expect(askedIn(asked)).toEqual({
      server: 'quarry',
      tool: 'dig',
      message: 'as ***?',
      schema: {
        type: 'object',
        title: 'for ***',
        properties: {
          metres: { type: 'number', title: '***', description: 'at ***' },
          tool: { type: 'string', enum: ['spade'], enumNames: ['Spade'] },
        },
      },
    });
    await house.cancel(run);
    await house.ended(run);
    await expectNoSecret(house, run);
  });

  const link = (url: string) => ({ ...ADDRESS, params: { ...ADDRESS.params, url } });
  const form = (properties: object) => ({
    ...FORM,
    params: { ...FORM.params, requestedSchema: { type: 'object', properties } },
  });
  test.each([
    ['an address', { a: link(`https://sign.example/?t=${TOKEN}`) }, undefined, /names an address to go to/],
    ['an encoded one', { a: link('https://sign.example/?t=sesame%2DOp%33n') }, undefined, /names an address/],
    ['a field', { a: form({ [TOKEN]: { type: 'string' } }) }, undefined, /asks for a field whose name holds/],
    ['a key', { [TOKEN]: FORM }, undefined, /asks for something by a name that holds/],
    ['a state', { a: FORM }, `state of ${TOKEN}`, /wants something to be kept for it that holds/],
  ])('is asked for by nobody where %s holds it: the call fails, in words', async (_, wants, state, words) => {
    server.answerCall = () => wanting(wants, state);
    const house = openQuarry(temp);
    const run = await start(house);
    expect((await house.ended(run)).type).toBe('agent_completed');
    expect(house.told(-1).at(-1)).toMatch(words);
    expect(server.calls).toHaveLength(1);
    await expectNoSecret(house, run);
  });

  it('fails a task that can be gone on with only by what holds it, and the server is told to stop', async () => {
    server.answerOf = () => ({
      result: { status: 'input_required', inputRequests: { a: link(`https://sign.example/${TOKEN}`) } },
    });
    const house = openQuarry(temp);
    const run = await start(house);
    expect((await house.ended(run)).type).toBe('agent_completed');
    expect(house.told(-1).at(-1)).toMatch(/names an address to go to that holds a secret/);
    expect(server.asked).toEqual(['tasks/get t1', 'tasks/cancel t1']);
    await expectNoSecret(house, run);
  });

  it('is no name of a task', async () => {
    server.answerCall = () => ({ result: { resultType: 'task', taskId: `t-${TOKEN}`, status: 'working' } });
    const house = openQuarry(temp);
    const run = await start(house);
    await house.ended(run);
    expect(house.told(-1).at(-1)).toMatch(/outcome unknown: .* whose name holds a secret of the caller/);
    expect(server.asked).toEqual([]);
    await expectNoSecret(house, run);
  });

  it('is not in what a task says and ends with', async () => {
    let asks = 0;
    server.answerOf = () =>
      ++asks === 1
        ? { result: { ...(WORKING as { result: object }).result, statusMessage: TOKEN, _meta: { a: TOKEN } } }
        : completed(`gold of ${TOKEN} at ${server.url}`);
    const house = openQuarry(temp);
    const run = await start(house);
    await house.ended(run);
    expect(house.told(-1).at(-1)).toBe('tool gold of *** at ***');
    await expectNoSecret(house, run);
  });

  it('is not in any part of a result', async () => {
    server.answerCall = () => ({
      result: {
        resultType: 'complete',
        content: [
          { type: 'text', text: TOKEN, annotations: { audience: [TOKEN] }, _meta: { a: TOKEN } },
          {
            type: 'resource_link',
            uri: `a:${TOKEN}`,
            name: TOKEN,
            title: TOKEN,
            mimeType: TOKEN,
            description: TOKEN,
          },
          { type: 'resource', resource: { uri: `a:/${TOKEN}`, mimeType: `text/${TOKEN}`, blob: 'AAAA' } },
          { type: 'image', data: '', mimeType: TOKEN },
          { type: TOKEN },
        ],
        structuredContent: { [TOKEN]: [TOKEN, { at: server.url }] },
        _meta: { a: TOKEN },
      },
    });
    const house = openQuarry(temp);
    const run = await start(house);
    await house.ended(run);
    expect(house.told(-1).at(-1)).toContain('{"***":["***",{"at":"***"}]}');
    await expectNoSecret(house, run);
  });
});

test('a link to another place of the server is its to give', async () => {
  const { origin } = new URL(server.url);
  server.answerCall = () =>
    wanting({ a: { ...ADDRESS, params: { ...ADDRESS.params, url: `${origin}/sign?for=1` } } });
  const house = openQuarry(temp);
  const run = await start(house);
  const asked = await house.heard(run.session, ({ type }) => type === 'agent_action_required');
  expect(askedIn(asked)).toMatchObject({ url: `${origin}/sign?for=1` });
  await house.cancel(run);
  await house.ended(run);
});

test('a refusal that is cut shows no half of a secret', async () => {
  const fixture = await McpFixture.start({
    wire: 'modern',
    tools: [{ name: 'pay' }],
    ...answering({ 'tools/call': plain(400, `${'x'.repeat(492)} ${TOKEN} and more`) }),
  });
  const run = await McpRun.open([{ ...at(fixture), auth }]);
  try {
    const { content } = await run.call('pay');
    expect(content).toContain(`answered with status 400: ${'x'.repeat(492)} ***`);
    expect(content).not.toContain('sesa');
  } finally {
    await run.close();
    await fixture.close();
  }
});
