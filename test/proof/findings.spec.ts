import { describe, expect, test } from '@jest/globals';
import {
  FileVerifier,
  LOG_KEY,
  concat,
  formatKey,
  formatNote,
  fromBase64,
  fromHex,
  fromUtf8,
  noteKey,
  parseNote,
  parseReceipt,
  receiptText,
  signText,
  signingKey,
  toBase64,
  utf8,
} from '#proof';
import { AttackStage } from '../support/proof/attack-stage.js';
import {
  EXPORT,
  LINES,
  ONLY_W,
  ORIGIN,
  POLICY,
  QUORUM_NONE,
  RECEIPT,
  withHeader,
} from '../support/proof/example.js';
import { ProvedLog } from '../support/proof/proved-log.js';
import { type Draft, SESSION, STREAM_OF_STORY, opening, runIdOf, runOf } from '../support/proof/story.js';
import { type Kept, shortOf, verifyText } from '../support/proof/verify-text.js';
import { type ExportTerms, fileRef, writtenExport, writtenLines } from '../support/proof/written-export.js';

/** An honest log of what somebody wrote, sealed and exported: whatever is wrong is in the events. */
function exported(
  drafts: readonly Draft[],
  more: Partial<ExportTerms> = {},
): { text: string; policy: string } {
  return { text: writtenExport(termsOf(drafts, more)), policy: policyOf(new ProvedLog(drafts)) };
}

function termsOf(drafts: readonly Draft[], more: Partial<ExportTerms> = {}): ExportTerms {
  const log = new ProvedLog(drafts);
  const seal = log.seal();
  const { events } = log.stream(STREAM_OF_STORY);
  const proof = { seal, note: log.note(seal) };
  return { stream: STREAM_OF_STORY, events, origin: log.origin, keys: [log.vkey], proof, ...more };
}

const policyOf = ({ vkey }: ProvedLog): string => `log ${vkey}\nquorum none\n`;

const said = (drafts: readonly Draft[], more: Partial<ExportTerms> = {}): string => {
  const { text, policy } = exported(drafts, more);
  return shortOf(verifyText(text, { policy }));
};

const start = opening(SESSION);
const run = runOf(SESSION, 1);
const BEGIN = 2;
const changed = (at: number, fields: Partial<Draft>): Draft[] => [
  ...start,
  ...run.with(at, { ...run[at]!, ...fields }),
];
const RUN = runIdOf(SESSION, 1);
/** The run with other causes of its begin and its end. */
const causes = (begin: string | undefined, end: string | undefined): Draft[] => {
  const caused = (at: number, causationId: string | undefined): Draft => ({
    ...run[at]!,
    causationId: causationId as never,
  });
  return [...start, ...run.with(BEGIN, caused(BEGIN, begin)).with(5, caused(5, end))];
};
const claim = (epoch: number): Partial<Draft> => ({
  type: 'run_claimed',
  text: JSON.stringify({ worker: 'w', epoch, requested: 1 }),
  causationId: undefined as never,
});
const withFile = (content: string): Draft[] =>
  changed(4, { text: JSON.stringify({ content: fileRef('f1', content) }) });
const files = (content: string): Partial<ExportTerms> => ({ files: new Map([['f1', content]]) });

