import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  call,
  type RecordedRequest,
  refusal,
  say,
  type ScriptedModel,
  type ScriptedTurn,
  startScriptedModel,
} from '../../../test/support/scripted-model.js';
import { ModelFailure, type ModelPiece, type ModelRequest, type ToolDefinition } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

type Body = RecordedRequest['body'];

const tool = (name: string, property: object | boolean = { type: 'string' }): ToolDefinition => ({
  name,
  description: `does ${name}`,
  parameters: { type: 'object', properties: { [name]: property } },
});
const tools = (count: number): ToolDefinition[] => Array.from({ length: count }, (_, n) => tool(`t${n}`));
const request = (offered: readonly ToolDefinition[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: 'a' }],
  tools: offered,
  ...more,
});

/** Asks one after the other; what was asked, and what was answered last. */
async function asked(turn: (body: Body) => ScriptedTurn | null, ...requests: readonly ModelRequest[]) {
  const before = model.requests.length;
  model.script((body) => turn(body) ?? say('ok'));
  const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '' });
  let end: Extract<ModelPiece, { kind: 'end' }> | undefined;
  let failure: unknown;
  const leftOut: { at: number; tools: readonly string[] }[] = [];
  for (const one of requests)
    try {
      for await (const pieces of client.stream(one, new AbortController().signal))
        for (const [at, piece] of pieces.entries()) {
          if (piece.kind === 'end') end = piece;
          if (piece.kind === 'left_out') leftOut.push({ at, tools: piece.tools });
        }
    } catch (error) {
      failure = error;
    }
  await client.close();
  return { bodies: model.requests.slice(before).map(({ body }) => body), end, failure, leftOut };
}

const schemaIn = (body: Body, name: string) =>
  body.tools?.find((one) => one.function.name === name)?.function.parameters as
    { properties?: Record<string, unknown> } | undefined;
/** The tools whose schema is not as it was. */
const changedIn = (body: Body, offered: readonly ToolDefinition[]) =>
  offered
    .filter(({ name, parameters }) => JSON.stringify(schemaIn(body, name)) !== JSON.stringify(parameters))
    .map(({ name }) => name);
/** Whether a schema holds what a server of this kind does not take. */
const holds = (body: Body, what: string) => JSON.stringify(body.tools ?? []).includes(what);
const functions = (body: Body) => body.tools?.map((one) => one.function.name) ?? [];
/** A request that holds the keyword as JSON, and not in words. */
const isOdd = (body: Body) => holds(body, '"$anchor"');
const odd = { type: 'string', $anchor: 'x' };

describe('a tool whose schema the server refuses', () => {
  const offered = [
    ...tools(6),
    tool('odd', odd),
    ...tools(3).map((one) => ({ ...one, name: `${one.name}b` })),
  ];

  it.each([
    ["Invalid schema for function 'odd': $anchor is not known", 2],
    ['tools[6].function.parameters: unknown keyword', 2],
    ['tools.6.custom.input_schema: JSON schema is invalid', 2],
    ['GenerateContentRequest.tools[0].function_declarations[6].parameters.properties[odd]: missing field', 2],
  ])('is offered with a plainer one, the others as they are: %s', async (words, asks) => {
    const { bodies } = await asked((body) => (isOdd(body) ? refusal(400, words) : null), request(offered));
    expect(bodies.length).toBe(asks);
    expect(changedIn(bodies.at(-1)!, offered)).toEqual(['odd']);
    expect(schemaIn(bodies.at(-1)!, 'odd')).toEqual({
      type: 'object',
      properties: { odd: { type: 'string' } },
    });
    const told = bodies.at(-1)!.tools?.find((one) => one.function.name === 'odd')?.function.description;
    expect(told).toContain('does odd');
    expect(told).toContain(JSON.stringify(tool('odd', odd).parameters));
  });

  it.each([
    [400, 'Unable to generate parser for this template. JSON schema error at #/properties/x: unsupported'],
    [500, 'failed to parse grammar'],
    [500, 'While executing BinaryExpression at line 29: unknown operator "in" between String and Boolean'],
  ])('is found where it is not named, and remembered: %i %s', async (status, words) => {
    const two = [...offered, tool('odd2', odd)];
    const { bodies } = await asked(
      (body) => (isOdd(body) ? refusal(status, words) : null),
      request(two),
      request(two),
    );
    for (const body of bodies.slice(-2)) expect(changedIn(body, two)).toEqual(['odd', 'odd2']);
    // Each culprit is halved to by itself.
    expect(bodies.length).toBeLessThan(20);
  });

  it('is found where the server has other words for each', async () => {
    const many = [...offered, tool('big', { type: 'integer', maximum: 1e30 })];
    const turn = (body: Body) => {
      if (isOdd(body)) return refusal(400, 'JSON schema error at #/properties/p');
      return holds(body, '"maximum"') ? refusal(500, 'at least one bound must be set') : null;
    };
    const { bodies } = await asked(turn, request(many));
    expect(changedIn(bodies.at(-1)!, many)).toEqual(['odd', 'big']);
  });

  it('is offered as any object, the schema in its words, where the plainer one is refused, too', async () => {
    const isAny = (body: Body) => schemaIn(body, 'odd')?.properties === undefined;
    for (const words of ["Invalid schema for function 'odd'", 'JSON schema error']) {
      const { bodies } = await asked((body) => (isAny(body) ? null : refusal(400, words)), request(offered));
      expect(changedIn(bodies.at(-1)!, offered)).toEqual(['odd']);
      expect(schemaIn(bodies.at(-1)!, 'odd')).toEqual({ type: 'object' });
    }
  });

  it('is not what is at fault where plain ones are refused as well', async () => {
    const { bodies, failure } = await asked(() => refusal(400, 'the grammar is off'), request(offered));
    expect(failure).toBeInstanceOf(ModelFailure);
    expect((failure as ModelFailure).message).toContain('the grammar is off');
    expect(bodies.length).toBe(2);
  });
});

