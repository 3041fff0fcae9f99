import { isObject } from './chat-request.js';

/** What Annals tells the model that carries out a step of a workflow. */
export interface Step {
  readonly name: string;
  readonly description: string;
  /** What the workflow works on; empty: it was told nothing. */
  readonly input: string;
  /** Of the output, where it has one. */
  readonly schema?: object;
}

const BEGINNING = /^You carry out one step of the workflow /;
const STEP = /^The step "(.*)":\n(.*)$/m;
const INPUT = /^Input of the workflow:\n(.*)$/m;
const SCHEMA = /^Answer with JSON alone.* that matches this schema:\n(\{.*\})$/m;

/** The step that a message asks for; undefined: it asks for none. */
export function stepIn(message: string): Step | undefined {
  const [, name, description] = STEP.exec(message) ?? [];
  if (!BEGINNING.test(message) || name === undefined || description === undefined) return undefined;
  const schema = objectIn(SCHEMA.exec(message)?.[1]);
  const input = INPUT.exec(message)?.[1] ?? '';
  return { name, description, input, ...(schema === undefined ? {} : { schema }) };
}

/** What the demo model has to say to a step: that it was asked, and for what. */
export const stepText = ({ name, description, input }: Step): string =>
  `(Demo output of "${name}"${input === '' ? '' : ` for "${input}"`}: ${description})`;

function objectIn(json: string | undefined): object | undefined {
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
