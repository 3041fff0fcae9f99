import type { QueryConfig } from 'pg';
import {
  type CallSums,
  type ListPage,
  NO_CALLS,
  type PicoDollars,
  Problem,
  type ProjectId,
  type UsageView,
  formatDollars,
  parseDollars,
  usageView,
} from '#domain';
import type { Freshness, Position } from '#event-log';
import { type Opener, type Sql, type StoredRow, type ValueOf, raw, sql, statement } from '#postgres';
import type { ContentCodec } from '../content-codec.js';
import type { MetadataTokens } from '../metadata-tokens.js';
import type { Database } from '../postgres/database.js';
import { openedRows } from '../postgres/opened-rows.js';
import { SCHEMA } from '../postgres/schema.js';
import { callSums } from '../tables/call-sums.js';
import { RUNS, type RunRow } from '../tables/runs.js';
import { inUsageOrder, usagePage } from './usage-order.js';

/** By what calls are summed up, besides `metadata.KEY`. */
export const USAGE_GROUPS = ['project', 'key', 'model', 'mode', 'session', 'day'] as const;
/** What a group by metadata begins with. */
export const METADATA_GROUP = 'metadata.';
const MAX_GROUPS = 10_000;

export interface UsageQuery {
  /** Absent: all of them. */
  readonly project?: ProjectId | undefined;
  /** ms since 1970, of the calls; from inclusive, to exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Of USAGE_GROUPS, or `metadata.KEY`; each once. */
  readonly groups: readonly string[];
}

export interface UsagePageQuery extends UsageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Sums of a group; the names of the groups are properties, too. */
export interface UsageItem extends UsageView {
  readonly [group: string]: string | number | null | undefined;
  readonly runs: number;
  readonly cost: string;
}

/** Whose calls. */
interface SpentQuery {
  readonly project: ProjectId;
  /** Absent: those of all its keys. */
  readonly key?: string | undefined;
  /** ms since 1970 */
  readonly from: number;
}

interface AskedUsage extends UsageQuery {
  readonly projects: readonly string[];
}

const schema = raw(SCHEMA);
const PROJECTS = statement(sql<void>`SELECT DISTINCT project FROM ${schema}.run_metadata`);
/** One statement: the sum and how far the tables are belong together. */
const SPENT = statement(
  sql<SpentQuery>`SELECT
  (SELECT sum(cost) FROM ${schema}.model_calls WHERE project = ${({ project }) => project}
    AND (${({ key }) => key ?? null}::text IS NULL OR key = ${({ key }) => key ?? null}::text)
    AND time >= ${({ from }) => from}::bigint) AS cost,
  (SELECT position FROM ${schema}.checkpoints WHERE name = 'read-models') AS position`,
);
const ALL_TIME = Number.MAX_SAFE_INTEGER;

const EXPRESSIONS: Readonly<Record<string, Sql<unknown>>> = {
  project: raw('c.project'),
  key: raw('c.key'),
  model: raw('c.model'),
  mode: raw('c.mode'),
  session: raw('c.session'),
  day: raw(`to_char(to_timestamp(c.time / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`),
};

const SUMS = raw(`count(DISTINCT c.run_id)::int AS runs, sum(c.cost) AS cost,
  sum(c.input_tokens) AS input_tokens, sum(c.output_tokens) AS output_tokens,
  sum(c.cached_input_tokens) AS cached_input_tokens, sum(c.cache_write_tokens) AS cache_write_tokens,
  sum(c.reasoning_tokens) AS reasoning_tokens, sum(c.model_calls)::int AS model_calls,
  sum(c.estimated_calls)::int AS estimated_calls, sum(c.unpriced_calls)::int AS unpriced_calls`);

/** What model calls used and cost, in rows that an erasure leaves. */
export class UsageQueries {
  constructor(
    private readonly database: Database,
    private readonly codec: ContentCodec,
    private readonly freshness: Freshness,
    private readonly tokens: MetadataTokens,
  ) {}

  /** Sorted by the groups in their order, null last. @throws Problem unprocessable: too many; ReadModelsUnavailable */
  async sums(query: UsageQuery): Promise<readonly UsageItem[]> {
    await this.freshness.caughtUp();
    const projects = await this.projectsOf(query);
    const { rows } = await this.database.query(this.statementFor(query)({ ...query, projects }));
    if (rows.length > MAX_GROUPS)
      throw new Problem(
        'unprocessable',
        `these are more than ${MAX_GROUPS} groups: ask for a shorter time, or for fewer groups`,
      );
    const said = await this.metadataOf(query, rows as StoredRow[]);
    const items = (rows as StoredRow[]).map((row) => itemOf(query.groups, row, said));
    return merged(query.groups, items).toSorted((a, b) => inUsageOrder(query.groups, a, b));
  }

  /** As `sums`: a page of them, summed up anew for each; without a limit all. @throws as `sums`; Problem invalid_request */
  async page(query: UsagePageQuery): Promise<ListPage<UsageItem>> {
    return usagePage(await this.sums(query), query);
  }

