import { FileVerifier, type Verdict, utf8 } from '#proof';

export interface Kept {
  readonly policy?: string | undefined;
  readonly receipts?: readonly string[] | undefined;
  readonly asOf?: string | undefined;
  readonly isStrict?: boolean | undefined;
}

/** The verdict on the text of a file. @param step bytes that come at once */
export function verifyText(text: string, kept: Kept = {}, step = Infinity): Verdict {
  return verifyBytes(utf8(text), kept, step);
}

export function verifyBytes(bytes: Uint8Array, kept: Kept = {}, step = Infinity): Verdict {
  const { policy, receipts = [], asOf, isStrict } = kept;
  const verifier = new FileVerifier({
    ...(policy !== undefined && { policy: utf8(policy) }),
    receipts: receipts.map(utf8),
    ...(asOf !== undefined && { asOf }),
    ...(isStrict !== undefined && { isStrict }),
  });
  for (let at = 0; at < bytes.length; at += step)
    if (!verifier.push(bytes.subarray(at, Math.min(bytes.length, at + step)))) break;
  return verifier.end();
}

/** Level or failures, and warnings: `complete`, `chain 5`, with `| open_run 2` behind it. */
export function shortOf({ level, failures: [first], warnings, verdict, exit }: Verdict): string {
  const said = first === undefined ? String(level) : named(first);
  const warned = warnings.map(named).join(', ');
  return `${exit} ${verdict === 'unusable' ? (first?.code ?? '') : said}${warned === '' ? '' : ` | ${warned}`}`;
}

const named = ({ code, revision }: { readonly code: string; readonly revision: number | null }): string =>
  revision === null ? code : `${code} ${revision}`;
