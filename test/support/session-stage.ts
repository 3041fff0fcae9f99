import type { Page } from 'playwright-core';
import { ConsoleStage, type PageOptions } from './console.js';
import { ScriptBook } from './script-book.js';
import { call, delay, say, startScriptedModel, thinking } from './scripted-model.js';
import type { ServiceClient } from './service-client.js';

const MODELS = { MODEL_FLASH: 'scripted', MODEL_BASE: 'scripted', MODEL_MAX: 'scripted' };
/** Calls of a turn, and turns of a run, of a long session. */
const [CALLS, TURNS] = [50, 10];
type Model = Awaited<ReturnType<typeof startScriptedModel>>;

/** The console before a service with a scripted model, for tests of a session's page. */
export class SessionStage {
  readonly book: ScriptBook;
  private counted = 0;

  private constructor(
    readonly console: ConsoleStage,
    private readonly model: Model,
    book: ScriptBook,
  ) {
    this.book = book;
  }

  static async open(more: Readonly<Record<string, string>> = {}): Promise<SessionStage> {
    const book = new ScriptBook();
    const model = await startScriptedModel(book.script);
    try {
      const env = { OPENAI_BASE_URL: model.url, ...MODELS, ...more };
      return new SessionStage(await ConsoleStage.open({ env }), model, book);
    } catch (error) {
      await model.close();
      throw error;
    }
  }

  get client(): ServiceClient {
    return this.console.client;
  }

  /** What the model says to a message that no other run has. */
  message(name: string, ...turns: Parameters<ScriptBook['on']>[1][]): string {
    return this.book.on(`${name} ${++this.counted}`, ...turns);
  }

  /** Kills the process and starts another one at the same address. */
  async killAndStart(): Promise<void> {
    const { service } = this.console;
    const { port } = service;
    await service.kill();
    await service.launch({ env: { OPENAI_BASE_URL: this.model.url, ...MODELS, PORT: String(port) } });
  }

  /** A session of two runs: one that thinks, calls two tools of the caller's, and answers; one that waits. */
  async told(): Promise<string> {
    const lookup = tool('orders_lookup');
    const first = this.message(
      'The lamp came broken',
      say(
        ...thinking('I should look '),
        delay(80),
        ...thinking('up the order'),
        ...call(0, 'c1', 'orders_lookup', { order: '4711' }),
      ),
      say('The lamp was ', delay(80), 'delivered four days ago'),
    );
    const started = await this.start({ message: first, tools: [lookup], streaming_tokens: true });
    await this.answer(started.session, '{"total":"89.00"}');
    await this.ended(started.run_id);
    const second = this.message(
      'And the chair',
      say('Here it is', ...call(0, 'c2', 'orders_lookup', { order: '4712' })),
    );
    await this.start({ message: second, tools: [lookup], streaming_tokens: true }, started.session);
    await this.action(started.session);
    return started.session;
  }

  /** A session whose log has so many events, or a few more: of calls of a tool that is not there, four events each. */
  async long(events: number): Promise<string> {
    let session: string | undefined;
    for (let left = events; left > 0; left -= CALLS * TURNS * 4) {
      const turns = Array.from({ length: Math.min(TURNS, Math.ceil(left / CALLS / 4)) }, (_, turn) =>
        say(...Array.from({ length: CALLS }, (__, n) => call(n, `c${turn}-${n}`, 'nothing', { n })).flat()),
      );
      const message = this.message('Do it all', ...turns, say('Done'));
      const ended = await this.client.runToEnd(
        { message, mode: 'max' },
        session === undefined ? {} : { session },
      );
      session = ended.session;
    }
    return session ?? '';
  }

  /** A page at a session, when it has all of its events. It streams: its network is never idle. */
  async page(
    session: string,
    { look = '', ...options }: PageOptions & { readonly look?: string } = {},
  ): Promise<Page> {
    const page = await this.console.page(options);
    await page.goto(`${this.console.origin}/console/sessions/${session}${look}`);
    await page
      .locator('section[aria-label^="State at event"][aria-busy="false"]')
      .waitFor({ state: 'attached' });
    return page;
  }

  async close(): Promise<void> {
    await this.console.close();
    await this.model.close();
  }

  async start(
    body: object,
    session?: string,
  ): Promise<{ readonly session: string; readonly run_id: string }> {
    const path = session === undefined ? '/' : `/?session=${session}`;
    const answer = await this.client.post(path, { ...body, background: true });
    return answer.json();
  }

  /** Waits until somebody is asked in the session. @returns the action's id */
  async action(session: string): Promise<string> {
    for (;;) {
      const open = await this.client.get(`/actions?status=open&session=${session}`);
      const [action] = open.json<{ readonly items: readonly { readonly action_id: string }[] }>().items;
      if (action !== undefined) return action.action_id;
    }
  }

  /** Revision of the session's last event. */
  async head(session: string): Promise<number> {
    const accept = { accept: 'application/json' };
    const { headers } = await this.client.get(`/sessions/${session}/log?limit=1`, { headers: accept });
    return Number(headers['annals-head']);
  }

  private async answer(session: string, result: string): Promise<void> {
    const id = await this.action(session);
    await this.client.post(`/actions/${id}/resolve`, { decision: 'answer', result });
  }

  private async ended(run: string): Promise<void> {
    for (;;) {
      const { status } = (await this.client.get(`/runs/${run}`)).json<{ readonly status: string }>();
      if (status === 'completed') return;
      if (status === 'failed') throw new Error(`${run} failed`);
    }
  }
}

const tool = (name: string): object => ({
  name,
  description: 'Looks up an order.',
  parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
});
