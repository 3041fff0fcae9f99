import type { LinkTarget } from './markdown-nodes.js';

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
/** Characters of a link that are looked at. */
const MAX_HREF = 4096;
/** Of an image within a text: 1 MB of bytes in base64. */
const MAX_PICTURE = Math.ceil((1024 * 1024 * 4) / 3) + 64;
const PICTURE = /^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Where a link leads; null: nowhere that it may lead to. */
export function linkTarget(written: string): LinkTarget | null {
  const url = written.length > MAX_HREF ? null : URL.parse(written);
  if (url === null || !SCHEMES.has(url.protocol)) return null;
  if (url.protocol === 'mailto:') return { href: url.href, host: url.pathname };
  return url.host === '' ? null : { href: url.href, host: url.host };
}

/** Where an image would have come from, for people. */
export function imageHost(written: string): string {
  const target = linkTarget(written);
  if (target !== null) return target.host;
  return /^data:/i.test(written) ? 'within the text' : 'no address';
}

/** Whether the image is part of the text, of a kind that is only an image, and small enough. */
export const isPicture = (written: string): boolean =>
  written.length <= MAX_PICTURE && written.startsWith('data:image/') && PICTURE.test(written);

/** Whether a link says the address itself, with letters that may be other ones than they look like. */
export function isUnicodeAddress(text: string, { host }: LinkTarget): boolean {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(text)) return false;
  const said = URL.parse(text) ?? URL.parse(`http://${text}`);
  return said !== null && (said.host === host || text.includes('@'));
}
