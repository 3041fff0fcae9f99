import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileSchema } from './compile-schema.js';
import { jsonIn } from './json-in-text.js';

const answer = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

function validateText(schema: object, text: string) {
  const made = compileSchema(schema, 'schema');
  if (made.kind === 'refused') throw new Error(made.error.message);
  return made.schema.validateText(text);
}

describe('what a model wrote', () => {
  it.each([
    ['plain', '{"n":1}'],
    ['with white space', '\n {"n": 1} \n'],
    ['in a fence', '```json\n{"n":1}\n```'],
    ['in a fence of no language', '```\n{"n":1}\n```'],
    ['in a fence on one line', '```{"n":1}```'],
    ['in a fence that is not closed', 'Here you are:\n```json\n{"n":1}'],
    ['in the last of several fences', 'First ```json\n{"n":0}\n``` no, rather:\n```json\n{"n":1}\n```'],
    ['in the fence that is right', '```json\n{"n":1}\n```\nwhere n is given in\n```js\nm\n```'],
    ['with words around it', 'The answer is {"n":1}, I think.'],
  ])('is taken as JSON: %s', (_, text) => {
    expect(validateText(answer, text)).toEqual({ ok: true, value: { n: 1 } });
  });

  it.each([
    ['', ['it is not valid JSON']],
    ['I do not know', ['it is not valid JSON']],
    ['{"n":1', ['it is not valid JSON']],
    ['{"n":"1"}', ['/n must be number']],
    ['[1]', ['the value must be object']],
  ])('is wrong: %j', (text, errors) => {
    expect(validateText(answer, text)).toEqual({ ok: false, errors });
  });

  it('need not be JSON where the schema takes a string', () => {
    const word = { type: 'string', maxLength: 5 };
    expect(validateText(word, 'hello')).toEqual({ ok: true, value: 'hello' });
    expect(validateText(word, '"hello"')).toEqual({ ok: true, value: 'hello' });
    expect(validateText(word, '42')).toEqual({ ok: true, value: '42' });
    expect(validateText(word, 'too long')).toEqual({
      ok: false,
      errors: ['the value must NOT have more than 5 characters'],
    });
    expect(validateText({ type: ['string', 'null'] }, 'null')).toEqual({ ok: true, value: null });
    expect(validateText({}, 'hello')).toMatchObject({ ok: false });
  });

  it('is not looked at where it is longer than a megabyte', () => {
    expect(validateText({}, `"${'x'.repeat(1024 * 1024)}"`)).toEqual({
      ok: false,
      errors: ['it is longer than 1048576 characters'],
    });
  });

  it('is found again, whatever JSON it is and whatever stands around it', () => {
    const around = fc.string().filter((text) => !/[`[\]{}"\d]|null|true|false/.test(text));
    fc.assert(
      fc.property(fc.object(), around, around, (value, before, after) => {
        const json = JSON.stringify(value);
        const values = [...jsonIn(`${before}${json}${after}`)];
        expect(values.map(({ value: found }) => JSON.stringify(found))).toContain(
          JSON.stringify(JSON.parse(json)),
        );
      }),
      { numRuns: 500 },
    );
  });
});
