import type { FoundPassage, PassageSearch, Ranked } from './postgres/passage-search.js';
import { readQuery } from './search/query-text.js';
import { snippetOf } from './search/snippet.js';

export interface SearchItem {
  readonly document: string;
  readonly filename: string;
  readonly page: number | null;
  readonly text: string;
  readonly score: number;
}

/** Passages of one document that come before others of other documents; the rest waits. */
const OF_ONE_DOCUMENT = 3;
const RANKED_FOR_EACH = 5;

/** Finds passages: what callers and the agent search with. */
export class Search {
  /** @param caughtUp what was answered as indexed is found */
  constructor(
    private readonly passages: PassageSearch,
    private readonly caughtUp: () => Promise<void>,
  ) {}

  /** The best first. */
  async search(datastore: string, query: string, limit: number): Promise<readonly SearchItem[]> {
    await this.caughtUp();
    const plan = await this.passages.plan(datastore, readQuery(query));
    if (plan === null) return [];
    const ranked = await this.passages.rank(plan, limit * RANKED_FOR_EACH);
    const chosen = varied(ranked).slice(0, limit);
    chosen.sort((a, b) => b.score - a.score);
    return (await this.passages.show(chosen, plan)).map(itemOf);
  }
}

/** Not all from one document where others have something to say, too. */
function varied(ranked: readonly Ranked[]): Ranked[] {
  const counts = new Map<string, number>();
  const [first, later]: [Ranked[], Ranked[]] = [[], []];
  for (const one of ranked) {
    const count = (counts.get(one.upload) ?? 0) + 1;
    counts.set(one.upload, count);
    (count <= OF_ONE_DOCUMENT ? first : later).push(one);
  }
  return [...first, ...later];
}

const itemOf = ({ document, filename, page, marked, score }: FoundPassage): SearchItem => ({
  document,
  filename,
  page,
  text: snippetOf(marked),
  score: Math.round(score * 1e4) / 1e4,
});
