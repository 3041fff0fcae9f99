import type { ContentKeys, KnownKey } from '#event-log';

/** Seals the content of sessions whose keys are at hand. */
export interface ContentSealer {
  seal(scope: string, text: string): Buffer;
}

/**
 * The only place where content becomes the bytes of a column and bytes become content: messages, titles, texts of
 * errors. No SQL may look into them. `scope` is the session whose key seals them.
 */
export abstract class ContentCodec {
  /** @param keyIds of the sessions that content will be sealed for. @throws LogUnavailable */
  abstract sealer(keyIds: ReadonlyMap<string, string>): Promise<ContentSealer>;
  /** Brings what is needed to open these columns into memory. @throws LogUnavailable */
  abstract ready(columns: Iterable<Buffer | null>): Promise<void>;
  /** null: it is erased. Only of columns that are ready. */
  abstract open(scope: string, bytes: Buffer): string | null;
}

/** No byte of UTF-8 is this, so it marks text that UTF-8 cannot hold. */
const UTF_16 = 0xff;
/** Nor this: a column that is sealed. */
const SEALED = 0xfe;

function toBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  return Buffer.concat([Buffer.of(UTF_16), Buffer.from(text, 'utf16le')]);
}

const toText = (bytes: Buffer): string =>
  bytes[0] === UTF_16 ? bytes.toString('utf16le', 1) : bytes.toString('utf8');

/** Keeps text as UTF-8; as UTF-16 what has lone surrogates, so that it too comes back as it was. */
export class PlainContentCodec extends ContentCodec {
  override async sealer(): Promise<ContentSealer> {
    return this;
  }

  seal(_scope: string, text: string): Buffer {
    return toBytes(text);
  }

  override async ready(): Promise<void> {}

  override open(_scope: string, bytes: Buffer): string {
    return toText(bytes);
  }
}

/**
 * Seals with the key of the session: a mark, the length of the key's id, the id, then nonce, ciphertext and tag. Content of
 * a session without a key stays as it is.
 */
export class SealedContentCodec extends ContentCodec {
  constructor(private readonly keys: ContentKeys) {
    super();
  }

  override async sealer(keyIds: ReadonlyMap<string, string>): Promise<ContentSealer> {
    await this.keys.load(keyIds.values());
    // Held, so that nothing has to be looked up again if many others come in between.
    const held = new Map<string, KnownKey>();
    for (const [scope, id] of keyIds) held.set(scope, this.keys.loaded(id));
    return { seal: (scope, text) => sealWith(held.get(scope), scope, text) };
  }

  override async ready(columns: Iterable<Buffer | null>): Promise<void> {
    const ids = new Set<string>();
    for (const column of columns)
      if (column !== null && column[0] === SEALED && !isNothing(column)) ids.add(keyIdOf(column));
    await this.keys.load(ids);
  }

  override open(scope: string, bytes: Buffer): string | null {
    if (bytes[0] !== SEALED) return toText(bytes);
    if (isNothing(bytes)) return null;
    const id = keyIdOf(bytes);
    const key = this.keys.loaded(id);
    return key === 'destroyed' ? null : toText(key.open(bytes.subarray(2 + id.length), contextOf(scope)));
  }
}

/** Of an erased session nothing is kept. */
const NOTHING = Buffer.of(SEALED, 0);
const isNothing = (column: Buffer): boolean => NOTHING.equals(column);

function sealWith(key: KnownKey | undefined, scope: string, text: string): Buffer {
  if (key === undefined) return toBytes(text);
  if (key === 'destroyed') return NOTHING;
  const sealed = key.seal(toBytes(text), contextOf(scope));
  return Buffer.concat([Buffer.of(SEALED, key.id.length), Buffer.from(key.id, 'latin1'), sealed]);
}

const keyIdOf = (column: Buffer): string => column.toString('latin1', 2, 2 + (column[1] ?? 0));

const contextOf = (scope: string): string => `column of ${scope}`;
