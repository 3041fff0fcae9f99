import { type Sql, raw, sql, statement } from '#postgres';
import type { KnowledgeDatabase } from '../ports.js';
import { indexText } from '../search/index-text.js';
import type { Wanted } from '../search/query-text.js';
import { type SearchPlan, type Term, planSearch } from '../search/ranking.js';
import { FOUND_END, FOUND_START } from '../search/snippet.js';
import { carryMarks, traceText } from '../search/traced-text.js';
import { IN, datastoreLexeme } from './tables.js';

export interface Ranked {
  readonly upload: string;
  readonly ordinal: number;
  readonly score: number;
}

export interface FoundPassage extends Ranked {
  readonly document: string;
  readonly filename: string;
  readonly page: number | null;
  /** With marks around what was looked for. */
  readonly marked: string;
}

/** Passages that are ranked at most; more are as good as any. */
const CANDIDATES = 3_000;
const LIKE_ENOUGH = 0.35;
const MAX_LIKE = 5;
/** What a lexeme in the text (D) and in the heading (A) counts. */
const WEIGHTS = '{0.3, 0.3, 0.5, 1}';
/** What it counts that all words stand close together. */
const CLOSENESS = 2;
/** A passage of so many different words is neither long nor short. */
const USUAL_WORDS = 80;

interface Marked {
  readonly texts: readonly string[];
  readonly languages: readonly string[];
  readonly anything: string;
}

interface ShownRow extends FoundPassage {
  readonly text: string;
  readonly language: string;
}

interface Shown {
  readonly ranked: readonly Ranked[];
  readonly anything: string;
}

const SHOW = statement(sql<Shown>`
  SELECT r.upload, r.ordinal, r.score, d.id AS document, d.filename, p.page, p.text, p.language::text,
    ts_headline(p.language, p.text, ${({ anything }) => anything}::tsquery, ${() => HEADLINE}) AS marked
  FROM unnest(
    ${({ ranked }) => ranked.map(({ upload }) => upload)}::text[],
    ${({ ranked }) => ranked.map(({ ordinal }) => ordinal)}::int[],
    ${({ ranked }) => ranked.map(({ score }) => score)}::float8[]
  ) WITH ORDINALITY AS r (upload, ordinal, score, n)
  JOIN ${IN}.passages p ON p.upload = r.upload AND p.ordinal = r.ordinal
  JOIN ${IN}.documents d ON d.upload = r.upload
  ORDER BY r.n`);

/** What stands otherwise in the index than in the document is marked as it stands there. */
const MARK = statement(sql<Marked>`
  SELECT ts_headline(language::regconfig, text, ${({ anything }) => anything}::tsquery, ${() => HEADLINE}) AS marked
  FROM unnest(${({ texts }) => texts}::text[], ${({ languages }) => languages}::text[])
    WITH ORDINALITY AS t (text, language, n) ORDER BY n`);

const HEADLINE = `StartSel=${FOUND_START}, StopSel=${FOUND_END}, HighlightAll=true`;

interface Ranking {
  readonly candidates: string;
  /** null: there is no query that all words are in. */
  readonly everything: string | null;
  readonly limit: number;
}
const weights = (): string => WEIGHTS;
const everything = (ranking: Ranking): string | null => ranking.everything;
const CLOSE_TOGETHER = sql<Ranking>`CASE WHEN ${everything}::tsquery IS NULL THEN 0
    ELSE ${raw(CLOSENESS)} * ts_rank_cd(${weights}::float4[], lexemes, ${everything}::tsquery) END`;

/** @param scores what each term adds to a passage's score */
const RANK = (scores: readonly Sql<Ranking>[]) =>
  statement(sql<Ranking>`
  WITH candidates AS MATERIALIZED (
    SELECT upload, ordinal, words, lexemes FROM ${IN}.passages
    WHERE lexemes @@ ${({ candidates }) => candidates}::tsquery LIMIT ${raw(CANDIDATES)}
  ), ranked AS (
    SELECT upload, ordinal,
      (${[...scores, CLOSE_TOGETHER].reduce((sum, score) => sql<Ranking>`${sum} + ${score}`)})
      / (0.8 + 0.2 * words / ${raw(USUAL_WORDS)}) AS score
    FROM candidates
  )
  SELECT upload, ordinal, score FROM ranked JOIN ${IN}.documents d USING (upload)
  WHERE d.status = 'indexed' ORDER BY score DESC, upload, ordinal LIMIT ${({ limit }) => limit}`);

