/** What a query asks for, as the index has it: any of the lexemes stands for the word. */
export interface Term {
  readonly lexemes: readonly Lexeme[];
  /** How many passages have one of them. */
  readonly passages: number;
  /** 1: as it was asked for; less: only like it. */
  readonly likeness: number;
}

export interface Lexeme {
  readonly text: string;
  readonly isPrefix?: boolean;
}

export interface SearchPlan {
  /** tsquery of the passages that are ranked at all. */
  readonly candidates: string;
  /** tsquery that matches whatever of the query stands in a passage, to show it. */
  readonly anything: string;
  /** tsquery that has all terms; null where there is only one. */
  readonly everything: string | null;
  readonly terms: readonly { readonly query: string; readonly weight: number }[];
}

/** Passages that are ranked for a word alone; a word in more of them needs another one beside it. */
const ENOUGH = 1_000;

/**
 * Says which passages are looked at and what each word counts. A word counts for more the rarer it is (the inverse
 * document frequency of Robertson and Spärck Jones, as BM25 has it).
 */
export function planSearch(
  terms: readonly Term[],
  phrases: readonly string[],
  datastore: string,
  total: number,
): SearchPlan | null {
  const queries = terms.map(({ lexemes }) => anyOf(lexemes.map(quoted)));
  const all = [...queries, ...phrases];
  if (all.length === 0) return null;
  const rare = rareOnes(terms, queries);
  const together = allOf(queries);
  const either = terms.length === 0 ? [] : [anyOf(rare.length === terms.length ? rare : [...rare, together])];
  return {
    candidates: allOf([quoted({ text: datastore }), ...phrases, ...either]),
    anything: anyOf(all),
    everything: all.length > 1 ? allOf(all) : null,
    terms: [
      ...terms.map((term, i) => ({ query: queries[i] ?? '', weight: weightOf(term, total) })),
      ...phrases.map((query) => ({ query, weight: 1 })),
    ],
  };
}

function rareOnes(terms: readonly Term[], queries: readonly string[]): string[] {
  let seen = 0;
  const byRarity = terms.map((term, i) => ({ term, query: queries[i] ?? '' }));
  byRarity.sort((a, b) => a.term.passages - b.term.passages);
  return byRarity.filter(({ term }) => (seen += term.passages) <= ENOUGH).map(({ query }) => query);
}

/** ts_rank divides by the number of alternatives, which are one word here. */
const weightOf = ({ passages, likeness, lexemes }: Term, total: number): number =>
  Math.log(1 + (total - passages + 0.5) / (passages + 0.5)) * likeness * lexemes.length;

const anyOf = (queries: readonly string[]): string => join(queries, ' | ');
const allOf = (queries: readonly string[]): string => join(queries, ' & ');
const join = (queries: readonly string[], by: string): string =>
  queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(by)})`;

/** As tsquery reads it literally. */
const quoted = ({ text, isPrefix }: Lexeme): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'${isPrefix ? ':*' : ''}`;
