import { describe, expect, test } from '@jest/globals';
import { FileVerifier, type Verdict, textOf, utf8 } from '#proof';
import { EXPORT, LINES, POLICY, withHeader } from '../support/proof/example.js';
import { shortOf, verifyBytes, verifyText } from '../support/proof/verify-text.js';

const BYTES = utf8(EXPORT);

/** What a file claims and nothing binds, so that a change of it changes nothing that is claimed to be proved. */
const LABELS = ['exported_at', 'disclosed'];
/** Between begin and end of a run the label of an event of ours (`agent_…`) is bound; of these it is not. */
const LABELLED = [0, 1, 4];

function withoutLabels(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => (line === '' ? {} : (JSON.parse(line) as Record<string, unknown>)));
  for (const label of LABELS) delete lines[0]![label];
  for (const line of lines) if (LABELLED.includes(line['revision'] as number)) delete line['run'];
  return JSON.stringify(lines);
}

describe('a file that broke off', () => {
  test('is unusable at every byte, and says up to where it hangs together', () => {
    const ends = LINES.map((_, at) => utf8(LINES.slice(0, at + 1).join('')).length);
    for (let length = 0; length < BYTES.length; length++) {
      const { exit, failures } = verifyBytes(BYTES.subarray(0, length), { policy: POLICY });
      expect([length, exit, failures[0]!.code]).toEqual([length, 2, 'cut_off']);
      const events = ends.filter((end) => end <= length).length - 2;
      const upTo = events > 0 ? `up to revision ${events - 1} it hangs together` : 'breaks off';
      expect(failures[0]!.message).toContain(upTo);
    }
  });

  test('with something behind its last line, too', () => {
    for (const more of ['\n', ' ', '{"end":6}\n', LINES[2]!])
      expect(shortOf(verifyText(EXPORT + more, { policy: POLICY }))).toBe('2 form');
  });
});

/** Ways to spoil a byte. */
const MUTATIONS: Readonly<Record<string, (at: number) => Uint8Array>> = {
  'its lowest bit': (at) => BYTES.with(at, BYTES[at]! ^ 1),
  'its third bit': (at) => BYTES.with(at, BYTES[at]! ^ 4),
  'its highest bit': (at) => BYTES.with(at, BYTES[at]! ^ 0x80),
  'taken out': (at) => Uint8Array.from([...BYTES.subarray(0, at), ...BYTES.subarray(at + 1)]),
  doubled: (at) =>
    Uint8Array.from([...BYTES.subarray(0, at), ...BYTES.subarray(at)].toSpliced(at, 0, BYTES[at]!)),
};

describe('every byte of an export', () => {
  test.each(Object.keys(MUTATIONS))(
    '%s: it fails or is unusable, unless only what is a mere label is another',
    (mutation) => {
      let survived = 0;
      for (let at = 0; at < BYTES.length; at++) {
        const bytes = MUTATIONS[mutation]!(at);
        const { verdict } = verifyBytes(bytes, { policy: POLICY });
        if (verdict !== 'verified') continue;
        survived += 1;
        expect(withoutLabels(new TextDecoder().decode(bytes))).toBe(withoutLabels(EXPORT));
      }
      // The three labels of runs, the time of the export and what is disclosed.
      expect(survived).toBeLessThan(3 * 20 + 24 + 10);
    },
  );
});

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const event = JSON.parse(LINES[4]!) as Record<string, unknown>;
const withFields = (fields: object): string => JSON.stringify({ ...event, ...fields });

const NONSENSE: readonly string[] = [
  '',
  'null',
  '0',
  '"x"',
  '[]',
  '{}',
  '{"end":-1}',
  '{"end":1e1}',
  '{"end":9007199254740992}',
  '{"revision":',
  '{"revision":0}',
  '{"__proto__":{"revision":0}}',
  '{"file":1,"text":"x"}',
  '{"file":"x","text":"\\ud800"}',
  `{"revision":${deep(1_000)}}`,
  `{"revision":${deep(120_000)}}`,
  `{"revision":${deep(2_000_000)}}`,
  `{"revision":0,"id":"${'\\'.repeat(2_000_000)}`,
  `{${'"a":1,'.repeat(500_000)}"b":1}`,
  '\ufeff{"end":6}',
  '{"end":6}\r',
  withFields({ revision: -1 }),
  withFields({ revision: 1.5 }),
  withFields({ time: 253_402_300_800_000 }),
  withFields({ time: '1' }),
  withFields({ schemaVersion: null }),
  withFields({ project: null }),
  withFields({ run: '' }),
  withFields({ causationId: 1 }),
  withFields({ commitment: 'ABCD' }),
  withFields({ prev: '00' }),
  withFields({ salt: undefined }),
  withFields({ text: undefined }),
  withFields({ text: {} }),
  withFields({ text: '\ud800' }),
  withFields({ more: 1 }),
];

describe('JSON nonsense', () => {
  test('is unusable in the place of any line', () => {
    for (const nonsense of NONSENSE)
      for (const [at] of LINES.entries()) {
        const text = LINES.with(at, `${nonsense}\n`).join('');
        expect([nonsense.slice(0, 40), at, shortOf(verifyText(text))]).toEqual([
          nonsense.slice(0, 40),
          at,
          '2 form',
        ]);
      }
  });

  test('is unusable in a header', () => {
    const headers: readonly object[] = [
      { annals: 'export/2' },
      { stream: 'session-other' },
      { session: '' },
      { exported_at: '2025-06-15T15:08:30Z' },
      { exported_at: '2025-02-30T15:08:30.000Z' },
      { events: -1 },
      { sealed: '6' },
      { erased: 0 },
      { disclosed: '2-' },
      { disclosed: [2] },
      { origin: 'a b' },
      { origin: 'a'.repeat(201) },
      { keys: ['x'] },
      { keys: 'x' },
      { keys: Array.from({ length: 65 }, () => 'x') },
    ];
    for (const fields of headers)
      expect([fields, shortOf(verifyText(withHeader(LINES, fields).join('')))]).toEqual([fields, '2 form']);
  });

  test('is unusable where it is no text, or longer than any line', () => {
    expect(shortOf(verifyBytes(Uint8Array.of(0xff, 0x0a)))).toBe('2 form');
    const verifier = new FileVerifier();
    const zeros = new Uint8Array(1024 * 1024);
    let pieces = 0;
    while (verifier.push(zeros)) pieces += 1;
    expect(pieces).toBe(64);
    expect(verifier.end().failures[0]!.code).toBe('form');
  });
});

describe('a reader', () => {
  test('is told what a stranger wrote as text that does nothing', () => {
    const hostile = '\u001b[2J\u202e\u0007\u009b<b>';
    const text = LINES.map((line, at) =>
      at === 4 || at === 7
        ? line.replace(/"(run|id)":"[^"]*"/g, (_, name: string) => `"${name}":${JSON.stringify(hostile)}`)
        : line,
    ).join('');
    const verdict: Verdict = verifyText(text);
    expect(verdict.failures.map(({ code }) => code)).toContain('duplicate_id');
    // eslint-disable-next-line no-control-regex -- they are what must not be there
    expect(textOf(verdict)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  test('is told a thousand of a million faults, and how many more there are', () => {
    const events = Array.from({ length: 3_000 }, () => LINES[2]!);
    const verdict = verifyText([...LINES.slice(0, 2), ...events, LINES[8]!].join(''));
    expect(verdict.failures).toHaveLength(1_001);
    expect(verdict.failures.at(-1)!.message).toMatch(/^and \d{4} more$/);
  });
});
