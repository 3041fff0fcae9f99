import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ScriptedTurn, say } from './scripted-model.js';
import { Stage } from './stage.js';
import { until } from './until.js';

const PRICES = { priced: { input: '2', output: '10', cached_input: '0.5', cache_write: '2.5' } };
export const JSON_ANSWER = { headers: { accept: 'application/json' } };
/** A tool that the caller carries out. */
export const LOOK = { name: 'look', description: 'looks', parameters: { type: 'object' } };

export interface PaidRun {
  readonly run_id: string;
  readonly session: string;
  readonly status: string;
  readonly cost: string;
  readonly usage: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly error?: { readonly code: string };
}

export interface AskedAction {
  readonly action_id: string;
  readonly kind: string;
  readonly status: string;
  readonly asked: Readonly<Record<string, string>>;
  readonly actor: string;
  readonly decision: string;
}

type Key = { readonly id: string; readonly key: string };

/** A turn of 1,000 tokens in and 100 out: 0.003 dollars. */
export const paidTurn = (...steps: Parameters<typeof say>): ScriptedTurn => ({
  ...say(...steps),
  usage: { input: 1000, output: 100 },
});

/** A service whose models `base` and `max` have a price, and whose `flash` has none. */
export class MoneyStage {
  private constructor(
    readonly stage: Stage,
    private readonly folder: string,
  ) {}

  static async open(): Promise<MoneyStage> {
    const folder = mkdtempSync(join(tmpdir(), 'annals-prices-'));
    const file = join(folder, 'prices.json');
    writeFileSync(file, JSON.stringify(PRICES));
    const models = { MODEL_BASE: 'priced', MODEL_MAX: 'priced-2026-01-01', MODEL_FLASH: 'free' };
    return new MoneyStage(await Stage.open({ env: { ...models, MODEL_PRICES: file } }), folder);
  }

  async close(): Promise<void> {
    await this.stage.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async run(id: string, key?: Key): Promise<PaidRun> {
    return (await this.stage.client.get(`/runs/${id}`, as(key))).json<PaidRun>();
  }

  /** Starts a run and waits for its end. */
  async start(body: object): Promise<PaidRun> {
    return (await this.stage.client.post('/', body, JSON_ANSWER)).json<PaidRun>();
  }

  /** Starts a run in the background. */
  async begin(body: object, key?: Key): Promise<PaidRun> {
    return (await this.stage.client.post('/', { ...body, background: true }, as(key))).json<PaidRun>();
  }

  untilIs(id: string, status: string, key?: Key): Promise<void> {
    return until(async () => (await this.run(id, key)).status === status);
  }

  async usage(query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { json } = { json: (await this.stage.client.get(`/usage${query}`)).text };
    return (JSON.parse(json) as { items: Readonly<Record<string, unknown>>[] }).items;
  }

  /** Answers calls of the run's tool until it waits for a budget. */
  async untilBudget(run: string, key?: Key): Promise<AskedAction> {
    const { client } = this.stage;
    for (;;) {
      let action: AskedAction | undefined;
      await until(async () => {
        const page = await client.get(`/actions?run=${run}&status=open`, as(key));
        [action] = page.json<{ items: AskedAction[] }>().items;
        return action !== undefined;
      });
      if (action!.kind === 'budget') return action!;
      const path = `/actions/${action!.action_id}`;
      await client.post(`${path}/resolve`, { decision: 'answer', result: 1 }, as(key));
      await until(async () => {
        const { items } = (await client.get(`/actions?run=${run}&status=open`, as(key))).json<{
          items: AskedAction[];
        }>();
        return !items.some(({ action_id }) => action_id === action!.action_id);
      });
    }
  }

  async newKey(project: string): Promise<Key> {
    const wish = { name: 'k', scopes: ['run', 'read', 'admin'], project };
    return (await this.stage.client.post('/api-keys', wish)).json<Key>();
  }
}

/** What is sent in the name of a key; absent: of the first admin key. */
export const as = (key?: Key) =>
  key === undefined
    ? JSON_ANSWER
    : { headers: { ...JSON_ANSWER.headers, authorization: `Bearer ${key.key}` } };
