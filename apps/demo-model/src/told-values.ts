import { type Sum, sumIn } from './arithmetic.js';
import { isObject } from './chat-request.js';
import { smallestJson } from './smallest-json.js';
import { contentWords, isNumber, numbersIn, wordsOfName } from './words.js';

type Schema = Record<string, unknown>;

/** What a value can be taken from. */
export interface Told {
  /** What was asked. */
  readonly task: string;
  /** What stands for a text of no other kind; absent: a word of the task. */
  readonly text?: string;
  /** Words that name the tool, and so are none of its arguments. */
  readonly toolName?: string;
}

/**
 * An object for a schema: the smallest that validates, and in it what the task tells of the properties that it requires.
 * A sum is worked out; otherwise numbers come in the order in which they stand in the text, then in the task. What would not validate is left as
 * small as it is.
 */
export function toldJson(schema: unknown, told: Told, filling = ''): unknown {
  const smallest = smallestJson(schema, { text: filling });
  if (!isObject(smallest) || !isObject(schema) || !isObject(schema['properties'])) return smallest;
  const properties = schema['properties'];
  const source = new Source(told);
  return Object.fromEntries(
    Object.entries(smallest).map(([name, least]) => {
      const property = properties[name];
      const value = isObject(property) ? source.valueOf(name, property) : undefined;
      return [name, value === undefined || !isAllowed(value, property as Schema) ? least : value];
    }),
  );
}

/** Gives each number and each word once. */
class Source {
  private readonly sum: Sum | undefined;
  private readonly numbers: number[];
  private readonly quoted: string[];
  private readonly words: string[];

  constructor(private readonly told: Told) {
    const { task, text = '', toolName = '' } = told;
    const named = new Set(wordsOfName(toolName));
    this.sum = sumIn(task);
    this.numbers = numbersIn(`${text} ${task}`);
    this.quoted = Array.from(task.matchAll(/["“]([^"“”]{1,200})["”]/g), ([, quoted = '']) => quoted);
    this.words = contentWords(task).filter((word) => !named.has(word) && !isNumber(word));
  }

  valueOf(name: string, schema: Schema): unknown {
    const { enum: choices, type } = schema;
    if ('const' in schema || 'default' in schema || '$ref' in schema) return undefined;
    if (Array.isArray(choices)) return this.choice(choices);
    const types = Array.isArray(type) ? type : [type];
    if (types.includes('number') || types.includes('integer')) {
      const value = this.sum?.result ?? this.numbers.shift();
      if (value !== undefined || !types.includes('string')) return value;
    }
    if (types.includes('string')) return this.text(name);
    if (type === 'array' && isObject(schema['items']) && schema['items']['type'] === 'string')
      return this.told.text === undefined ? undefined : [this.told.text];
    return undefined;
  }

  /** The one that the task names. */
  private choice(choices: readonly unknown[]): unknown {
    const task = ` ${contentWords(this.told.task).join(' ')} `;
    return choices.find((value) => {
      const words = typeof value === 'string' ? contentWords(value.replaceAll(/[_-]/g, ' ')) : [];
      return words.length > 0 && task.includes(` ${words.join(' ')} `);
    });
  }

  private text(name: string): string | undefined {
    if (this.sum !== undefined && /expression|formula|sum|calculation/i.test(name))
      return this.sum.expression;
    if (this.told.text !== undefined) return this.told.text;
    const quoted = this.quoted.shift();
    if (quoted !== undefined) return quoted;
    if (/^(query|search|keywords?)$/i.test(name)) return this.words.join(' ') || undefined;
    if (/^(message|text|input|prompt|question|content)$/i.test(name))
      return this.words.length > 0 ? this.told.task.trim() : undefined;
    return this.words.shift();
  }
}

/** Of what the schema asks beside the type; a pattern or a format is nothing that a text of the task has. */
function isAllowed(value: unknown, schema: Schema): boolean {
  const within = (size: number, least: unknown, most: unknown): boolean =>
    !(typeof least === 'number' && size < least) && !(typeof most === 'number' && size > most);
  if (typeof value === 'string')
    return (
      !('pattern' in schema || 'format' in schema) &&
      within(value.length, schema['minLength'], schema['maxLength'])
    );
  if (Array.isArray(value)) return within(value.length, schema['minItems'], schema['maxItems']);
  if (typeof value !== 'number') return true;
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf, type } = schema;
  const isWhole = type !== 'integer' || Number.isInteger(value);
  return (
    isWhole &&
    Number.isFinite(value) &&
    multipleOf === undefined &&
    value !== above &&
    value !== below &&
    within(value, schema['minimum'] ?? above, schema['maximum'] ?? below)
  );
}
