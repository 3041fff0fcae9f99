import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FileVerifier, type Verdict, eventHash, textOf, toHex, utf8 } from '#proof';
import { describeInBrowser, overflowOf, violationsOf } from '../support/console.js';
import { EXPORT, LINES, POLICY, RECEIPT } from '../support/proof/example.js';
import { VerifyCommand, VerifyPage } from '../support/proof/verify-forms.js';
import { type Kept, verifyText } from '../support/proof/verify-text.js';

/** The example, whole and broken, with what an auditor may bring. */
const CASES: readonly (readonly [title: string, file: string, kept: Kept])[] = [
  ['no policy', EXPORT, {}],
  ['a policy', EXPORT, { policy: POLICY }],
  ['a receipt', EXPORT, { policy: POLICY, receipts: [RECEIPT, RECEIPT] }],
  ['warnings that count', EXPORT, { isStrict: true }],
  ['too old', EXPORT, { policy: POLICY, asOf: '2025-06-15T15:08:21Z' }],
  ['another answer', EXPORT.replace('7 = 42', '7 = 43'), { policy: POLICY }],
  ['broken off', EXPORT.slice(0, -20), { policy: POLICY }],
  ['empty', '', {}],
  ['no policy that could be one', EXPORT, { policy: 'nonsense\n' }],
];

describe.each(['annals verify', 'verify.mjs'] as const)('%s', (name) => {
  const command = new VerifyCommand(name);
  afterAll(() => command.close());

  test.each(CASES)('%s', async (_, file, kept) => {
    const expected = verifyText(file, kept);
    expect(await command.verdictOf(file, kept)).toEqual(expected);
    expect(await command.said(file, kept)).toEqual({ code: expected.exit, out: textOf(expected) });
  });

  test('says that what is not there, or no file, is unusable', async () => {
    for (const words of [['none'], ['.']]) {
      const { code, out } = await command.run([...words, '--json']);
      expect([code, (JSON.parse(out) as Verdict).verdict]).toEqual([2, 'unusable']);
    }
    expect(await command.run(['.', '--policy', 'none'])).toMatchObject({ code: 2 });
  });

  test.each([
    [['--json']],
    [['file', '--json', '--nothing']],
    [['file', 'more', '--json']],
    [['f', '--json', '--policy']],
  ])('says of a command line that means nothing, as JSON where that is asked for: %j', async (words) => {
    const { code, out } = await command.run(words);
    expect(out).toMatch(/^[^\n]+\n$/);
    expect([code, JSON.parse(out)]).toMatchObject([
      2,
      { verdict: 'unusable', exit: 2, level: null, session: null },
    ]);
    expect(JSON.parse(out)).toMatchObject({
      failures: [{ code: 'arguments', revision: null }],
      warnings: [],
    });
    expect(await command.run(words.filter((word) => word !== '--json'))).toMatchObject({ code: 2, out: '' });
  });
});

describe('verify.mjs', () => {
  test('is one file that imports from node: only', () => {
    const imports = readFileSync('dist/verify.mjs', 'utf8').matchAll(/^import [^;]*? from "([^"]+)";$/gm);
    const names = Array.from(imports, ([, from = '']) => from);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(readFileSync('dist/verify.mjs', 'utf8')).not.toMatch(/\brequire\(|\bimport\((?!\))["'](?!node:)/);
  });

  test('says how it is called, and that a command line means nothing', async () => {
    const command = new VerifyCommand('verify.mjs');
    const help = await command.run(['--help']);
    expect([help.code, help.out]).toEqual([0, expect.stringMatching(/^usage: node verify\.mjs FILE /)]);
    const { status, stderr } = spawnSync(process.execPath, ['dist/verify.mjs', '--nothing'], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^verify: unknown option "--nothing"/)]);
    await command.close();
  });

  test('works on the oldest Node.js that it may be given, where that is here', () => {
    const old =
      spawnSync('node', ['--version'], { encoding: 'utf8', env: { PATH: systemPath() } }).stdout ?? '';
    if (!old.startsWith('v20.')) {
      process.stdout.write('Node.js 20 is not installed: verify.mjs is not run on it\n');
      return;
    }
    const words = ['dist/verify.mjs', 'docs/examples/proof/ses_example.annals.jsonl', '--json'];
    const out = execFileSync('node', [...words, '--policy', 'docs/examples/proof/policy'], {
      encoding: 'utf8',
      env: { PATH: systemPath() },
    });
    expect(JSON.parse(out)).toMatchObject({ level: 'complete' });
  });
});

/** Without what npm has put before it. */
const systemPath = (): string =>
  (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':');