interface Lookup {
  readonly datastore: string;
  readonly texts: readonly string[];
}
const datastoreOf = ({ datastore }: { readonly datastore: string }): string => datastore;
const textsOf = ({ texts }: Lookup): readonly string[] => texts;

const LEXEMES_OF = statement(
  sql<Lookup>`
  SELECT DISTINCT w.n::int AS n, t.lexeme AS text, coalesce(x.passages, 0) AS passages
  FROM unnest(${textsOf}::text[]) WITH ORDINALITY AS w (word, n)
  CROSS JOIN (SELECT language FROM ${IN}.languages WHERE datastore = ${datastoreOf}) l
  CROSS JOIN LATERAL unnest(to_tsvector(l.language, w.word)) t
  LEFT JOIN ${IN}.lexemes x ON x.datastore = ${datastoreOf} AND x.lexeme = t.lexeme`,
  'annals_knowledge words',
);

const COUNT_PASSAGES = statement(sql<{ readonly datastore: string }>`
  SELECT coalesce(sum(passages), 0)::int AS passages FROM ${IN}.texts WHERE datastore = ${datastoreOf}`);

const PHRASE_QUERIES = statement(sql<Lookup>`
  SELECT '(' || string_agg(DISTINCT '(' || query::text || ')', ' | ') || ')' AS query
  FROM unnest(${textsOf}::text[]) WITH ORDINALITY AS p (phrase, n)
  CROSS JOIN (SELECT language FROM ${IN}.languages WHERE datastore = ${datastoreOf}) l
  CROSS JOIN LATERAL phraseto_tsquery(l.language, p.phrase) AS query
  WHERE numnode(query) > 0 GROUP BY n ORDER BY n`);

/** @param schema of pg_trgm */
const LIKE_IN = (schema: string) =>
  statement(sql<Lookup>`
  SELECT lexeme AS text, passages, max(${raw(`"${schema}"`)}.similarity(lexeme, form))::float8 AS likeness
  FROM unnest(${textsOf}::text[]) form JOIN ${IN}.lexemes ON lexeme OPERATOR(${raw(`"${schema}"`)}.%) form
  WHERE datastore = ${datastoreOf} GROUP BY lexeme, passages
  ORDER BY likeness DESC, passages DESC LIMIT ${raw(MAX_LIKE)}`);

const STARTING_WITH = statement(sql<{ readonly datastore: string; readonly prefix: string }>`
  SELECT 0 AS n, lexeme AS text, passages FROM ${IN}.lexemes
  WHERE datastore = ${datastoreOf} AND lexeme LIKE ${({ prefix }) => `${prefix.replace(/[\\%_]/g, '\\$&')}%`}
  ORDER BY passages DESC LIMIT 50`);

/** Search queries over the passages of one datastore. */
export class PassageSearch {
  constructor(
    private readonly database: KnowledgeDatabase,
    /** Schema of pg_trgm; null: typing errors are not forgiven. */
    private readonly trigrams: () => string | null,
  ) {}

  /** null: nothing of the query can be looked for. */
  async plan(datastore: string, wanted: readonly Wanted[]): Promise<SearchPlan | null> {
    const words = wanted.filter(({ kind }) => kind !== 'phrase');
    const phrases = wanted.filter(({ kind }) => kind === 'phrase');
    const texts = (of: readonly Wanted[]): string[] => of.map(({ text }) => text);
    const [known, total, phraseQueries] = await Promise.all([
      this.lexemesOf(datastore, texts(words)),
      this.passagesIn(datastore),
      this.phraseQueries(datastore, texts(phrases)),
    ]);
    const terms: Term[] = [];
    for (const [index, word] of words.entries()) {
      const term = await this.termOf(
        datastore,
        word,
        known.filter(({ n }) => n === index + 1),
      );
      if (term !== null) terms.push(term);
    }
    return planSearch(terms, phraseQueries, datastoreLexeme(datastore), total);
  }

  /** The best first. */
  async rank({ candidates, everything, terms }: SearchPlan, limit: number): Promise<Ranked[]> {
    const scores = terms.map(
      ({ query, weight }) =>
        sql<Ranking>`${() => weight}::float4 * ts_rank(${weights}::float4[], lexemes, ${() => query}::tsquery)`,
    );
    const { rows } = await this.database.query(RANK(scores)({ candidates, everything, limit }));
    return rows as Ranked[];
  }

