import { type ChatTool, isObject } from './chat-request.js';
import { contentWords, wordsOfName } from './words.js';

/** What a word of the message counts for: in the name of a tool, in its description. */
const IN_NAME = 3;
const IN_DESCRIPTION = 1;

/**
 * The tools that a message clearly asks for without naming one: the one whose name shares a word with it, and that more of
 * its words point to than to any other; where there is none, every search that takes a query. Empty: it is not clear.
 */
export function fittingTools(task: string, tools: readonly ChatTool[]): readonly ChatTool[] {
  const words = new Set(contentWords(task));
  const [best, second] = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .sort((a, b) => b.score - a.score);
  if (best === undefined) return [];
  if (best.score >= IN_NAME && best.score > (second?.score ?? 0)) return [best.tool];
  return words.size === 0 ? [] : tools.filter(isSearch);
}

function scoreOf({ function: { name, description = '' } }: ChatTool, words: ReadonlySet<string>): number {
  const named = new Set(wordsOfName(name));
  const described = new Set(contentWords(description));
  return [...words].reduce(
    (score, word) => score + (named.has(word) ? IN_NAME : described.has(word) ? IN_DESCRIPTION : 0),
    0,
  );
}

/** As the tools of document datastores are: `search_manuals` {`query`}. */
function isSearch({ function: { name, parameters } }: ChatTool): boolean {
  if (!/^search(_|$)/.test(name) || !isObject(parameters)) return false;
  const { required } = parameters;
  return Array.isArray(required) && required.length === 1 && required[0] === 'query';
}
