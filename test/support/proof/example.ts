import { readFileSync } from 'node:fs';

/** The example of docs/proof.md: an export of six events of which the third and fourth are disclosed. */

const file = (name: string): string => readFileSync(`docs/examples/proof/${name}`, 'utf8');

export const EXPORT = file('ses_example.annals.jsonl');
export const POLICY = file('policy');
/** A value of the header, with a line feed. */
export const RECEIPT = file('receipt');

export const ORIGIN = 'example.com/annals';
export const STREAM = 'session-ses_example';

export const QUORUM_NONE = POLICY.replace('quorum both', 'quorum none');
export const QUORUM_M = POLICY.replace('quorum both', 'quorum m');
/** The witness `w` alone. */
export const ONLY_W = POLICY.replace(/^witness m .*\n/m, '')
  .replace(/^group .*\n/m, '')
  .replace('quorum both', 'quorum w');

/** Line 2 of revisions 0 to 2 under the newest checkpoint: an older directory, honest in all but its place. */
const OLDER_DIRECTORY = '831b07118df338c3335057fcec15556cc2b7e9f20f94d9d94d006de08ec79bbe';
const OLDER_PATH = 'f2740f222d6654ec754ef5518b94326dc6bf38cbfda67968aed6cb420866ab89';
const OLDER_LEAVES = [
  'SESQsP8XM0vqstzbcmcC6Pk3L3aRdwC/F0NpnKvnchI=',
  '3IdCXyPuGtfyhcDAp/hucAzrS6iDZ5oE208X7bZxjjg=',
  'y9PNw08fUH7C3a/cvCBtiSUjwKToIWyqcmc8FEzUpVQ=',
  'yA1zPGfrs66TOIbmap1iry3z/0pUlsB26bCE1q21uvk=',
];

interface ProofLine {
  readonly directory: string;
  readonly path: readonly string[];
  readonly proof: string;
}

/** The lines of the example, each with its line feed. */
export const LINES: readonly string[] = EXPORT.match(/.*\n/g)!;
export const PROOF = JSON.parse(LINES[1]!) as ProofLine;

/** With other fields in its header. */
export const withHeader = (lines: readonly string[], fields: object): string[] => [
  `${JSON.stringify({ ...(JSON.parse(lines[0]!) as object), ...fields })}\n`,
  ...lines.slice(1),
];

/** With another second line. */
export const withProof = (lines: readonly string[], fields: Partial<ProofLine>): string[] => [
  lines[0]!,
  `${JSON.stringify({ ...(JSON.parse(lines[1]!) as object), ...fields })}\n`,
  ...lines.slice(2),
];

/** The events up to before a revision, with a header and a last line that say so. */
export const cutTo = (count: number, sealed = count): string[] => [
  ...withHeader(LINES.slice(0, 2 + count), { events: count, sealed }),
  `{"end":${count}}\n`,
];

/** The older directory, for revisions 0 to 2. */
export function underOlderDirectory(): string {
  const note = PROOF.proof.slice(PROOF.proof.indexOf('\n\n') + 2);
  const proof = `c2sp.org/tlog-proof@v1\nindex 5\n${OLDER_LEAVES.join('\n')}\n\n${note}`;
  const path = [OLDER_PATH, ...PROOF.path.slice(1)];
  return withProof(cutTo(3), { directory: OLDER_DIRECTORY, path, proof }).join('');
}
