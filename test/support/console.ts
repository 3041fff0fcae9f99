import { accessSync, constants } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { describe } from '@jest/globals';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { ADMIN_KEY, type ServiceOptions, ServiceProcess } from './service-process.js';
import type { ServiceClient } from './service-client.js';
import { PATIENCE_MS, until } from './until.js';

/** The first shows the same pages, without what a person needs of a browser, in half the processor's time. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** undefined: there is no Chromium on this machine. */
export const program = [process.env['CHROMIUM'] ?? '', ...PLACES].find(
  (path) => path !== '' && isProgram(path),
);

/** A `describe` whose tests need a browser: skipped, and said so, where there is none; in CI there must be one. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (program === undefined && process.env['CI'] === undefined) {
    process.stdout.write(`Chromium is not installed: "${title}" is skipped\n`);
    describe.skip(title, tests);
  } else describe(title, tests);
}

export interface PageOptions {
  readonly theme?: 'light' | 'dark';
  /** CSS pixels; the height is 900. */
  readonly width?: number;
  /** Whose cookie the browser has; null: nobody's. */
  readonly key?: string | null;
  /** Where the page begins; absent: nowhere yet. */
  readonly path?: string;
  /** Its browser's cookies and storage are those of this page. */
  readonly beside?: Page;
}

/**
 * The service with its console, and a browser before it. Owns both, and what pages complained of: errors of scripts, what the
 * policy refused, and requests to anywhere else.
 */
export class ConsoleStage {
  readonly complaints: string[] = [];

  private constructor(
    readonly service: ServiceProcess,
    private readonly browser: Browser,
  ) {}

  static async open(options: ServiceOptions = {}): Promise<ConsoleStage> {
    if (program === undefined) throw new Error('Chromium is not installed');
    const [service, browser] = await Promise.all([
      ServiceProcess.start(options),
      chromium.launch({ executablePath: program, args: ['--no-sandbox'] }),
    ]);
    return new ConsoleStage(service, browser);
  }

  get origin(): string {
    return this.service.origin;
  }

  get client(): ServiceClient {
    return this.service.client();
  }

  /** A page of a browser of its own, signed in with the admin key. */
  async page(options: PageOptions = {}): Promise<Page> {
    const { theme = 'light', width = 1280, key = ADMIN_KEY, path, beside } = options;
    const context =
      beside?.context() ??
      (await this.browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: theme,
        reducedMotion: 'reduce',
      }));
    if (key !== null && beside === undefined) await this.signIn(context, key);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    this.watch(page);
    if (path !== undefined) await this.go(page, path);
    return page;
  }

  /** Loads a path of the console, until it has its heading and what it shows. */
  async go(page: Page, path: string): Promise<void> {
    await page.goto(this.origin + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
  }

  async signIn(context: BrowserContext, key = ADMIN_KEY): Promise<void> {
    const answer = await context.request.post(`${this.origin}/console/auth`, { data: { key } });
    if (!answer.ok()) throw new Error(`not signed in: ${answer.status()} ${await answer.text()}`);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.dispose();
  }

  private watch(page: Page): void {
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/content security policy|trusted ?types/i.test(message.text()))
        this.complaints.push(`refused: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    // While a test has no service, a page asks where it was.
    let own = this.origin;
    page.on('request', (request) => {
      if (this.service.isReady) own = this.origin;
      const { origin, protocol } = new URL(request.url());
      if (origin !== own && protocol !== 'data:' && protocol !== 'blob:')
        this.complaints.push(`asks for ${request.url()}`);
    });
  }
}

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong with a page, a line each. @param rules those alone */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The pages have no frames of others: so it needs no page of its own to put together what it found.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (
    rules === undefined ? axe.withTags(STANDARDS) : axe.withRules([...rules])
  ).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html}`),
  );
}

/** How much wider than its window a page is, in CSS pixels; 0: it needs no scrolling sideways. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)');

/** What can be pressed and lies under an element. @param selector of that */
export const coveredBy = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const { left, right, top, bottom } = document.querySelector('${selector}').getBoundingClientRect();
    const found = new Set();
    for (let x = left + 1; x < right; x += 8)
      for (let y = top + 1; y < bottom; y += 4)
        for (const element of document.elementsFromPoint(x, y)) {
          const control = element.closest('button, a, input, select, textarea, [role=row]');
          if (control !== null) found.add(control.textContent);
        }
    return [...found];
  })()`);

/** The name of what has the focus, with its role, as a screen reader would say it: "button Sign in". */
export const focusOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const e = document.activeElement;
    const name = e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent;
    return e.tagName.toLowerCase() + ' ' + name.trim();
  })()`);

/** The browser moves the focus a moment after what moves it. */
export const untilFocused = (page: Page, name: string): Promise<void> =>
  until(
    async () => (await focusOf(page)) === name,
    () => focusOf(page),
  );
