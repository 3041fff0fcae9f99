import { createHash } from 'node:crypto';
import { invalid } from '../problem.js';

/** Of what a cursor holds. Version 1, which may still be in clients' hands, held the key alone. */
const VERSION = 2;
const DIGEST_CHARS = 8;

type KeyPart = string | number;

/**
 * The cursors of one kind of list: the key of the last item that was shown, in a form that is opaque to clients.
 * 1. A cursor is taken only by the list that it was made for, however that is narrowed: it is a place in its order.
 * 2. Cursors of version 1 are taken unchecked.
 * @typeParam K what the list is ordered by
 */
export class Cursors<K> {
  /**
   * @param list name of the kind of list
   * @param write the parts of a key
   * @param read makes a key of its parts; null where they are none
   */
  constructor(
    private readonly list: string,
    private readonly write: (key: K) => readonly KeyPart[],
    private readonly read: (parts: readonly unknown[]) => K | null,
  ) {}

  /** @param owner whose list it is: a project, a session …; what is undefined does not count */
  encode(key: K, owner: object): string {
    const parts = [VERSION, this.list, digestOf(owner), ...this.write(key)];
    return Buffer.from(JSON.stringify(parts)).toString('base64url');
  }

  /** Null: the first page. @throws Problem invalid_request */
  decode(cursor: string | undefined, owner: object): K | null {
    if (cursor === undefined) return null;
    const parts = this.partsOf(Buffer.from(cursor, 'base64url').toString(), digestOf(owner));
    const key = parts === null ? null : this.read(parts);
    if (key === null) throw invalid('cursor', 'must be the next_cursor of a page of this list');
    return key;
  }

  private partsOf(text: string, digest: string): readonly unknown[] | null {
    const parsed = firstVersion(text) ?? parse(text);
    if (parsed.length === 2) return parsed;
    const [version, list, madeFor, ...parts] = parsed;
    const isOurs = version === VERSION && list === this.list && madeFor === digest;
    return isOurs ? parts : null;
  }
}

/** The newest item first, those of one millisecond by their ids. */
export interface CreationKey {
  /** ms since 1970 */
  readonly createdAt: number;
  readonly id: string;
}

export const creationCursors = (list: string): Cursors<CreationKey> =>
  new Cursors(
    list,
    ({ createdAt, id }) => [createdAt, id],
    ([createdAt, id]) => (isCount(createdAt) && isId(id) ? { createdAt, id } : null),
  );

/** Whether a part of a key is a whole number, not below 0. */
export const isCount = (part: unknown): part is number => Number.isSafeInteger(part) && (part as number) >= 0;

/** PostgreSQL takes neither U+0000 nor half characters. */
export const isId = (part: unknown): part is string =>
  typeof part === 'string' && part !== '' && !part.includes('\0') && part.isWellFormed();

/** Lists of runs, sessions and tasks had JSON, the others `NUMBER.ID` or `NUMBER.NUMBER`. */
function firstVersion(text: string): readonly unknown[] | null {
  const [, first, second = ''] = /^(\d{1,16})\.(\w{1,80})$/.exec(text) ?? [];
  if (first === undefined) return null;
  return [Number(first), /^\d{1,16}$/.test(second) ? Number(second) : second];
}

function parse(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? (parsed as unknown[]) : [];
  } catch {
    return [];
  }
}

function digestOf(owner: object): string {
  const given = Object.entries(owner).filter(([, value]) => value !== undefined);
  const sorted = given.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, DIGEST_CHARS);
}
