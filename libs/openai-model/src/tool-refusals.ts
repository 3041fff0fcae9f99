import type { ModelRequest, ToolDefinition } from '#agent';
import { type PlainLevel, plainTool, schemaKey } from './plain-tools.js';
import type { RequestForm } from './request-form.js';

/** A template may break at a schema that it walks through. */
const ABOUT_SCHEMA =
  /schema|grammar|parser generation|while executing|jinja|(template|undefined)error|\bm(in|ax)_value\b|\$(ref|defs)\b|\b(any|one|all)Of\b|\benum\b|\bitems\b|\b(additional)?properties\b|\bpattern\b|regex|regular expression|function_?declarations?|\b(tool|function).{0,80}\bparameters\b|\bparameters\b.{0,80}\b(tool|function)/i;

/** Whether a refusal may be about the schema of a tool, and not about the messages or the form of the output. */
export const isAboutSchemas = ({ tools, responseFormat }: ModelRequest, words: string): boolean =>
  tools.length > 0 &&
  ABOUT_SCHEMA.test(words) &&
  !/\bmessages\W{1,2}\d/.test(words) &&
  !(responseFormat !== undefined && /response[_ -]?format/i.test(words));

/** The schemas of the tools that the words name, and how plain they are to be; null: none that could be plainer. */
export function toolsNamed(
  request: ModelRequest,
  form: RequestForm,
  words: string,
): { readonly keys: readonly string[]; readonly level: PlainLevel } | null {
  if (!isAboutSchemas(request, words)) return null;
  const offered = request.tools.slice(0, form.maxTools);
  const byName = offered.filter(({ name }) => isToolNamed(words, name));
  const named = byName.length > 0 ? byName : byIndex(offered, words);
  for (const level of [1, 2] as const) {
    const keys = named.filter((tool) => nextLevel(tool, form) === level).map(keyOf);
    if (keys.length > 0) return { keys, level };
  }
  return null;
}

const keyOf = ({ parameters }: ToolDefinition): string => schemaKey(parameters);

/** How plain a tool is to be next; undefined: it is as plain as can be. */
export function nextLevel(tool: ToolDefinition, form: RequestForm): PlainLevel | undefined {
  const level = form.plain.get(keyOf(tool));
  if (level === 2) return undefined;
  if (level === 1) return 2;
  const simple = plainTool(tool, 1).parameters;
  return JSON.stringify(simple) === JSON.stringify(tool.parameters) ? 2 : 1;
}

/** A name may be a word of the language, so it has to stand in quotes or behind what says what it is. */
export function isToolNamed(words: string, name: string): boolean {
  const escaped = name.replaceAll(/[^\w]/g, String.raw`\$&`);
  return new RegExp(
    `["'\`‘“«]${escaped}["'\`’”»]|\\b(?:function|tool)s?(?: named| call)?[ :=]+${escaped}(?![\\w-])`,
    'i',
  ).test(words);
}

const INDEX = /function_?declarations?[[.]{1,2}(\d{1,4})|\btools?(?:\[|\.| |\s->\s|\/)(\d{1,4})(?![\d.]*%)/gi;

function byIndex(tools: readonly ToolDefinition[], words: string): ToolDefinition[] {
  const found = [...words.slice(0, 8000).matchAll(INDEX)];
  // Google counts tools that hold functions, and then the functions.
  const inner = found.filter(([, declaration]) => declaration !== undefined);
  const indices = (inner.length > 0 ? inner : found).map(([, declaration, tool]) =>
    Number(declaration ?? tool),
  );
  return [...new Set(indices)].flatMap((index) => tools[index] ?? []);
}