describe('more tools than the server takes', () => {
  it.each([
    "Invalid 'tools': array too long. Expected an array with maximum length 4, but got one with length 6.",
    'Too many tools: 6 (max 4)',
    'at most 4 tools are allowed',
  ])('are left out, and that is told: %s', async (words) => {
    const isTooMany = (body: Body) => functions(body).length > 4;
    const of = request(tools(6));
    const { bodies, leftOut } = await asked((body) => (isTooMany(body) ? refusal(400, words) : null), of, of);
    expect(bodies.map((body) => functions(body).length)).toEqual([6, 4, 4]);
    // Once an answer, before all that it says.
    expect(leftOut).toEqual([1, 2].map(() => ({ at: 0, tools: ['t4', 't5'] })));
  });

  it.each([
    '"gemma" does not support tools',
    'Function calling is not enabled for models/gemma',
    'No endpoints found that support tool use.',
  ])('are all, where the model knows of none: %s', async (words) => {
    const hasTools = (body: Body) => functions(body).length > 0;
    const { bodies, leftOut } = await asked(
      (body) => (hasTools(body) ? refusal(400, words) : null),
      request(tools(2)),
    );
    expect(bodies.length).toBe(2);
    expect(leftOut).toEqual([{ at: 0, tools: ['t0', 't1'] }]);
  });
});

describe('tools that are told of and not to be called', () => {
  const none = request(tools(2), { toolChoice: 'none' });

  it('are sent as ever, before the messages, and forbidden behind them', async () => {
    const { bodies } = await asked(() => null, request(tools(2)), none);
    expect(bodies.map((body) => body.tool_choice)).toEqual([undefined, 'none']);
    const [plain, forbidden] = bodies.map((body) => JSON.stringify(body));
    expect(forbidden!.startsWith(plain!.slice(0, -1))).toBe(true);
  });

  it('are not forbidden where the server knows no such word', async () => {
    const words = 'tool_choice must be auto or required';
    const refused = (body: Body) => (body.tool_choice === 'none' ? refusal(400, words) : null);
    const { bodies, end } = await asked(refused, none, none);
    expect(bodies.map((body) => body.tool_choice)).toEqual(['none', undefined, undefined]);
    expect(end).toMatchObject({ finishReason: 'stop' });
  });
});

describe('a tool that the model has to call', () => {
  const forced = request([tool('f'), tool('g')], { forcedTool: 'f' });
  const objects = (body: Body) => typeof body.tool_choice === 'object';

  it.each([
    [
      'refuses the object for it',
      (body: Body) => (objects(body) ? refusal(400, 'Invalid tool_choice') : null),
    ],
    ['takes no notice of it', (body: Body) => (objects(body) ? say('no') : say(...call(0, 'c', 'f')))],
  ])('is offered alone and required from then on where the server %s', async (_, turn) => {
    const { bodies } = await asked(turn, forced, forced, forced);
    const [first, ...later] = bodies;
    expect(objects(first!)).toBe(true);
    expect(functions(first!)).toEqual(['f', 'g']);
    for (const body of later) expect([body.tool_choice, functions(body)]).toEqual(['required', ['f']]);
  });

  it('is not asked for again where both are refused, for its schema and not for others', async () => {
    const other = request([tool('h')], { forcedTool: 'h' });
    const words = 'While it thinks, the model cannot be made to call a tool by tool_choice.';
    const { bodies, failure } = await asked(() => refusal(400, words), forced, forced, other);
    expect(failure).toMatchObject({ kind: 'refused' });
    expect(bodies.map(({ tool_choice: choice }) => typeof choice)).toEqual(['object', 'string', 'string']);
  });
});

describe('a form of output that is refused', () => {
  const format = (name: string) => ({
    responseFormat: { name: 'o', schema: { type: 'object', properties: { [name]: {} } }, strict: false },
  });

  it('is not asked for again with this schema, but with others', async () => {
    const refuses = (body: Body) =>
      JSON.stringify(body).includes('"odd"') ? refusal(500, 'JSON schema') : null;
    const { bodies, failure } = await asked(
      refuses,
      request([], format('odd')),
      request([], format('odd')),
      request([], format('even')),
    );
    expect(failure).toMatchObject({ kind: 'refused' });
    expect(bodies.length).toBe(2);
  });

  it('stands alone where the server takes it with no tools', async () => {
    const messages: ModelRequest['messages'] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
      { role: 'tool', callId: 'c', content: 'r' },
    ];
    const words = "Function calling with a response mime type: 'application/json' is unsupported";
    const isBoth = (body: Body) => body.tools !== undefined && body.response_format !== undefined;
    const of = request([], { ...format('x'), messages });
    const { bodies } = await asked((body) => (isBoth(body) ? refusal(400, words) : null), of, of);
    expect(bodies.map(isBoth)).toEqual([true, false, false]);
  });
});
