import { describe, expect, test } from '@jest/globals';
import { LOG_KEY, formatKey, noteKey, parsePolicy, textOf } from '#proof';
import {
  EXPORT,
  LINES,
  ONLY_W,
  POLICY,
  PROOF,
  QUORUM_M,
  QUORUM_NONE,
  RECEIPT,
  cutTo,
  underOlderDirectory,
  withHeader,
  withProof,
} from '../support/proof/example.js';
import { type Kept, shortOf, verifyText } from '../support/proof/verify-text.js';

const replaced = (...changes: readonly (readonly [what: string, by: string])[]): string =>
  changes.reduce((text, [what, by]) => {
    expect(text).toContain(what);
    return text.replace(what, by);
  }, EXPORT);
const inLine = (at: number, what: string, by: string): string => {
  expect(LINES[at]).toContain(what);
  return LINES.with(at, LINES[at]!.replace(what, by)).join('');
};
const proofWith = (what: string | RegExp, by: string): string =>
  withProof(LINES, { proof: PROOF.proof.replace(what, by) }).join('');
const without = (at: number): string => LINES.toSpliced(at, 1).join('');
const unsealed = withHeader(LINES.toSpliced(1, 1), { sealed: 0 }).join('');

/** The log's key under another name. */
const OTHER_KEY = formatKey(
  noteKey('other.example/log', LOG_KEY, parsePolicy(POLICY).logs[0]!.key.publicKey),
);

const RENUMBERED = withHeader(LINES.toSpliced(6, 1), { events: 5 })
  .join('')
  .replace('"revision":5', '"revision":4')
  .replace('{"end":6}', '{"end":5}');

