import { solve } from '../../../apps/demo-model/src/arithmetic.js';
import { SecretMask } from '../../../libs/mcp/src/secret-mask.js';
import { isNamed } from '../../../libs/openai-model/src/refusals.js';
import { isToolNamed } from '../../../libs/openai-model/src/tool-refusals.js';
import { failureOfStatus, withoutSecrets } from '../../../libs/openai-model/src/failures.js';
import { ThinkingTags } from '../../../libs/openai-model/src/thinking-tags.js';
import { hideSecrets } from '../../../libs/delivery/src/callbacks/hide-secrets.js';
import { readConnection } from '../../../libs/knowledge/src/connection-string.js';
import { csvRows } from '../../../libs/extraction/src/csv.js';
import { indexText, pairsOf, runsOf } from '../../../libs/knowledge/src/search/index-text.js';
import { readQuery } from '../../../libs/knowledge/src/search/query-text.js';
import { masked } from '../../../libs/knowledge/src/sql/masked.js';
import { tokens } from '../../../libs/knowledge/src/sql/tokens.js';
import { scrub } from '../../../libs/platform/src/scrub.js';
import type { Work } from './trial.js';

/** What puts a pattern together, or holds several against a text one after the other. */
export interface FunctionOnText {
  readonly work: Work;
  /** What its texts may begin with, or consist of. */
  readonly beginnings: readonly string[];
  /** Refused before where it is longer than some ten thousand characters: a megabyte is not tried. */
  readonly isShort?: true;
}

const SECRETS = ['https://', 'https://me:', 'https://me@', 'Bearer ', 'sk-', 'password=', 'aaaa'];
const SQL = ["'", "E'", '"', '`', '--', '/*', '$a$', '$', '\\', '*/', '#'];
const connection = readConnection('postgres://someone:aaaaaaaa@aaa.example/data');
const mask = new SecretMask({
  serverName: 'tools',
  serverUrl: 'https://aaa.example/aaaaaaaa?token=aaaaaaaa',
  auth: { type: 'bearer', token: 'aaaaaaaa' },
});
const callback = {
  url: 'https://aaa.example/aaaaaaaa',
  headers: { authorization: 'Basic YWFhYTphYWFhYWE=' },
};

export const functionsOnText: Readonly<Record<string, FunctionOnText>> = {
  scrub: { work: scrub, beginnings: SECRETS },
  'what the model server says': {
    work: (body) => failureOfStatus({ status: 400, headers: {}, body }, 'aaaaaaaa', 0),
    beginnings: [...SECRETS, 'prompt', 'token count', 'exceed', '超出', 'inputs +'],
  },
  withoutSecrets: { work: (text) => withoutSecrets(text, 'aaaaaaaa'), beginnings: SECRETS },
  'whether a refusal names a parameter': {
    work: (words) => isNamed(words, 'aaaaaaaa'),
    beginnings: ['aaaaaaaa', '-aaaaaaaa'],
  },
  'whether a refusal names a tool': {
    work: (words) => isToolNamed(words, 'aaaaaaaa'),
    beginnings: ['tool ', 'function named ', '"aaaaaaaa', 'tools call ='],
  },
  'what a database says': {
    work: (text) => masked(text, connection, '10.0.0.1'),
    beginnings: [...SECRETS, "'a'@'a'", 'user "', 'role "'],
  },
  'what a tool server says': { work: (text) => mask.cleanError(mask.clean(text)), beginnings: SECRETS },
  'what a receiver answers': { work: (text) => hideSecrets(text, callback), beginnings: SECRETS },
  'SQL for PostgreSQL': { work: (sql) => countOf(tokens(sql, 'postgres')), beginnings: SQL, isShort: true },
  'SQL for MySQL': { work: (sql) => countOf(tokens(sql, 'mysql')), beginnings: SQL, isShort: true },
  'rows of CSV': { work: (text) => countOf(csvRows(text, ',')), beginnings: [',', '"a"', '""'] },
  'rows parted by pipes': { work: (text) => countOf(csvRows(text, '|')), beginnings: ['|', '"a"', '""'] },
  'words of a text for search': {
    work: (text) => countOf(runsOf(indexText(text)).flatMap((run) => pairsOf(run.text))),
    beginnings: ['退', '退a', 'ﬃ', 'ก้', '\u00ad'],
  },
  'thinking in an answer': {
    work: thinkingIn,
    beginnings: ['<think>', '</think>', '```', '`', '[THINK]', '> '],
  },
  'a query for search': { work: readQuery, beginnings: ['*', 'a*', '“'] },
  'a sum for the demo model': { work: solve, beginnings: ['1', '1 + ', '1.', '1 times ', '-'] },
};

function thinkingIn(text: string): number {
  let chars = 0;
  const heard = (piece: string): void => void (chars += piece.length);
  const tags = new ThinkingTags({ text: heard, thinking: heard, wasThinking: () => undefined });
  tags.add(text);
  tags.end(true);
  return chars;
}

function countOf(found: Iterable<unknown>): number {
  let count = 0;
  for (const _ of found) count += 1;
  return count;
}
