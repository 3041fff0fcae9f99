import type { Page } from 'playwright-core';
import { ConsoleStage, type PageOptions } from './console.js';
import { freePort } from './free-port.js';
import { ScriptBook } from './script-book.js';
import { type ScriptedModel, startScriptedModel } from './scripted-model.js';

/** A model of the built-in list of prices, so that budgets hold. */
const PRICED = 'gpt-5-mini';
const MODELS = { MODEL_FLASH: PRICED, MODEL_BASE: PRICED, MODEL_MAX: PRICED };

/** The console before a service whose model says what a test wrote. Owns all three. */
export class ChatStage {
  private constructor(
    readonly console: ConsoleStage,
    readonly book: ScriptBook,
    private readonly model: ScriptedModel,
  ) {}

  static async open(env: Readonly<Record<string, string>> = {}): Promise<ChatStage> {
    const book = new ScriptBook();
    const model = await startScriptedModel(book.script);
    try {
      // A page that is open over a restart finds the service where it was.
      const PORT = String(await freePort());
      const stage = await ConsoleStage.open({ env: { PORT, OPENAI_BASE_URL: model.url, ...MODELS, ...env } });
      return new ChatStage(stage, book, model);
    } catch (error) {
      await model.close();
      throw error;
    }
  }

  /** A page of the chat, in which a stream is open: it is never without a request under way. */
  async chat(session = '', options: PageOptions = {}): Promise<Page> {
    const page = await this.console.page(options);
    await page.goto(`${this.console.origin}/console/chat/${session}`.replace(/\/$/, ''));
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    return page;
  }

  async close(): Promise<void> {
    await this.console.close();
    await this.model.close();
  }
}

/** A run of these waits for a person to release its one call. */
export const ASKING = {
  workflows: [
    {
      id: 'refund',
      name: 'refund',
      description: 'Gives money back.',
      steps: [{ id: 'pay', name: 'pay', description: 'Pay it.', depends_on: [] }],
    },
  ],
  approvals: { default: 'ask' },
};