describe('what is found in events', () => {
  test('nothing in an honest run', () => expect(said([...start, ...run])).toBe('0 signed'));

  test('nothing in an honest run of long texts with all that JSON escapes', () => {
    const long = '{"\\[]{}\u2028\u{1f642}\n'.repeat(60_000);
    expect(said([...start, ...runOf(SESSION, 1, long)])).toBe('0 signed');
    expect(said(withFile(long), files(long))).toBe('0 signed');
  });

  test('ids that come twice', () => {
    const terms = termsOf([...start, ...run]);
    const events = terms.events.map((event, at) =>
      at === 5 ? { ...event, id: terms.events[2]!.id } : event,
    );
    const verdict = verifyText(writtenExport({ ...terms, events }));
    expect(shortOf(verdict)).toBe('1 duplicate_id 5 | unpinned');
  });

  test('runs that do not alternate', () => {
    expect(said([...start, ...run, ...runOf(SESSION, 2).slice(5)])).toBe('1 run_order 7');
    expect(said([...start, ...run.slice(0, 5), ...runOf(SESSION, 2)])).toBe('1 run_order 8');
  });

  test('labels of runs that contradict each other', () => {
    const other = runIdOf(SESSION, 9);
    expect(said(changed(BEGIN, { run: other }))).toBe('1 run_label 3');
    expect(said(changed(4, { run: other }))).toBe('1 run_label 5');
    expect(said(changed(5, { run: other, causationId: other }))).toBe('1 run_label 6');
    expect(said(changed(5, { causationId: 'other' }))).toBe('1 run_label 6');
    // Only begin and end bind it, so elsewhere it is a label.
    expect(said(changed(0, { run: other }))).toBe('0 signed');
  });

  test('nothing in a run that an earlier version began or ended, which wrote no cause', () => {
    expect(said(causes(undefined, RUN))).toBe('0 signed');
    expect(said(causes(RUN, undefined))).toBe('0 signed');
    expect(said(causes(undefined, undefined))).toBe('0 signed');
    expect(said(causes(undefined, 'other'))).toBe('1 run_label 6');
    expect(said(causes('other', undefined))).toBe('1 run_label 6');
    expect(said(causes(undefined, runIdOf(SESSION, 9)))).toBe('1 run_label 6');
  });

  test('epochs that do not rise, where they are disclosed', () => {
    const claims = (second: number): Draft[] => [
      ...start,
      ...run.slice(0, 3),
      { ...run[1]!, ...claim(second) },
      ...run.slice(3),
    ];
    expect(said(claims(2))).toBe('0 signed');
    expect(said(claims(1))).toBe('1 epoch 4');
    expect(said(claims(1), { isDisclosed: () => false })).toBe('0 signed');
  });

  test('files that are missing, others, or of an earlier version', () => {
    expect(said(withFile('long text'), files('long text'))).toBe('0 signed');
    expect(said(withFile('long text'))).toBe('0 signed | file 5');
    expect(said(withFile('long text'), files('long texu'))).toBe('1 file 5');
    expect(said(withFile('long text'), files('long text '))).toBe('1 file 5');
    const older = changed(4, { text: '{"content":{"$file":"f1","bytes":9}}' });
    expect(said(older, files('long text'))).toBe('0 signed | file 5');
    expect(said(older, files('short'))).toBe('1 file 5');
    // Behind an event that names none, and behind no event.
    const lines = writtenLines(termsOf([...start, ...run]));
    const file = '{"file":"f1","text":"x"}\n';
    expect(shortOf(verifyText(lines.toSpliced(4, 0, file).join('')))).toBe('1 file 1 | unpinned');
    expect(shortOf(verifyText(lines.toSpliced(2, 0, file).join('')))).toBe('2 form');
  });

  test('headers and last lines that are not true', () => {
    const lines = writtenLines(termsOf([...start, ...run]));
    for (const fields of [{ events: 8 }, { erased: true }])
      expect(shortOf(verifyText(withHeader(lines, fields).join('')))).toBe('1 gap | unpinned');
    expect(shortOf(verifyText([...lines.slice(0, -1), '{"end":8}\n'].join('')))).toBe('1 gap | unpinned');
    const none = { stream: STREAM_OF_STORY, events: [], origin: 'o', keys: [] };
    expect(shortOf(verifyText(writtenExport(none), { policy: POLICY }))).toBe('1 unsealed 0');
  });
});

describe('what is found in checkpoints', () => {
  const stage = new AttackStage();

  test('events behind the directory', () => {
    const older = stage.seals[1]!;
    const text = stage.lines(undefined, older, { sealed: 13 }).join('');
    expect(shortOf(verifyText(text))).toBe('0 chain | newer 13, unpinned');
    expect(shortOf(verifyText(text, { policy: stage.policy('none') }))).toBe('1 unsealed 13');
  });

  test('a cosignature of after the end of 9999', () => {
    const { seal } = stage.newest;
    const late = stage.log.note(seal, [stage.witness.cosign(stage.newest.note, stage.log, 253_402_300_800)!]);
    const text = stage.lines(undefined, { seal, note: late }).join('');
    expect(shortOf(verifyText(text, { policy: stage.policy('witness') }))).toBe('1 signature');
  });

  test('another origin in the header', () => {
    const text = stage.lines(undefined, undefined, { origin: 'log.example/other' }).join('');
    expect(shortOf(verifyText(text, { policy: stage.policy('none') }))).toBe('1 signature');
  });

  test('a key of the policy that signs under another name than the origin', () => {
    const { seal, note } = stage.newest;
    const [name, key] = ['log.example/other', stage.log.key];
    const byOther = signText(note.text, name, key);
    const other = formatKey(noteKey(name, LOG_KEY, key.publicKey));
    const kept = { policy: `log ${other}\nquorum none\n` };
    const said = (more: Partial<ExportTerms>, signatures = [byOther]): string =>
      shortOf(
        verifyText(stage.lines(undefined, { seal, note: { ...note, signatures } }, more).join(''), kept),
      );
    expect(said({})).toBe('1 signature');
    // Nor where the header names it, and the checkpoint does not.
    expect(said({ origin: name, keys: [other] })).toBe('1 signature');
  });

  test('a witness that is no monitor, whatever the policy calls it', () => {
    const policy = ONLY_W.replace('witness w ', 'witness w/monitor ').replace('quorum w', 'quorum w/monitor');
    expect(shortOf(verifyText(EXPORT, { policy }))).toBe('0 witnessed');
  });

  test('a time without a witness of the policy', () => {
    const policy = QUORUM_NONE.replace(/^(?:witness|group) .*\n/gm, '');
    expect(shortOf(verifyText(EXPORT, { policy, asOf: '2000-01-01' }))).toBe('1 as_of');
    expect(shortOf(verifyText(EXPORT, { policy: QUORUM_NONE, asOf: '2000-01-01' }))).toBe('0 signed');
  });
});