  /** In the order given. */
  async show(ranked: readonly Ranked[], { anything }: SearchPlan): Promise<FoundPassage[]> {
    const { rows } = await this.database.query(SHOW({ ranked, anything }));
    const shown = rows as ShownRow[];
    const others = shown.filter(({ text }) => indexText(text) !== text);
    if (others.length === 0) return shown;
    const traced = others.map(({ text }) => traceText(text));
    const texts = traced.map(({ text }) => text);
    const languages = others.map(({ language }) => language);
    const marked = (await this.database.query(MARK({ texts, languages, anything }))).rows as Pick<
      FoundPassage,
      'marked'
    >[];
    return shown.map((row) => {
      const at = others.indexOf(row);
      return at < 0 ? row : { ...row, marked: carryMarks(row.text, traced[at]!, marked[at]?.marked ?? '') };
    });
  }

  private async termOf(datastore: string, word: Wanted, known: readonly KnownLexeme[]): Promise<Term | null> {
    const text = word.text.toLowerCase();
    if (word.kind === 'prefix') {
      const passages = (await this.startingWith(datastore, text)).reduce((sum, l) => sum + l.passages, 0);
      if (passages > 0) return { lexemes: [{ text, isPrefix: true }], passages, likeness: 1 };
    }
    const found = known.filter(({ passages }) => passages > 0);
    if (found.length > 0) return { ...termFrom(found), likeness: 1 };
    // A word that no language knows is in `known` all the same; one that says nothing (the, and) is not.
    if (known.length === 0 || word.kind === 'pair') return null;
    const like = await this.like(datastore, text, known);
    return like.length === 0
      ? null
      : { ...termFrom(like), likeness: Math.max(...like.map((l) => l.likeness)) };
  }

  /** What the words are in each language of the datastore, and how many passages have that. */
  private async lexemesOf(datastore: string, words: readonly string[]): Promise<readonly KnownLexeme[]> {
    if (words.length === 0) return [];
    const { rows } = await this.database.query(LEXEMES_OF({ datastore, texts: words }));
    return rows as KnownLexeme[];
  }

  private async passagesIn(datastore: string): Promise<number> {
    const { rows } = await this.database.query(COUNT_PASSAGES({ datastore }));
    return (rows[0] as { passages: number } | undefined)?.passages ?? 0;
  }

  private async phraseQueries(datastore: string, phrases: readonly string[]): Promise<string[]> {
    if (phrases.length === 0) return [];
    const { rows } = await this.database.query(PHRASE_QUERIES({ datastore, texts: phrases }));
    return (rows as { query: string }[]).map(({ query }) => query);
  }

  /** Lexemes that are like a word which is nowhere: longer ones, and those with most of its letters in a row. */
  private async like(
    datastore: string,
    word: string,
    known: readonly KnownLexeme[],
  ): Promise<readonly LikeLexeme[]> {
    const longer = word.length < 3 ? [] : await this.startingWith(datastore, word);
    if (longer.length > 0) return longer.slice(0, MAX_LIKE).map((l) => ({ ...l, likeness: 0.8 }));
    const schema = this.trigrams();
    if (schema === null || word.length < 4) return [];
    const texts = [...new Set([word, ...known.map(({ text }) => text)])];
    const { rows } = await this.database.query(LIKE_IN(schema)({ datastore, texts }));
    const [best] = rows as LikeLexeme[];
    // Far behind the best they are other words.
    return (rows as LikeLexeme[]).filter(
      ({ likeness }) => likeness >= LIKE_ENOUGH && likeness >= (best?.likeness ?? 1) * 0.85,
    );
  }

  private async startingWith(datastore: string, prefix: string): Promise<readonly KnownLexeme[]> {
    const { rows } = await this.database.query(STARTING_WITH({ datastore, prefix }));
    return rows as KnownLexeme[];
  }
}

interface KnownLexeme {
  /** Of the word that it comes from, 1 for the first. */
  readonly n: number;
  readonly text: string;
  readonly passages: number;
}

interface LikeLexeme extends KnownLexeme {
  readonly likeness: number;
}

const termFrom = (known: readonly KnownLexeme[]): Omit<Term, 'likeness'> => ({
  lexemes: known.map(({ text }) => ({ text })),
  passages: known.reduce((sum, { passages }) => sum + passages, 0),
});
