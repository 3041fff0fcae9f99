import { Parser } from 'htmlparser2';
import { isHtml, withoutPhp } from './html-signs.js';

/** Browsers look at the first 1,024 bytes, and again at what comes late. */
const LOOKED_AT = 64 * 1024;

/** What HTML or XML says of its own encoding, in small letters; null: nothing, or it is neither. */
export function declaredEncoding(bytes: Uint8Array, filename: string): string | null {
  const head = Buffer.from(bytes.subarray(0, LOOKED_AT)).toString('latin1');
  const xml = /^\s*<\?xml\s[^>]{0,300}?\bencoding\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1];
  const declared = xml?.toLowerCase() ?? (isHtml(head, filename) ? metaEncoding(withoutPhp(head)) : null);
  // What says so in ASCII letters cannot be true, and stands for UTF-8 by the standard.
  return declared?.startsWith('utf-16') ? 'utf-8' : declared;
}

/** WHATWG HTML, "prescan a byte stream": the first meta that says one, comments and scripts aside. */
function metaEncoding(head: string): string | null {
  let found: string | null = null;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name !== 'meta' || found !== null) return;
      const isType = /^\s*content-type\s*$/i.test(attributes['http-equiv'] ?? '');
      const inType = isType
        ? /charset\s*=\s*(?:["']\s*)?([^\s"';]{1,40})/i.exec(attributes['content'] ?? '')?.[1]
        : undefined;
      const label = attributes['charset'] ?? inType;
      if (label !== undefined) found = label.trim().toLowerCase();
    },
  });
  parser.write(head);
  parser.end();
  return found;
}
