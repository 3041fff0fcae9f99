import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { FunctionTool, Response, ResponseInput } from 'openai/resources/responses/responses';
import type { BookTurn } from '../support/script-book.js';
import { call, say } from '../support/scripted-turn.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
let openai: OpenAI;
beforeAll(async () => {
  stage = await Stage.open();
  openai = new OpenAI({ baseURL: `${stage.service.origin}/v1`, apiKey: ADMIN_KEY, maxRetries: 0 });
});
afterAll(() => stage.close());

const tools: FunctionTool[] = [
  { type: 'function', name: 'look_up', parameters: { type: 'object' }, strict: false },
];
const calls = (word: string) => say(...call(0, 'c', 'look_up', { word }));
const user = (content: string) => ({ role: 'user' as const, content });
const messageOf = (name: string, ...turns: BookTurn[]) => stage.book.on(stage.message(name), ...turns);

/** What a client sends back of a response, with the output of its call. */
const answered = ({ output }: Response, result: string): ResponseInput => [
  ...(output as never[]),
  ...output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: result }]
      : [],
  ),
];
const sessionOf = ({ id }: Response): string | undefined => id.split('_')[1];
const following = ({ id }: Response): string => id.replace(/\d+$/, (n) => String(Number(n) + 1));
const ask = (input: ResponseInput, more: object = {}) => openai.responses.create({ input, tools, ...more });

describe('what is sent by value', () => {
  it('goes on with its run in each loop of a talk', async () => {
    const history: ResponseInput = [];
    for (const name of ['first', 'second', 'third']) {
      history.push(user(messageOf(name, calls(name), say('done'))));
      const asking = await ask(history);
      history.push(...answered(asking, name));
      const answer = await ask(history);
      expect([answer.id, answer.output_text]).toEqual([following(asking), 'done']);
      history.push(...(answer.output as never[]));
    }
  });

  it('goes on behind what was given of servers and approvals elsewhere', async () => {
    const theirs = { server_label: 's', name: 't', arguments: '{"b":1,"a":2}' };
    const given = [
      user('before'),
      { type: 'mcp_call' as const, id: 'mcp_theirs', ...theirs, output: 'told' },
      { type: 'mcp_call' as const, id: 'mcp_other', ...theirs, output: null, error: 'lost' },
      user(messageOf('elsewhere', calls('a'), say('done'))),
    ] as ResponseInput;
    const asking = await ask(given);
    const answer = await ask([...given, ...answered(asking, 'A')]);
    expect([answer.id, answer.output_text]).toEqual([following(asking), 'done']);
  });

  it('begins anew where more than the decisions is new', async () => {
    const input = [user(messageOf('more', calls('a'), say('done')))];
    const asking = await ask(input);
    const decided = [...input, ...answered(asking, 'A')];
    const foreign = [
      { type: 'function_call' as const, call_id: 'x', name: 'look_up', arguments: '{}' },
      { type: 'function_call_output' as const, call_id: 'x', output: 'X' },
    ];
    const elsewhere = await ask([...decided, ...foreign]);
    expect(sessionOf(elsewhere)).not.toBe(sessionOf(asking));
    expect((await ask(decided)).id).toBe(following(asking));
  });

  it('is answered by the same response again, and by another where it goes on', async () => {
    const input = [user(messageOf('again', calls('a'), calls('b'), say('done')))];
    const asking = await ask(input);
    const decided = [...input, ...answered(asking, 'A')];
    const second = await ask(decided);
    expect(await ask(decided)).toEqual(second);
    const other = await ask([...input, ...answered(asking, 'another')]);
    expect(sessionOf(other)).not.toBe(sessionOf(asking));
    const hurried = [...decided, ...answered(second, 'B'), user('and hurry')];
    const third = await ask(hurried);
    expect([third.id, (await ask(hurried)).id]).toEqual([following(second), following(second)]);
    expect((await ask([...decided, ...answered(second, 'B')])).id).not.toBe(third.id);
    expect((await ask(decided)).id).toBe(second.id);
  });
});

describe('what is decided by value', () => {
  it('is decided once, of many at the same time', async () => {
    const input = [user(messageOf('many', calls('a'), say('done')))];
    const decided = [...input, ...answered(await ask(input), 'A')];
    const all = await Promise.all([1, 2, 3].map(() => ask(decided)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  });

  it('is asked for anew where what followed was deleted', async () => {
    const input = [user(messageOf('deleted', calls('a'), say('done')))];
    const decided = [...input, ...answered(await ask(input), 'A')];
    const second = await ask(decided);
    await openai.responses.delete(second.id);
    expect(sessionOf(await ask(decided))).not.toBe(sessionOf(second));
  });
});

describe('what is sent by value behind a response that stays the same', () => {
  it('goes on in the fork that came of it', async () => {
    const base = await ask([user(messageOf('base', say('ok')))]);
    const from = { previous_response_id: base.id };
    await ask([user('something else')], from);
    const input = [user(messageOf('forked', calls('a'), calls('b'), say('done')))];
    const first = await ask(input, from);
    expect(sessionOf(first)).not.toBe(sessionOf(base));
    const decided = [...input, ...answered(first, 'A')];
    const second = await ask(decided, from);
    expect(second.id).toBe(following(first));
    const third = await ask([...decided, ...answered(second, 'B')], from);
    expect([third.id, third.output_text]).toEqual([following(second), 'done']);
  });

  it('goes on where that was decided on since', async () => {
    const base = await ask([user(messageOf('decided', calls('a'), calls('b'), say('done')))]);
    const from = { previous_response_id: base.id };
    const [, output] = answered(base, 'A') as [unknown, ResponseInput[number]];
    const second = await ask([output], from);
    const third = await ask([output, ...answered(second, 'B')], from);
    expect([third.id, third.output_text]).toEqual([following(second), 'done']);
    expect((await ask([output], from)).id).toBe(second.id);
    const [, other] = answered(base, 'another') as [unknown, ResponseInput[number]];
    await expect(ask([other], from)).rejects.toMatchObject({ status: 409 });
    await expect(ask([output, user('more')], from)).rejects.toMatchObject({ status: 409 });
  });
});

describe('a decision in a conversation', () => {
  it('that comes again is answered by the same response, also where the next wait has begun', async () => {
    const { id: conversation } = await openai.conversations.create();
    const mine = user(messageOf('talk', calls('a'), calls('b'), say('done')));
    const first = await ask([mine], { conversation });
    const [, output] = answered(first, 'A') as [unknown, ResponseInput[number]];
    const decided = [mine, output];
    const second = await ask(decided, { conversation });
    expect(await ask(decided, { conversation })).toEqual(second);
    const [, more] = answered(second, 'B') as [unknown, ResponseInput[number]];
    const third = await ask([mine, output, more], { conversation });
    expect(third.id).toBe(following(second));
    expect((await ask(decided, { conversation })).id).toBe(second.id);
    expect(await ask([mine, output, more], { conversation })).toEqual(third);
  });
});
