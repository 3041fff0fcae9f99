import { fromHex, toHex } from './bytes.js';

/** What whoever got an answer is given: that a run ended so, at this place of its stream. */
export interface Receipt {
  readonly origin: string;
  readonly stream: string;
  readonly run: string;
  readonly revision: number;
  /** Of the event. */
  readonly hash: Uint8Array;
  /** ms since 1970 */
  readonly time: number;
}

const TITLE = 'annals receipt v1';

export const receiptText = ({ origin, stream, run, revision, hash, time }: Receipt): string =>
  `${TITLE}\n${origin}\n${stream}\n${run}\n${revision}\n${toHex(hash)}\n${time}\n`;

/** null: it is none. */
export function parseReceipt(text: string): Receipt | null {
  const lines = text.split('\n');
  const [title, origin = '', stream = '', run = '', revision = '', hex = '', time = '', end] = lines;
  const hash = fromHex(hex);
  if (title !== TITLE || lines.length !== 8 || end !== '' || hash === null) return null;
  if (origin === '' || stream === '' || !isNumber(revision) || !isNumber(time)) return null;
  return { origin, stream, run, revision: Number(revision), hash, time: Number(time) };
}

const isNumber = (text: string): boolean =>
  /^(?:0|[1-9]\d{0,15})$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER;
