import { FileVerifier, type Verdict, utf8 } from '#proof';

/** What `annals verify` says of an export. */
export function verdictOf(
  file: string,
  { policy, receipts = [] }: { readonly policy?: string; readonly receipts?: readonly string[] } = {},
): Verdict {
  const verifier = new FileVerifier({
    ...(policy === undefined ? {} : { policy: utf8(policy) }),
    receipts: receipts.map(utf8),
  });
  verifier.push(utf8(file));
  return verifier.end();
}
