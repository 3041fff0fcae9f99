import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Verdict } from '#proof';
import { describeInBrowser } from '../support/console.js';
import { AttackStage } from '../support/proof/attack-stage.js';
import { type Attack, type Row, TABLE } from '../support/proof/attacks.js';
import { VerifyCommand, type VerifyForm, VerifyPage } from '../support/proof/verify-forms.js';
import { type Kept, verifyText } from '../support/proof/verify-text.js';

/** What an auditor has in each column of the table. */
const COLUMNS = ['no policy', 'quorum none', 'a kept receipt', 'witnesses', 'monitors'] as const;

function keptIn(column: number, { stage }: Attack): Kept {
  const kept: readonly Kept[] = [
    {},
    { policy: stage.policy('none') },
    { policy: stage.policy('none'), receipts: [stage.receipt] },
    { policy: stage.policy('witness') },
    { policy: stage.policy('monitor') },
  ];
  return kept[column]!;
}

/** The level where all auditors are content; null: one of them is not. */
function reached(verdicts: readonly Verdict[]): string | null {
  for (const { exit, level } of verdicts) {
    expect([0, 1]).toContain(exit);
    if (level === null) return null;
  }
  return verdicts[0]!.level;
}

interface Case {
  readonly attack: Attack;
  readonly kept: Kept;
  readonly expected: string | null;
}

function* casesOf({ attacks, expected, isOld }: Row, most = Infinity): Generator<Case> {
  // Of many of a kind the first, the last and one between.
  const names = Object.keys(attacks);
  const taken = names.length <= most ? names : [names[0]!, names[names.length >> 1]!, names.at(-1)!];
  for (const name of taken) {
    const attack = attacks[name]!();
    for (const [column] of COLUMNS.entries())
      yield { attack, kept: keptIn(column, attack), expected: expected[column]! };
    if (isOld !== true) continue;
    // The newest checkpoint was cosigned a second after the one of the file.
    for (const column of [3, 4])
      yield { attack, kept: { ...keptIn(column, attack), asOf: '2025-06-16T18:53:22Z' }, expected: null };
  }
}

describe('the table of attacks', () => {
  test.each(TABLE)('$title', (row) => {
    for (const { attack, kept, expected } of casesOf(row)) {
      const verdicts = attack.files.map((file) => verifyText(file, kept));
      expect(reached(verdicts)).toBe(expected);
      if (kept.asOf !== undefined) expect(verdicts[0]!.failures.map(({ code }) => code)).toEqual(['as_of']);
    }
  });

  test('an honest export reaches the level of its column', () => {
    const stage = new AttackStage();
    const files = [stage.lines().join('')];
    const levels = COLUMNS.map((_, column) => verifyText(files[0]!, keptIn(column, { stage, files })).level);
    expect(levels).toEqual(['chain', 'signed', 'receipted', 'witnessed', 'complete']);
  });
});

/** Each row at every level: what a form says is what the library says. */
function holdsTheTable(open: () => Promise<VerifyForm>, atOnce: number): void {
  let form: VerifyForm;
  beforeAll(async () => {
    form = await open();
  });
  afterAll(() => form.close());

  test.each(TABLE)('$title', async (row) => {
    const asked = [...casesOf(row, 3)].flatMap(({ attack: { files }, kept }) =>
      files.map((file) => ({ file, kept })),
    );
    while (asked.length > 0)
      await Promise.all(
        asked.splice(0, atOnce).map(async ({ file, kept }) => {
          expect(await form.verdictOf(file, kept)).toEqual(verifyText(file, kept));
        }),
      );
  });
}

describe.each(['annals verify', 'verify.mjs'] as const)('the table of attacks before %s', (name) => {
  holdsTheTable(() => Promise.resolve(new VerifyCommand(name)), 4);
});

describeInBrowser('the table of attacks before verify.html', () => {
  let page: VerifyPage;
  holdsTheTable(async () => (page = await VerifyPage.open()), 1);

  test('the page asks for nothing, and its policy refuses nothing that it does', () => {
    expect(page.complaints).toEqual([]);
  });
});
