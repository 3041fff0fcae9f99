import { FixedToolboxes, type Tool, type Toolboxes } from '#agent';
import { HistoryFold } from '#projections';
import { asSessionEvent, isEndType, sessionStream } from '#domain';
import { type FileStore, MemoryFileStore } from '#vault';
import { type RecordedEvent } from '#event-log';
import { ProcessBackground, SilentLogger } from '#platform';
import { type Core, type ProjectShares, type StartRun, type StartedRun, openCore } from '#runs';
import { CountingRandom } from './counting-random.js';
import { ManualClock } from './manual-clock.js';
import { type ClientScript, ScriptedClient } from './scripted-client.js';
import { ScriptedLog } from './scripted-log.js';
import { PROJECT } from './session-tape.js';
import type { TempLog } from './temp-log.js';
import { LOCAL_SCHEMAS } from './local-schemas.js';

export interface HouseOptions {
  readonly script: ClientScript;
  readonly tools?: readonly Tool[];
  /** Instead of `tools`, where they are not the same for every run. */
  readonly toolboxes?: Toolboxes;
  readonly maxRuns?: number;
  readonly shares?: ProjectShares;
  readonly maxSteps?: number;
  readonly runTimeoutMs?: number;
  /** Of every mode; absent: one without a price for each. */
  readonly model?: string;
  /** Tokens of context in every mode. */
  readonly context?: number;
  /** Files that an earlier process wrote. */
  readonly files?: FileStore;
}

const secret = new Uint8Array(32);
export const CALLER = { project: PROJECT, actor: 'key_1' };

/** One process of the service without its doors: the real core on a real log, with a scripted model. */
export class House {
  readonly log: ScriptedLog;
  readonly clock = new ManualClock();
  readonly model: ScriptedClient;
  readonly core: Core;
  readonly errors: object[] = [];
  private readonly background: ProcessBackground;

  /** @param boot what makes this process's ids; two processes on one log have different ones */
  constructor(
    private readonly temp: TempLog,
    boot: string,
    { script, tools = [], maxRuns = 100, maxSteps = 25, model: priced, shares = {}, ...more }: HouseOptions,
  ) {
    const { files = new MemoryFileStore(), toolboxes = new FixedToolboxes(tools) } = more;
    const { runTimeoutMs = 600_000, context } = more;
    this.log = new ScriptedLog(temp.log);
    this.model = new ScriptedClient(script);
    const { errors } = this;
    class Errors extends SilentLogger {
      override error(fields?: object): void {
        if (fields) errors.push(fields);
      }
    }
    const logger = new Errors();
    this.background = new ProcessBackground(logger);
    const { log, clock, model, background } = this;
    const ports = { log, files, model, clock, background, logger, toolboxes };
    this.core = openCore(
      { ...ports, schemas: LOCAL_SCHEMAS, random: new CountingRandom(boot) },
      {
        models: { flash: priced ?? 'm-flash', base: priced ?? 'm-base', max: priced ?? 'm-max' },
        maxRuns,
        shares,
        maxSteps,
        runTimeoutMs,
        replica: 'r1',
        ...(context === undefined ? {} : { contexts: { flash: context, base: context, max: context } }),
        idempotencySecret: secret,
      },
    );
  }

  start(message: string, more: Partial<StartRun> = {}): Promise<StartedRun> {
    const config = { streaming_tokens: true };
    return this.core.startRun.start({
      ...CALLER,
      message,
      mode: 'base',
      config,
      onBusy: 'enqueue',
      trigger: 'request',
      ...more,
    });
  }

  /** Starts a run and waits for its end. */
  async run(message: string, more: Partial<StartRun> = {}): Promise<StartedRun> {
    const started = await this.start(message, more);
    await this.ended(started);
    return started;
  }

  cancel({ run }: StartedRun): Promise<void> {
    return this.core.commands.cancel(run, CALLER);
  }

  clear({ session }: Pick<StartedRun, 'session'>): Promise<void> {
    return this.core.commands.clear(session, CALLER);
  }

  /** Resolves with the event that ends the run, when this process has done everything about it. */
  async ended({ session, run }: StartedRun): Promise<RecordedEvent> {
    const end = await this.heard(session, (event) => event.meta.run === run && isEndType(event.type));
    while (this.core.sessions.active().some((s) => s.isDriving(run))) await new Promise(setImmediate);
    return end;
  }

  /** Resolves with the first event of the session that is like this, when it is on the log. */
  async heard(session: string, isWanted: (event: RecordedEvent) => boolean): Promise<RecordedEvent> {
    const stop = new AbortController();
    try {
      for await (const events of this.log.subscribeStream(sessionStream(session), { signal: stop.signal })) {
        const found = events.find(isWanted);
        if (found) return found;
      }
      throw new Error('the log was closed');
    } finally {
      stop.abort();
    }
  }

  /** Resolves when all that this process does is done. */
  settled(): Promise<void> {
    return this.background.settled();
  }

  /** The session's events, as `type` or `type run`, where `run` is one of the names given. */
  async types(session: string, names: Readonly<Record<string, StartedRun>> = {}): Promise<string[]> {
    const nameOf = new Map(Object.entries(names).map(([name, { run }]) => [run, ` ${name}`]));
    return (await this.temp.read(sessionStream(session))).map(
      (e) => e.type + (nameOf.get(e.meta.run ?? '') ?? ''),
    );
  }

  /** The session's history, as `type text`. */
  async history(session: string): Promise<string[]> {
    const lines: string[] = [];
    const fold = new HistoryFold({
      add: ({ type, pieces }) => lines.push(`${type} ${pieces.map(String).join('')}`),
      addRequest: () => lines.push('?'),
      clear: () => lines.splice(0),
    });
    for (const event of await this.temp.read(sessionStream(session))) fold.push(asSessionEvent(event));
    fold.finish();
    return lines;
  }

  /** What the model was told in its n-th request, as `role content`, without the system message. */
  told(n: number): string[] {
    const messages = this.model.requests.at(n)?.messages.slice(1) ?? [];
    return messages.map((m) => `${m.role} ${m.content}`);
  }
}
