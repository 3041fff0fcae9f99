import { Driver, ModelTurn, RunRecord, RunWriter, type Tool } from '#agent';
import { ContextFold, type RunConfig, type RunRequest, newRun } from '#domain';
import { WorkflowRuns } from '#workflow';
import { ContentStore, type FileStore, MemoryFileStore } from '#vault';
import { type Logger, SilentLogger } from '#platform';
import { JournalFixture } from './journal-fixture.js';
import { type ClientScript, ScriptedClient } from './scripted-client.js';
import { runRequest } from './session-tape.js';
import type { TempLog } from './temp-log.js';
import { LOCAL_SCHEMAS } from './local-schemas.js';

export interface DriveOptions {
  readonly script: ClientScript;
  readonly tools?: readonly Tool[];
  readonly request?: Partial<RunRequest>;
  readonly maxSteps?: number;
  readonly logger?: Logger;
  readonly files?: FileStore;
}

/** A run that a driver brings to its end, on a real log, with a scripted model. */
export class DriveFixture {
  readonly model: ScriptedClient;
  readonly controller = new AbortController();
  readonly context = new ContextFold();
  readonly driver: Driver;
  readonly record: RunRecord;

  private constructor(
    readonly at: JournalFixture,
    private readonly temp: TempLog,
    options: DriveOptions,
  ) {
    this.model = new ScriptedClient(options.script);
    const { clock, random, journal, session, run } = at;
    const abort = (reason: Error) => this.controller.abort(reason);
    const writer = new RunWriter(at.writer.claim, at.writer.meta, abort);
    const contents = new ContentStore(options.files ?? new MemoryFileStore());
    const request = runRequest(run, options.request);
    this.context.begin(request, at.startedAt);
    const limits = { maxSteps: options.maxSteps ?? 25, runTimeoutMs: 600_000 };
    const turn = new ModelTurn(this.model, clock, random);
    const toolbox = { tools: options.tools ?? [], close: () => Promise.resolve() };
    this.record = new RunRecord({
      session,
      journal,
      writer,
      contents,
      state: newRun({ ...request, config: request.config as RunConfig }),
      context: this.context,
      workflows: new WorkflowRuns([]),
    });
    const { logger = new SilentLogger() } = options;
    const ports = { clock, logger, turn, schemas: LOCAL_SCHEMAS, limits };
    this.driver = new Driver(ports, this.record, toolbox, this.controller);
  }

  static async open(temp: TempLog, session: string, options: DriveOptions): Promise<DriveFixture> {
    return new DriveFixture(await JournalFixture.open(temp, session, options.request), temp, options);
  }

  /**
   * What is on the log behind the first four events: the type, and the data as JSON text where there is any, but for how
   * long a request was.
   */
  async lines(): Promise<string[]> {
    const events = (await this.temp.read(this.at.stream)).slice(4);
    return events
      .map(({ type, json }) => (json === '{}' ? type : `${type} ${json}`))
      .map((line) => line.replace(/"request_chars":\d+,/, ''));
  }

  /** Resolves when an event of this type is on the log. */
  async heard(type: string): Promise<void> {
    while (!this.at.heard.flat().some((event) => event.type === type)) await new Promise(setImmediate);
  }
}