  /** Whose tokens are looked for: each project has its own for a key. */
  private async projectsOf({ project, groups }: UsageQuery): Promise<readonly string[]> {
    if (project !== undefined || !groups.some(isOfMetadata)) return project === undefined ? [] : [project];
    const { rows } = await this.database.query(PROJECTS());
    return rows.map((row) => String((row as StoredRow)['project']));
  }

  /** What the calls of a key or a project cost from a time on, and up to where the log is known. @throws ReadModelsUnavailable */
  async spent(of: SpentQuery): Promise<{ readonly spent: PicoDollars; readonly upTo: Position }> {
    const { rows } = await this.database.query(SPENT(of));
    const [row] = rows as readonly { readonly cost: string | null; readonly position: string | null }[];
    return { spent: parseDollars(row?.cost ?? '0'), upTo: Number(row?.position ?? 0) };
  }

  /** Of a group by metadata a run that has the value, which is opened once. */
  private statementFor({ groups }: UsageQuery): (query: AskedUsage) => QueryConfig {
    const metadata = groups.filter(isOfMetadata);
    const columns = groups.map((group, at) => {
      const of = EXPRESSIONS[group] ?? raw(`m${metadata.indexOf(group)}.token`);
      return sql<unknown>`${of} AS ${raw(`group_${at}`)}`;
    });
    const joins = metadata.map((group, at) => this.join(at, group.slice(METADATA_GROUP.length)));
    const names = groups.map((_, at) => raw(`group_${at}`));
    const grouped = names.length === 0 ? raw('') : sql<unknown>`GROUP BY ${list(names, ', ')}`;
    const selected = list([...columns, SUMS, raw('min(c.run_id) AS a_run')], ', ');
    return statement(sql<AskedUsage>`SELECT ${selected} FROM ${schema}.model_calls c ${list(joins, ' ')}
WHERE (${({ project }) => project ?? null}::text IS NULL OR c.project = ${({ project }) => project ?? null}::text)
  AND c.time >= ${({ from }) => from ?? 0}::bigint AND c.time < ${({ to }) => to ?? ALL_TIME}::bigint
${grouped} LIMIT ${raw(MAX_GROUPS + 1)}`);
  }

  private join(at: number, key: string): Sql<AskedUsage> {
    const name = raw(`m${at}`);
    const tokens: ValueOf<AskedUsage> = ({ projects }) =>
      projects.map((project) => this.tokens.of(project, key));
    return sql<AskedUsage>`LEFT JOIN ${schema}.run_metadata ${name}
  ON ${name}.run_id = c.run_id AND ${name}.key_token = ANY (${tokens}::text[])`;
  }

  private async metadataOf(
    { groups }: UsageQuery,
    rows: readonly StoredRow[],
  ): Promise<ReadonlyMap<string, RunRow>> {
    if (!groups.some(isOfMetadata)) return new Map();
    const runs = rows.map((row) => row['a_run'] as string);
    const found = await this.database.find(RUNS, (select) =>
      select.where('runs.run_id = ANY (:runs)', { runs }),
    );
    const opened = await openedRows(RUNS, found, this.codec);
    return new Map(opened.map((row) => [row.run, row]));
  }
}

const isOfMetadata = (group: string): boolean => group.startsWith(METADATA_GROUP);

const list = <I>(pieces: readonly Sql<I>[], between: string): Sql<I> => ({
  parts: pieces.flatMap(({ parts }, at) => (at === 0 ? parts : [between, ...parts])),
});

function itemOf(groups: readonly string[], row: StoredRow, said: ReadonlyMap<string, RunRow>): UsageItem {
  const values = groups.map((group, at) => [group, valueOf(group, row[`group_${at}`], row, said)] as const);
  const sums = sumsOf(row);
  return {
    ...Object.fromEntries(values),
    runs: row['runs'] as number,
    ...usageView(sums),
    cost: formatDollars(sums.cost),
  };
}

/** Without groups there is a row where there are no calls, too. */
const sumsOf = (row: StoredRow): CallSums =>
  row['cost'] === null ? NO_CALLS : callSums.read(row, '', NO_CONTENT);

const NO_CONTENT: Opener = { open: () => null };

/** A value that several projects have is one group. */
function merged(groups: readonly string[], items: readonly UsageItem[]): readonly UsageItem[] {
  const byGroup = Map.groupBy(items, (item) => JSON.stringify(groups.map((group) => item[group])));
  return [...byGroup.values()].map((same) => same.reduce(together));
}

function together(a: UsageItem, b: UsageItem): UsageItem {
  const sum: Record<string, string | number | null | undefined> = { ...a };
  for (const [name, value] of Object.entries(b))
    if (typeof value === 'number') sum[name] = Number(sum[name] ?? 0) + value;
  return { ...sum, cost: formatDollars(parseDollars(a.cost) + parseDollars(b.cost)) } as UsageItem;
}

function valueOf(
  group: string,
  value: unknown,
  row: StoredRow,
  said: ReadonlyMap<string, RunRow>,
): string | null {
  if (value === null || !isOfMetadata(group)) return value as string | null;
  return said.get(row['a_run'] as string)?.metadata[group.slice(METADATA_GROUP.length)] ?? null;
}
