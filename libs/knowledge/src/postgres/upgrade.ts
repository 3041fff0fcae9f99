import { type TransactionClient, sql, statement } from '#postgres';
import { hasOtherWords } from '../search/index-text.js';
import { markGone } from './gone-texts.js';
import { FROM_2, IN } from './tables.js';

const AT_ONCE = 1_000;

/**
 * From version 2, which had each word as it was written. Only what is written otherwise now is read anew: pictures of a large
 * archive take days.
 */
export async function upgradeFrom2(client: TransactionClient): Promise<void> {
  for (const step of FROM_2) await client.query(step);
  const outdated = new Set<string>();
  for (let last: Place | undefined = FIRST; last !== undefined;) {
    const { rows }: { rows: OldPassage[] } = await client.query<OldPassage>(NOT_ASCII(last));
    for (const { upload, text } of rows)
      if (!outdated.has(upload) && hasOtherWords(text)) outdated.add(upload);
    last = rows.at(-1);
  }
  // What is gone here and a document on the log is read again.
  await markGone(client, [...outdated]);
}

interface Place {
  readonly upload: string;
  readonly ordinal: number;
}
const FIRST: Place = { upload: '', ordinal: 0 };

interface OldPassage extends Place {
  readonly text: string;
}

const NOT_ASCII = statement(sql<Place>`
  SELECT upload, ordinal, text FROM ${IN}.passages
  WHERE (upload, ordinal) > (${({ upload }) => upload}, ${({ ordinal }) => ordinal}::int) AND octet_length(text) > length(text)
  ORDER BY upload, ordinal LIMIT ${() => AT_ONCE}`);
