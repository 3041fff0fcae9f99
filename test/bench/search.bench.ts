import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryFileStore } from '#vault';
import { SqliteEventLog } from '#event-log';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { type ReadModels, openReadModels } from '#read-models';
import { readPlainText } from '../../libs/extraction/src/plain-text.js';
import { languageOf } from '../../libs/extraction/src/language.js';
import { type Passage, PassageMaker } from '../../libs/extraction/src/passage.js';
import { migrate } from '../../libs/knowledge/src/postgres/migrate.js';
import { PassageRows } from '../../libs/knowledge/src/postgres/passage-rows.js';
import { PassageSearch } from '../../libs/knowledge/src/postgres/passage-search.js';
import { Search } from '../../libs/knowledge/src/search.js';

/**
 * Search: how good it is and how fast. Documents are the README files of node_modules, queries their headings that stand
 * in one file only, the answer is that file. Beside it PostgreSQL's own ts_rank over the same passages. Then the passages
 * are multiplied to 100,000, with some words of each changed, and the same queries are timed.
 */
const PASSAGES = 100_000;
const QUERIES = 600;
const TIMED = 400;
const SCHEMA = 'annals_knowledge';

interface Readme {
  readonly name: string;
  readonly passages: readonly Passage[];
  readonly language: string;
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-bench-search-'));
  const logger = new SilentLogger();
  const background = new ProcessBackground(logger);
  const [clock, random] = [new SystemClock(), new SystemRandom()];
  const log = await SqliteEventLog.open({ folder: join(folder, 'log'), logger });
  const metadataSecret = new Uint8Array(32);
  const ports = { log, files: new MemoryFileStore(), clock, random, background, logger, metadataSecret };
  const models = openReadModels({ ...ports, folder: join(folder, 'postgres') });
  try {
    await models.ready;
    const trigrams = await migrate(models.database, logger);
    const search = new Search(new PassageSearch(models.database, () => trigrams), async () => undefined);
    const rows = new PassageRows(models.database, 'bench');
    const readmes = readReadmes();
    const queries = queriesOf(readmes);
    for (const readme of readmes) await store(models, rows, 'quality', readme);
    await quality(models, search, readmes, queries);
    await speed(models, search, rows, readmes, queries);
  } finally {
    await models.close();
    await log.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function readReadmes(): Readme[] {
  const root = 'node_modules';
  const packages = readdirSync(root).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(root, name)).map((inner) => join(name, inner)) : [name],
  );
  const texts = new Map<string, string>();
  for (const name of packages) {
    const file = join(root, name, 'README.md');
    if (!existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    if (text.length > 400 && ![...texts.values()].includes(text)) texts.set(name, text);
  }
  return [...texts].map(([name, text]) => {
    const maker = new PassageMaker();
    for (const block of readPlainText(text)) maker.add(block);
    maker.finish();
    return { name, passages: maker.take(), language: languageOf(text) };
  });
}

/** Headings of two words or more that stand in one file only, spread over all files. */
function queriesOf(readmes: readonly Readme[]): { query: string; name: string }[] {
  const files = new Map<string, Set<string>>();
  for (const { name, passages } of readmes)
    for (const { heading } of passages) {
      const query = heading
        .replace(/[^\p{L}\p{N}\s.'-]/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      if (query.split(' ').length >= 2) files.set(query, (files.get(query) ?? new Set()).add(name));
    }
  const unique = [...files].filter(([, names]) => names.size === 1);
  const step = Math.max(1, Math.floor(unique.length / QUERIES));
  return unique.filter((_, i) => i % step === 0).map(([query, [name = '']]) => ({ query, name }));
}

async function store(
  models: ReadModels,
  rows: PassageRows,
  datastore: string,
  readme: Readme,
): Promise<void> {
  const upload = `${datastore}:${readme.name}`;
  await models.database.query({
    text: `INSERT INTO ${SCHEMA}.documents (id, datastore, project, filename, bytes, upload, file, status, created_at)
      VALUES ($1, $2, 'bench', $3, 0, $1, '', 'indexed', 0)`,
    values: [upload, datastore, readme.name],
  });
  const of = { upload, datastore };
  await rows.hold(of);
  const { signal } = new AbortController();
  await rows.add(of, { ...readme, from: 0 }, signal);
  await rows.complete(of, readme.passages.length, signal);
}

type Ask = (query: string) => Promise<readonly string[]>;

async function quality(
  models: ReadModels,
  search: Search,
  readmes: readonly Readme[],
  queries: readonly { query: string; name: string }[],
): Promise<void> {
  await models.database.query({
    text: `CREATE TABLE ${SCHEMA}.plain AS SELECT upload, to_tsvector('english', text) AS lexemes FROM ${SCHEMA}.passages`,
  });
  const plain =
    (function_: string, operator: string): Ask =>
    async (query) => {
      const { rows } = await models.database.query({
        text: `SELECT upload FROM ${SCHEMA}.plain,
            (SELECT replace(plainto_tsquery('english', $1)::text, '&', '${operator}')::tsquery AS query) AS q
          WHERE lexemes @@ query ORDER BY ${function_}(lexemes, query) DESC LIMIT 5`,
        values: [query],
      });
      return (rows as { upload: string }[]).map(({ upload }) => upload.replace('quality:', ''));
    };
  const asks: Record<string, Ask> = {
    'ts_rank, all words': plain('ts_rank', '&'),
    'ts_rank, any word': plain('ts_rank', '|'),
    'ts_rank_cd, all words': plain('ts_rank_cd', '&'),
    search: async (query) => (await search.search('quality', query, 5)).map(({ filename }) => filename),
    'search, a typing error': async (query) =>
      (await search.search('quality', mistyped(query), 5)).map(({ filename }) => filename),
  };
  const count = readmes.reduce((sum, { passages }) => sum + passages.length, 0);
  console.log(`${readmes.length} files, ${count} passages, ${queries.length} headings`);
  console.log(`${''.padEnd(28)}hit at 5     MRR`);
  for (const [name, ask] of Object.entries(asks)) {
    let [hits, ranks] = [0, 0];
    for (const { query, name } of queries) {
      const place = (await ask(query)).indexOf(name);
      if (place >= 0) hits += 1;
      if (place >= 0) ranks += 1 / (place + 1);
    }
    const share = (value: number) => (value / queries.length).toFixed(3).padStart(8);
    console.log(`${name.padEnd(28)}${share(hits)}${share(ranks)}`);
  }
}

/** Two letters of the longest word change places. */
function mistyped(query: string): string {
  const longest = query.split(' ').toSorted((a, b) => b.length - a.length)[0] ?? '';
  const at = longest.length >> 1;
  const wrong =
    longest.slice(0, at - 1) + longest.charAt(at) + longest.charAt(at - 1) + longest.slice(at + 1);
  return query.replace(longest, wrong);
}

async function speed(
  models: ReadModels,
  search: Search,
  rows: PassageRows,
  readmes: readonly Readme[],
  queries: readonly { query: string }[],
): Promise<void> {
  const started = performance.now();
  let count = 0;
  for (let copy = 0; count < PASSAGES; copy++)
    for (const readme of readmes) {
      if (count >= PASSAGES) break;
      const passages = readme.passages.map((p) => ({ ...p, text: varied(p.text, copy) }));
      await store(models, rows, 'speed', { ...readme, passages, name: `${readme.name} ${copy}` });
      count += passages.length;
    }
  console.log(`${count} passages stored in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  await models.database.query({ text: `ANALYZE ${SCHEMA}.passages` });
  const times: number[] = [];
  for (let i = 0; i < TIMED; i++) {
    const { query = '' } = queries[i % queries.length] ?? {};
    const since = performance.now();
    await search.search('speed', query, 10);
    times.push(performance.now() - since);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(`search over ${count} passages: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms`);
}

/** Every seventh word of a copy is a word of its own, so that copies are different texts. */
const varied = (text: string, copy: number): string =>
  text
    .split(' ')
    .map((word, i) => (i % 7 === copy % 7 ? `${word}${copy}` : word))
    .join(' ');
