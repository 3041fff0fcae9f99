import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import type { Verdict } from '#proof';
import { program } from '../console.js';
import type { Kept } from './verify-text.js';

/** A form of the verifier that strangers run: asked with files, answers with its JSON. */
export interface VerifyForm {
  verdictOf(file: string, kept: Kept): Promise<Verdict>;
  close(): Promise<void>;
}

const COMMANDS = {
  'annals verify': ['dist/apps/server/src/cli/main.js', 'verify'],
  'verify.mjs': ['dist/verify.mjs'],
} as const;

/** A program that is started for each file. Owns a folder. */
export class VerifyCommand implements VerifyForm {
  private readonly folder = mkdtempSync(join(tmpdir(), 'annals-verify-'));
  private files = 0;

  constructor(
    private readonly name: keyof typeof COMMANDS,
    private readonly node = process.execPath,
  ) {}

  async verdictOf(file: string, kept: Kept): Promise<Verdict> {
    const { code, out } = await this.said(file, kept, ['--json']);
    const verdict = JSON.parse(out) as Verdict;
    if (verdict.exit !== code) throw new Error(`ended with ${code}, and says ${out}`);
    return verdict;
  }

  async said(
    file: string,
    { policy, receipts = [], asOf, isStrict }: Kept,
    flags: readonly string[] = [],
  ): Promise<{ readonly code: number | null; readonly out: string }> {
    return this.run([
      this.write(file),
      ...(policy === undefined ? [] : ['--policy', this.write(policy)]),
      ...receipts.flatMap((receipt) => ['--receipt', this.write(receipt)]),
      ...(asOf === undefined ? [] : ['--as-of', asOf]),
      ...(isStrict === true ? ['--strict'] : []),
      ...flags,
    ]);
  }

  async run(words: readonly string[]): Promise<{ readonly code: number | null; readonly out: string }> {
    const child = spawn(
      this.node,
      [...COMMANDS[this.name].map((word, at) => (at === 0 ? resolve(word) : word)), ...words],
      {
        cwd: this.folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const ended = once(child, 'close') as Promise<[number | null]>;
    const [out, [code]] = await Promise.all([text(child.stdout), ended]);
    return { code, out };
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    return Promise.resolve();
  }

  private write(content: string): string {
    const file = join(this.folder, String(this.files++));
    writeFileSync(file, content);
    return file;
  }
}

/** The page, in one browser, loaded anew for each file. Owns the browser, and what the page complained of. */
export class VerifyPage implements VerifyForm {
  readonly complaints: string[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {
    page.on('console', (message) => this.complaints.push(message.text()));
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('request', (request) => {
      if (request.url() !== ADDRESS) this.complaints.push(request.url());
    });
  }

  static async open(): Promise<VerifyPage> {
    if (program === undefined) throw new Error('Chromium is not installed');
    const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
    return new VerifyPage(browser, await (await browser.newContext()).newPage());
  }

  async verdictOf(file: string, kept: Kept): Promise<Verdict> {
    await this.choose(file, kept);
    return JSON.parse((await this.page.locator('#json').textContent()) ?? '') as Verdict;
  }

  /** Loads the page, and waits for what it says. */
  async choose(file: string, { policy, receipts = [], asOf, isStrict }: Kept): Promise<void> {
    const { page } = this;
    await page.goto(ADDRESS);
    if (policy !== undefined) await page.setInputFiles('#policy', [fileNamed('policy', policy)]);
    if (receipts.length > 0)
      await page.setInputFiles(
        '#receipts',
        receipts.map((receipt, at) => fileNamed(`receipt-${at}`, receipt)),
      );
    if (asOf !== undefined) await page.fill('#as-of', asOf);
    if (isStrict === true) await page.check('#strict');
    await page.setInputFiles('#export', [fileNamed('export.annals.jsonl', file)]);
    await page.locator('#verdict').waitFor();
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

const ADDRESS = pathToFileURL('dist/verify.html').href;

const fileNamed = (name: string, content: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
});