describeInBrowser('verify.html', () => {
  let page: VerifyPage;
  beforeAll(async () => {
    page = await VerifyPage.open();
  });
  afterAll(() => page.close());

  test.each(CASES)('%s', async (_, file, kept) => {
    const expected = verifyText(file, kept);
    expect(await page.verdictOf(file, kept)).toEqual(expected);
    const { page: shown } = page;
    const [head, text] = await Promise.all(['#head', '#text'].map((id) => shown.locator(id).textContent()));
    expect(`${head}\n${text}`).toBe(textOf(expected).replace(/^([^\n]*\n)\n/, '$1'));
  });

  test('runs nothing that a file or a name holds, and shows it as text', async () => {
    const name = '<img src=x onerror=alert(1)>';
    await page.choose(EXPORT.replace('"id":"00000000-0000-4000-8000-000000000003"', `"id":"${name}"`), {});
    await page.page.setInputFiles('#export', [{ name, mimeType: 'text/plain', buffer: Buffer.from(EXPORT) }]);
    await page.page.locator('#verdict').waitFor();
    expect(await page.page.locator('#name').textContent()).toBe(name);
    expect(await page.page.locator('img').count()).toBe(0);
  });

  test('takes a file that is dropped, and the policy that was chosen before', async () => {
    await page.choose(EXPORT.slice(1), { policy: POLICY });
    const dropped = await page.page.evaluateHandle(
      `(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([${JSON.stringify(EXPORT)}], 'dropped.annals.jsonl'));
        return transfer;
      })()`,
    );
    await page.page.dispatchEvent('main', 'drop', { dataTransfer: dropped });
    await page.page.locator('#head', { hasText: 'verified: complete' }).waitFor();
    expect(await page.page.locator('#name').textContent()).toBe('dropped.annals.jsonl');
  });

  test.each(['light', 'dark'] as const)('can be read by everybody: %s', async (colorScheme) => {
    await page.page.emulateMedia({ colorScheme });
    await page.page.setViewportSize({ width: 320, height: 700 });
    for (const file of [EXPORT, EXPORT.replace('7 = 42', '7 = 43'), '']) {
      await page.choose(file, { policy: POLICY });
      expect(await violationsOf(page.page)).toEqual([]);
      expect(await overflowOf(page.page)).toBe(0);
    }
  });

  test('has a policy that allows its own script and style, and nothing else', async () => {
    const policy = await page.page.locator('meta[http-equiv]').getAttribute('content');
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; /);
    expect(policy).not.toContain('unsafe');
    expect(page.complaints).toEqual([]);
  });
});

describe('a file of 100,000 events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-large-'));
  const file = join(folder, 'large.annals.jsonl');
  const COUNT = 100_000;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is verified in less memory than it has bytes', () => {
    const out = openSync(file, 'w');
    let bytes = 0;
    for (const lines of largeExport(COUNT)) bytes += writeSync(out, lines);
    closeSync(out);
    const heap = 32;
    expect(bytes).toBeGreaterThan(1.5 * heap * 1024 * 1024);
    const { stdout, status } = spawnSync(
      process.execPath,
      [`--max-old-space-size=${heap}`, resolve('dist/verify.mjs'), file, '--json'],
      { encoding: 'utf8' },
    );
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ events: COUNT, level: 'chain' }),
    ]);
  });

  test('is read no further than to the first line that is none', () => {
    const verifier = new FileVerifier();
    expect(verifier.push(utf8('{}\n'))).toBe(false);
    expect(verifier.push(utf8(EXPORT))).toBe(false);
    expect(verifier.end()).toMatchObject({ exit: 2, events: 0 });
  });
});

/** The lines of an export without a proof, a thousand at once. */
function* largeExport(count: number): Generator<string> {
  const header = { ...(JSON.parse(LINES[0]!) as object), events: count, sealed: 0 };
  yield `${JSON.stringify(header)}\n`;
  const chain = new LargeChain();
  for (let from = 0; from < count; from += 1_000)
    yield Array.from({ length: 1_000 }, (_, at) => chain.line(from + at)).join('');
  yield `{"end":${count}}\n`;
}

/** Events that follow one another. */
class LargeChain {
  private last = '2536c578bd9ec4cf68df2b866ec9d832c6570717ddd1803184755fe386498390';

  line(revision: number): string {
    const id = `00000000-0000-4000-8000-${String(revision).padStart(12, '0')}`;
    const event = {
      revision,
      id,
      type: 'model_called'.padEnd(200, '_'),
      time: 1_750_000_000_000 + revision,
      schemaVersion: 1,
      project: 'default',
      actor: 'key_1',
      correlationId: 'req_1',
      commitment: '0'.repeat(64),
      prev: this.last,
    };
    const hash = eventHash({ stream: 'session-ses_example', ...event });
    this.last = toHex(hash);
    return `${JSON.stringify(event)}\n`;
  }
}
