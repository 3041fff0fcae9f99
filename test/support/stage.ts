import { ScriptBook } from './script-book.js';
import { ScriptedModel, startScriptedModel } from './scripted-model.js';
import type { ServiceClient } from './service-client.js';
import { type ServiceOptions, ServiceProcess } from './service-process.js';

const UNPRICED = { MODEL_FLASH: 'scripted', MODEL_BASE: 'scripted', MODEL_MAX: 'scripted' };

/** A service in its own process and a scripted model that it asks: what a test of the whole plays on. */
export class Stage {
  readonly client: ServiceClient;
  private counted = 0;

  private constructor(
    readonly service: ServiceProcess,
    readonly model: ScriptedModel,
    readonly book: ScriptBook,
  ) {
    this.client = service.client();
  }

  static async open(options: ServiceOptions = {}): Promise<Stage> {
    const book = new ScriptBook();
    const model = await startScriptedModel(book.script);
    try {
      const env = { OPENAI_BASE_URL: model.url, ...UNPRICED, ...options.env };
      return new Stage(await ServiceProcess.start({ ...options, env }), model, book);
    } catch (error) {
      await model.close();
      throw error;
    }
  }

  /** A message that no other run has. */
  message(name: string): string {
    return `${name} #${++this.counted}`;
  }

  async close(): Promise<void> {
    await this.service.dispose();
    await this.model.close();
  }
}