describe('what is found in receipts', () => {
  const SEED = fromHex('57f3495e448a54605b2a6414cd3daac8c32db757ae9732a677b3f8af284c7bcf')!;
  const kept = parseReceipt(parseNote(fromUtf8(fromBase64(RECEIPT.trim())!)!)!.text)!;
  const receiptOf = (fields: Partial<typeof kept>, seed = SEED, name = ORIGIN): string => {
    const text = receiptText({ ...kept, ...fields });
    return formatNote({ text, signatures: [signText(text, name, signingKey(seed))] });
  };
  const saidOf = (receipt: string, more: Kept = {}): string =>
    shortOf(verifyText(EXPORT, { policy: POLICY, receipts: [receipt], ...more }));

  test('that the file says otherwise, or ends before', () => {
    expect(receiptOf({})).toBe(fromUtf8(fromBase64(RECEIPT.trim())!));
    expect(saidOf(receiptOf({ revision: 6 }))).toBe('1 receipt 6');
    expect(saidOf(receiptOf({ hash: new Uint8Array(32) }))).toBe('1 receipt 5');
    expect(saidOf(receiptOf({ time: kept.time + 1 }))).toBe('1 receipt 5');
    expect(saidOf(receiptOf({ run: 'run_ses_example_2' }))).toBe('1 receipt 5');
    const { failures } = verifyText(EXPORT, { policy: POLICY, receipts: [receiptOf({ time: 7 })] });
    expect(failures[0]!.message).toContain('time 7');
    expect(failures[0]!.message).toContain(`time ${kept.time}`);
  });

  test('that nobody who is believed has signed it, so that it counts for nothing', () => {
    const stranger = new Uint8Array(32).fill(3);
    expect(saidOf(receiptOf({ revision: 6 }, stranger))).toBe('0 complete | receipt_key 6');
    // A key of the policy vouches for its own origin only.
    expect(saidOf(receiptOf({ origin: 'other.example/log' }))).toBe('0 complete | receipt_key 5');
  });

  test('that it is of another stream: it is skipped', () =>
    expect(saidOf(receiptOf({ stream: 'session-ses_other', revision: 0 }))).toBe('0 complete'));

  test('each once, however often it is given, as a note or as header values', () => {
    const values = `${RECEIPT}${toBase64(utf8(receiptOf({})))}\n`;
    const { receipts } = verifyText(EXPORT, { policy: POLICY, receipts: [values, receiptOf({}), RECEIPT] });
    expect(receipts).toBe(1);
  });

  test.each(['', '\n', 'annals receipt v1\n', '=', `${RECEIPT}\n`, '\u0000', receiptOf({}).slice(0, -1)])(
    'that it is none: %j',
    (receipt) => expect(saidOf(receipt)).toBe('2 receipts'),
  );
});

describe('arguments', () => {
  test.each([
    '',
    'quorum none\nquorum none\n',
    `${POLICY}${POLICY}`,
    'log x\nquorum none\n',
    '\u0000',
    'quorum q\n',
  ])('policies that say nothing: %j', (policy) =>
    expect(shortOf(verifyText(EXPORT, { policy }))).toBe('2 policy'),
  );

  test('a policy is read byte for byte', () => {
    const withBytes = (...bytes: number[]): string => {
      const verifier = new FileVerifier({ policy: concat(utf8(POLICY), Uint8Array.from(bytes)) });
      verifier.push(utf8(EXPORT));
      return shortOf(verifier.end());
    };
    expect(withBytes(0x23, 0xff, 0x80, 0x0a)).toBe('0 complete');
    expect(withBytes(0x23, 0x00, 0x0a)).toBe('2 policy');
    expect(withBytes(0xff, 0x0a)).toBe('2 policy');
    expect(shortOf(verifyText(EXPORT, { policy: `\ufeff${POLICY}` }))).toBe('2 policy');
    expect(shortOf(verifyText(EXPORT, { policy: POLICY.replaceAll('\n', '\r\n') }))).toBe('2 policy');
  });

  test('a policy of hard lines takes a time that its length says', () => {
    const policy = `${'#'.repeat(500_000)}\u2028\n`;
    expect(shortOf(verifyText(EXPORT, { policy }))).toBe('2 policy');
    expect(shortOf(verifyText(EXPORT, { policy: POLICY.padEnd(1_048_577, '\n') }))).toBe('2 policy');
  });

  test.each(['', 'now', '2025-13-01', '2025-02-30', '2025-06-15T15:08', '2025-06-15T15:08:20'])(
    'times that are none: %j',
    (asOf) => expect(shortOf(verifyText(EXPORT, { policy: POLICY, asOf }))).toBe('2 arguments'),
  );

  test('warnings count under --strict alone', () => {
    expect(verifyText(EXPORT, { isStrict: true })).toMatchObject({
      verdict: 'verified',
      exit: 3,
      level: 'chain',
    });
    expect(verifyText(EXPORT, { policy: POLICY, isStrict: true })).toMatchObject({ exit: 0 });
    expect(LINES).toHaveLength(9);
  });
});
