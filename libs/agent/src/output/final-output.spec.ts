import { describe, expect, it } from '@jest/globals';
import { LOCAL_SCHEMAS } from '../../../../test/support/local-schemas.js';
import { SchemaInUse } from '#json-schema';
import { ModelFailure } from '../model/model-client.js';
import type { FinalAnswer, FinalOutputSpec, FinalRequest } from './final-output.js';
import { produceFinalOutput } from './produce-final-output.js';

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
};

function specOf(schema: object = SCHEMA): FinalOutputSpec {
  return { name: 'result', strict: true, schema, inUse: new SchemaInUse(LOCAL_SCHEMAS, schema, 'p') };
}

const said = (text: string): FinalAnswer => ({ text, toolCalls: [] });
const called = (args: object): FinalAnswer => ({
  text: '',
  toolCalls: [{ name: 'final_output', arguments: JSON.stringify(args) }],
});
const noFormat = new ModelFailure(
  'refused',
  "the model server answered 400: unknown field 'response_format'",
);

/** Produces the output of a model that answers so; keeps what it was asked. */
async function produce(
  script: readonly (FinalAnswer | Error)[],
  { spec = specOf(), recorded = [] }: { spec?: FinalOutputSpec; recorded?: readonly string[] } = {},
) {
  const requests: FinalRequest[] = [];
  const ask = (request: FinalRequest) => {
    const next = script[requests.length] ?? new Error('the script has run out');
    requests.push(request);
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  const result = await produceFinalOutput({ ask }, spec, recorded, new AbortController().signal);
  return { result, requests };
}

describe('final output', () => {
  it.each(['1184773092771532801', '1e400'])('holds no other number than %s', async (number) => {
    const { result, requests } = await produce([said(`{"answer":${number}}`), said('{"answer":42}')]);
    expect(result).toEqual({ kind: 'ok', value: { answer: 42 } });
    expect(JSON.stringify(requests[1]?.messages)).toContain(`answer must not be the number ${number}`);
    const list = specOf({ type: 'array', items: { type: 'number' } });
    const wrapped = called({ output: ['N'] });
    const answers = [
      noFormat,
      {
        ...wrapped,
        toolCalls: wrapped.toolCalls.map((made) => ({
          ...made,
          arguments: made.arguments.replace('"N"', number),
        })),
      },
    ];
    const second = await produce([...answers, called({ output: [7] })], { spec: list });
    expect(second.result).toEqual({ kind: 'ok', value: [7] });
  });

  it('is asked for in the structured-output mode of the model, also where it is not strict', async () => {
    const spec = { ...specOf(), strict: false };
    const { result, requests } = await produce([said('{"answer":42}')], { spec });
    expect(result).toEqual({ kind: 'ok', value: { answer: 42 } });
    expect(requests).toEqual([
      {
        messages: [
          {
            role: 'user',
            content:
              'Give the final output "result" of the work above, as JSON that matches its schema. ' +
              'Answer with the JSON alone, without a fence or a word around it.\n\n' +
              `The schema is:\n${JSON.stringify(SCHEMA)}`,
          },
        ],
        tools: [],
        responseFormat: { name: 'result', schema: SCHEMA, strict: false },
      },
    ]);
  });

  it('is repaired with the errors, up to twice', async () => {
    const { result, requests } = await produce([
      said('{"answer":"42"}'),
      said('forty-two'),
      said('```json\n{"answer":42}\n```'),
    ]);
    expect(result).toEqual({ kind: 'ok', value: { answer: 42 } });
    expect(requests.map((r) => r.messages.length)).toEqual([1, 3, 5]);
    const [, wrong, repair] = requests[1]?.messages ?? [];
    expect(wrong).toEqual({ role: 'assistant', content: '{"answer":"42"}' });
    expect(repair?.content).toContain('- /answer must be number');
    expect(repair?.content).toContain(JSON.stringify(SCHEMA));
    expect(requests[2]?.messages.slice(0, 3)).toEqual(requests[1]?.messages);
    expect(requests[2]?.messages[4]?.content).toContain('- it is not valid JSON');
    expect(requests.every((r) => r.responseFormat !== undefined)).toBe(true);
  });

  it('is invalid after two repairs, and the model is not asked again', async () => {
    const { result, requests } = await produce([said('no'), said(''), said('{}'), said('{"answer":1}')]);
    expect(result).toEqual({ kind: 'invalid', errors: ["the value must have required property 'answer'"] });
    expect(requests).toHaveLength(3);
    expect(requests[2]?.messages[3]).toEqual({ role: 'assistant', content: '(no answer)' });
  });

  it('comes by a tool that the model must call where the server has no such mode', async () => {
    const { result, requests } = await produce([noFormat, called({ answer: 42 })]);
    expect(result).toEqual({ kind: 'ok', value: { answer: 42 } });
    expect(requests[1]).toMatchObject({ forcedTool: 'final_output', tools: [{ parameters: SCHEMA }] });
    expect(requests[1]?.responseFormat).toBeUndefined();
    expect(requests[1]?.messages[0]?.content).toMatch(/Call final_output with it\.\n/);
  });

  it('is repaired twice by a tool, too: a refusal is no answer', async () => {
    const wrapped = new Error('no turn', { cause: noFormat });
    const answers = [wrapped, called({}), called({ answer: 'x' }), called({ answer: 1 })];
    const { result, requests } = await produce(answers);
    expect(result).toEqual({ kind: 'ok', value: { answer: 1 } });
    expect(requests.slice(1).every((r) => r.forcedTool === 'final_output')).toBe(true);
    expect(requests[2]?.messages.map((m) => m.role)).toEqual(['user', 'assistant', 'user']);
    expect(requests[2]?.messages[1]?.content).toBe('{}');
  });

  it('may be no object: arguments of a tool hold it, with the definitions at their root', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      items: { $ref: '#/$defs/n' },
      $defs: { n: { type: 'number' } },
    };
    const answers = [noFormat, called({ output: ['x'] }), called({ output: [1, 2] })];
    const { result, requests } = await produce(answers, { spec: specOf(schema) });
    expect(result).toEqual({ kind: 'ok', value: [1, 2] });
    expect(requests[1]?.tools[0]?.parameters).toEqual({
      type: 'object',
      properties: { output: { type: 'array', items: { $ref: '#/$defs/n' } } },
      required: ['output'],
      additionalProperties: false,
      $defs: { n: { type: 'number' } },
    });
    expect(requests[2]?.messages[2]?.content).toContain('- /0 must be number');
    const any = await produce([noFormat, called({ output: 5 })], { spec: specOf({}) });
    expect(any.result).toEqual({ kind: 'ok', value: 5 });
  });

  it.each([
    ['a fault that may pass', new ModelFailure('transient', 'response_format is slow today')],
    ['a refusal of another kind', new ModelFailure('refused', 'the model server answered 401: no such key')],
    ['anything else', new Error('something else')],
  ])('is not asked for in another way after %s', async (_, error) => {
    await expect(produce([error])).rejects.toBe(error);
  });

  it('is asked for in words alone where the server forces no tool either, and in no fourth way', async () => {
    const noForce = new ModelFailure('refused', 'the model server answered 400: tool_choice must be auto');
    const { result, requests } = await produce([noFormat, noForce, said('no'), said('{"answer":1}')]);
    expect(result).toEqual({ kind: 'ok', value: { answer: 1 } });
    for (const request of requests.slice(2)) {
      expect(request).toMatchObject({ tools: [] });
      expect(request.responseFormat ?? request.forcedTool).toBeUndefined();
      expect(request.messages[0]?.content).toContain(JSON.stringify(SCHEMA));
    }
    await expect(produce([noFormat, noForce, noFormat])).rejects.toBe(noFormat);
  });
});

describe('after a crash', () => {
  it('an answer that is on the log is not asked for again', async () => {
    const done = await produce([], { recorded: ['{"answer":42}'] });
    expect(done).toEqual({ result: { kind: 'ok', value: { answer: 42 } }, requests: [] });
    const { result, requests } = await produce([said('{"answer":1}')], { recorded: ['no', '{}'] });
    expect(result).toEqual({ kind: 'ok', value: { answer: 1 } });
    expect(requests.map((r) => r.messages.length)).toEqual([5]);
    await expect(produce([], { recorded: ['no', '{}', 'no'] })).resolves.toMatchObject({
      result: { kind: 'invalid' },
      requests: [],
    });
  });

  it('nothing is asked once the run is stopped', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    const ask = () => Promise.reject(new Error('asked'));
    await expect(produceFinalOutput({ ask }, specOf(), [], stopped)).rejects.toThrow('stopped');
  });
});