const CASES: readonly (readonly [title: string, text: string, kept: Kept, verdict: string])[] = [
  ['none', EXPORT, {}, '0 chain | unpinned'],
  ['none, policy', EXPORT, { policy: POLICY }, '0 complete'],
  ['none, quorum none', EXPORT, { policy: QUORUM_NONE }, '0 signed'],
  ['receipt', EXPORT, { policy: POLICY, receipts: [RECEIPT] }, '0 complete'],
  ['receipt, quorum none', EXPORT, { policy: QUORUM_NONE, receipts: [RECEIPT] }, '0 receipted'],
  ['receipt, no policy', EXPORT, { receipts: [RECEIPT] }, '0 chain | receipt_key 5, unpinned'],
  [
    'receipt, a letter changed',
    EXPORT,
    { policy: POLICY, receipts: [RECEIPT.replace('cnVu', 'cnVv')] },
    '2 receipts',
  ],
  ['as of the second', EXPORT, { policy: POLICY, asOf: '2025-06-15T15:08:20Z' }, '0 complete'],
  ['as of the next', EXPORT, { policy: POLICY, asOf: '2025-06-15T15:08:21Z' }, '1 as_of'],
  ['as of nothing', EXPORT, { policy: POLICY, asOf: 'noon' }, '2 arguments'],
  ['answer', replaced(['7 = 42', '7 = 43']), { policy: POLICY }, '1 commitment 3'],
  ['time of 3', replaced(['1750000011000', '1750000011001']), { policy: POLICY }, '1 chain 5'],
  ['actor of 4', replaced(['key_2', 'key_1']), { policy: POLICY }, '1 chain 5'],
  ['4 out', without(6), { policy: POLICY }, '1 gap 5'],
  ['4 out, renumbered', RENUMBERED, { policy: POLICY }, '1 chain 4'],
  ['3 and 4 exchanged', LINES.with(5, LINES[6]!).with(6, LINES[5]!).join(''), { policy: POLICY }, '1 gap 4'],
  ['5 out', cutTo(5).join(''), { policy: POLICY }, '1 head 4 | open_run 2'],
  ['5 out, no policy', cutTo(5).join(''), {}, '1 head 4 | open_run 2, unpinned'],
  ['5 out, still called sealed', cutTo(5, 6).join(''), { policy: POLICY }, '1 head 4 | open_run 2'],
  ['index', proofWith('index 10', 'index 9'), { policy: POLICY }, '1 inclusion'],
  ['directory', inLine(1, '25bad593', '25bad594'), { policy: POLICY }, '1 inclusion'],
  ['path of the leaf', proofWith('v3RSUf', 'v3RSUg'), { policy: POLICY }, '1 inclusion'],
  ['older directory', underOlderDirectory(), { policy: POLICY }, '1 inclusion | open_run 2'],
  [
    'zero sibling out',
    withProof(LINES, { path: PROOF.path.toSpliced(1, 1) }).join(''),
    { policy: POLICY },
    '1 head 5',
  ],
  ['size', proofWith('\n11\n', '\n12\n'), { policy: POLICY }, '1 signature'],
  ['signature', proofWith('cmNhO', 'cmNhP'), { policy: POLICY }, '1 signature'],
  ['cosignature', proofWith('LOq9c', 'LOq9d'), { policy: POLICY }, '1 signature'],
  ['w out', proofWith(/— witness.*\n/, ''), { policy: POLICY }, '1 quorum'],
  ['w out, quorum m', proofWith(/— witness.*\n/, ''), { policy: QUORUM_M }, '0 complete'],
  ['only w', EXPORT, { policy: ONLY_W }, '0 witnessed'],
  [
    'run of 5',
    inLine(7, '"run":"run_ses_example_1"', '"run":"run_ses_example_2"'),
    {},
    '1 run_label 5 | unpinned',
  ],
  ['run of 3', inLine(5, 'run_ses_example_1', 'run_ses_example_2'), { policy: POLICY }, '1 run_label 3'],
  [
    'run of 1, a label',
    inLine(3, 'run_ses_example_1', 'run_ses_example_2'),
    { policy: POLICY },
    '0 complete',
  ],
  ['line 2 out, sealed 0', unsealed, { policy: POLICY }, '1 unsealed 0'],
  ['line 2 out, sealed 0, no policy', unsealed, {}, '0 chain | no_proof 0, unpinned'],
  ['line 2 out', without(1), { policy: POLICY }, '2 form'],
  ['end out', LINES.slice(0, -1).join(''), { policy: POLICY }, '2 cut_off'],
  ['a blank', inLine(4, '{', '{ '), {}, '2 form'],
  ['a name twice', inLine(3, '"revision":1', '"revision":1,"revision":1'), {}, '2 form'],
  ['an escape', inLine(3, '"run"', '"\\u0072un"'), {}, '2 form'],
  ['a fraction', replaced(['1750000011000', '1750000011000.0']), {}, '2 form'],
  [
    'another origin in the policy',
    EXPORT,
    { policy: POLICY.replace(/^log .*$/m, `log ${OTHER_KEY}`) },
    '1 signature',
  ],
];

describe('the example', () => {
  test.each(CASES)('%s', (_, text, kept, verdict) => {
    expect(shortOf(verifyText(text, kept))).toBe(verdict);
  });

  test('says what is never proved, whatever the verdict', () => {
    for (const [, text, kept] of CASES) {
      const said = textOf(verifyText(text, kept));
      expect(said).toContain('never proved');
      expect(said).toContain('before the first checkpoint');
    }
  });

  test('is the same in pieces of any size', () => {
    const whole = verifyText(EXPORT, { policy: POLICY });
    for (const step of [1, 7, 64, 1_000]) expect(verifyText(EXPORT, { policy: POLICY }, step)).toEqual(whole);
  });

  test('has the JSON of its format', () => {
    expect(verifyText(EXPORT, { policy: POLICY, receipts: [RECEIPT] })).toEqual({
      verdict: 'verified',
      exit: 0,
      level: 'complete',
      stream: 'session-ses_example',
      session: 'ses_example',
      events: 6,
      sealed: 6,
      disclosed: '2-3',
      erased: false,
      runs: { ended: 1, open: 0 },
      from: '2025-06-15T15:06:40.000Z',
      to: '2025-06-15T15:06:52.000Z',
      origin: 'example.com/annals',
      size: 11,
      witnessed_at: '2025-06-15T15:08:20.000Z',
      witnesses: ['w', 'm'],
      receipts: 1,
      failures: [],
      warnings: [],
    });
  });
});
