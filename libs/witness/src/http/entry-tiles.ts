import { HttpFailure, type HttpAnswer, type PlainConnections } from '#http';
import type { Clock } from '#platform';
import { TILE_WIDTH, tilePath } from '#proof';
import { type Entries, EntriesMissing } from '../monitor/log-follower.js';

/** Two bytes of length, and the longest entry that there is. */
const ENTRY_BYTES = 2 + 73;
/** Tiles that are asked for at the same time. */
const AT_ONCE = 4;
const TILE_MS = 10_000;
const TRIES = 4;
const LONGEST_PAUSE_S = 60;
const FIRST_PAUSE_MS = 250;

export interface EntryTilesOptions {
  /** With `/tile/entries/…` below it. */
  readonly url: string;
  /** Sent with each request; null: none. */
  readonly apiKey: string | null;
  readonly connections: PlainConnections;
  readonly clock: Clock;
}

interface Tile {
  readonly number: number;
  /** How many entries of it there are. */
  readonly width: number;
}

/** The entries of a log in its tiles, over HTTP. Holds as many tiles as it asks for at the same time. */
export class EntryTiles implements Entries {
  constructor(private readonly options: EntryTilesOptions) {}

  async *read(from: number, to: number, signal: AbortSignal): AsyncGenerator<readonly Uint8Array[]> {
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    const waiting: Promise<readonly Uint8Array[]>[] = [];
    let next = Math.floor(from / TILE_WIDTH);
    try {
      for (let at = next; at * TILE_WIDTH < to; at++) {
        for (; next < at + AT_ONCE && next * TILE_WIDTH < to; next++) {
          const tile = this.tile({ number: next, width: Math.min(TILE_WIDTH, to - next * TILE_WIDTH) }, stop);
          // What nobody waits for any more may fail.
          tile.catch(() => undefined);
          waiting.push(tile);
        }
        const entries = await waiting.shift()!;
        yield entries.slice(Math.max(0, from - at * TILE_WIDTH));
      }
    } finally {
      over.abort();
    }
  }

  private async tile(tile: Tile, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    let body = await this.fetched(tile, signal);
    // A log may have only the full tile left.
    if (body === null && tile.width < TILE_WIDTH)
      body = await this.fetched({ ...tile, width: TILE_WIDTH }, signal);
    const entries = body === null ? null : entriesIn(body, tile.width);
    if (entries === null)
      throw new EntriesMissing(`tile ${tilePath(tile.number, tile.width)} holds no entries of the log`);
    return entries;
  }

  /** null: it is not there. @throws EntriesMissing */
  private async fetched({ number, width }: Tile, signal: AbortSignal): Promise<Buffer | null> {
    let why = '';
    for (let tried = 1; tried <= TRIES; tried++) {
      const answer = await this.asked(tilePath(number, width), signal);
      if (answer instanceof HttpFailure) why = answer.message;
      else if (answer.status === 200) return answer.body;
      else if (answer.status === 404) return null;
      else why = `it was answered ${answer.status}`;
      if (signal.aborted || !isPassing(answer) || tried === TRIES) break;
      await this.options.clock.sleep(pauseOf(answer, tried), signal).catch(() => undefined);
    }
    throw new EntriesMissing(`tile ${number} of the entries cannot be read: ${why}`);
  }

  private async asked(path: string, signal: AbortSignal): Promise<HttpAnswer | HttpFailure> {
    const { url, apiKey, connections } = this.options;
    const headers: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    const request = { url: new URL(`${url}/tile/entries/${path}`), method: 'GET', headers } as const;
    try {
      return await connections.ask(request, {
        maxBytes: TILE_WIDTH * ENTRY_BYTES,
        timeoutMs: TILE_MS,
        signal,
      });
    } catch (error) {
      if (error instanceof HttpFailure) return error;
      throw error;
    }
  }
}

const isPassing = (answer: HttpAnswer | HttpFailure): boolean =>
  answer instanceof HttpFailure ? answer.kind !== 'too_large' : answer.status === 429 || answer.status >= 500;

function pauseOf(answer: HttpAnswer | HttpFailure, tried: number): number {
  const said = answer instanceof HttpFailure ? Number.NaN : Number.parseInt(answer.header('retry-after'), 10);
  if (said >= 0) return Math.min(said, LONGEST_PAUSE_S) * 1000;
  return FIRST_PAUSE_MS * 2 ** (tried - 1);
}

/** The first of them; null: there are not so many, or something else. */
function entriesIn(tile: Buffer, width: number): readonly Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < tile.length;) {
    if (at + 2 > tile.length) return null;
    const end = at + 2 + tile.readUInt16BE(at);
    if (end > tile.length) return null;
    entries.push(Uint8Array.prototype.slice.call(tile, at + 2, end));
    at = end;
  }
  return entries.length === width || entries.length === TILE_WIDTH ? entries.slice(0, width) : null;
}
