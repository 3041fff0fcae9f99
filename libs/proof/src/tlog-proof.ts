import { fromBase64, toBase64 } from './bytes.js';

/** That a leaf is in the tree of a checkpoint (https://c2sp.org/tlog-proof). */
export interface TlogProof {
  readonly index: number;
  readonly path: readonly Uint8Array[];
  /** The checkpoint, as it was signed. */
  readonly note: string;
}

const TITLE = 'c2sp.org/tlog-proof@v1';
const MAX_PATH = 63;

export const formatProof = ({ index, path, note }: TlogProof): string =>
  `${TITLE}\nindex ${index}\n${path.map((node) => `${toBase64(node)}\n`).join('')}\n${note}`;

/** null: it is none. */
export function parseProof(text: string): TlogProof | null {
  const at = text.indexOf('\n\n');
  if (at < 0) return null;
  const [title, place = '', ...lines] = text.slice(0, at).split('\n');
  const match = /^index (0|[1-9]\d{0,15})$/.exec(place);
  const path = lines.map(fromBase64);
  if (title !== TITLE || match === null || path.length > MAX_PATH) return null;
  if (path.some((node) => node?.length !== 32) || Number(match[1]) > Number.MAX_SAFE_INTEGER) return null;
  return { index: Number(match[1]), path: path as Uint8Array[], note: text.slice(at + 2) };
}
