import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Content, type SessionEvent, sessionStream } from '#domain';
import {
  type EventLog,
  type EventMeta,
  type MemoryContentKeys,
  type NewEvent,
  SqliteEventLog,
  newEvent,
} from '#event-log';
import { MemoryFileStore, SealedEventLog, StreamKeys } from '#vault';
import { Logger, ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { type ReadModels, SealedContentCodec, openReadModels, rebuildReadModels } from '#read-models';

/** Remembers what was logged. */
/** Any. */
export const METADATA_SECRET = new Uint8Array(32);

export class KeptLogger extends Logger {
  readonly lines: { level: string; message: string; fields: object }[] = [];
  override debug(): void {}
  override info(fields: object, message: string): void {
    this.lines.push({ level: 'info', message, fields });
  }
  override warn(fields: object, message: string): void {
    this.lines.push({ level: 'warn', message, fields });
  }
  override error(fields: object, message: string): void {
    this.lines.push({ level: 'error', message, fields });
  }

  says(part: string): boolean {
    return this.lines.some((line) => line.message.includes(part));
  }
}

export const PROJECT = 'default';

/** A log on disk and read models of a real PostgreSQL, in a folder of their own. */
export interface Fixture {
  readonly folder: string;
  readonly log: EventLog;
  readonly files: MemoryFileStore;
  readonly metadataSecret: Uint8Array;
  readonly logger: KeptLogger;
  readonly models: ReadModels;
  /** Ends the read models and opens them again on the same folder. */
  reopen(between?: () => void | Promise<void>): Promise<ReadModels>;
  /** Ends them, makes their tables anew from the log, and opens them again. */
  rebuild(): Promise<ReadModels>;
  close(): Promise<void>;
}

/** @param keys absent: nothing is sealed */
export async function openFixture(keys?: MemoryContentKeys): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-read-models-'));
  const plain = await SqliteEventLog.open({
    folder: join(folder, 'log'),
    logger: new SilentLogger(),
    reserveBytes: 0,
    ...(keys && { keys }),
  });
  const log = keys ? new SealedEventLog(plain, new StreamKeys(plain, keys)) : plain;
  const files = new MemoryFileStore();
  const logger = new KeptLogger();
  const background = new ProcessBackground(logger);
  const ports = {
    folder: join(folder, 'postgres'),
    log,
    files,
    metadataSecret: METADATA_SECRET,
    logger,
    background,
    clock: new SystemClock(),
    random: new SystemRandom(),
    ...(keys && { contentCodec: new SealedContentCodec(keys) }),
  };
  const open = (): ReadModels => openReadModels(ports);
  const fixture = {
    folder,
    log,
    files,
    metadataSecret: METADATA_SECRET,
    logger,
    models: open(),
    reopen: async (between?: () => void | Promise<void>) => {
      await fixture.models.close();
      await between?.();
      fixture.models = open();
      await fixture.models.ready;
      return fixture.models;
    },
    rebuild: () => fixture.reopen(async () => void (await rebuildReadModels(ports))),
    close: async () => {
      await fixture.models.close();
      await log.close();
      await background.settled();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
  await fixture.models.ready;
  return fixture;
}

const random = new SystemRandom();

/** An event of a session whose envelope names the run. */
export type Step = SessionEvent & { readonly run?: string };

export function encoded(
  steps: readonly Step[],
  { time = 1_763_715_600_000, project = PROJECT } = {},
): NewEvent[] {
  const metas = new Map<string, EventMeta>();
  return steps.map(({ run, type, data }, i) => {
    const meta = metas.get(run ?? '') ?? { schemaVersion: 1, project, actor: 'key_1', ...(run && { run }) };
    metas.set(run ?? '', meta);
    return newEvent({ id: random.uuid(), type, time: time + i, data }, meta);
  });
}

export async function append(log: EventLog, session: string, steps: readonly Step[]): Promise<void> {
  const result = await log.append(sessionStream(session), encoded(steps), { expected: 'any' });
  if (result.kind !== 'appended') throw new Error('the append met a conflict');
}

let sessions = 0;
/** A session that no other test of this file uses. */
export const newSession = (): string => `ses_${(sessions += 1)}x${random.hex(4)}`;

export const requested = (run: string, message: Content): Step => ({
  type: 'run_requested',
  run,
  data: {
    message,
    mode: 'base',
    model: 'demo',
    config: {},
    trigger: 'request',
    replica: 'r1',
  },
});

export const claimed = (run: string, at: number, isCancelled = false): Step => ({
  type: 'run_claimed',
  run,
  data: { worker: 'w1', epoch: 1, requested: at, ...(isCancelled && { isCancelled: true as const }) },
});

type Named<E> = E extends SessionEvent
  ? Record<string, never> extends E['data']
    ? E['type']
    : never
  : never;
/** Events that may say nothing besides what they are. */
type EmptyType = Named<SessionEvent>;

export const event = (type: EmptyType, run?: string): Step => ({
  type,
  data: {},
  ...(run !== undefined && { run }),
});

export const said = (run: string, content: string): Step => ({
  type: 'agent_response',
  run,
  data: { content },
});

export const thought = (run: string, content: string): Step => ({
  type: 'agent_thinking',
  run,
  data: { content },
});

export const used = (run: string, content: string): Step => ({
  type: 'agent_tool_use',
  run,
  data: { content },
});

export const turn = (run: string, cost = '0.001'): Step => ({
  type: 'model_turn_completed',
  run,
  data: { usage: { input_tokens: 10, output_tokens: 5 }, cost, finish_reason: 'stop' },
});

export const costs = (run: string, cost: string): Step => ({ type: 'agent_cost', run, data: { cost } });

/** A new session with a run that has started. */
export const opening = (run: string, message: string): Step[] => [
  event('session_opened', run),
  requested(run, message),
  claimed(run, 1),
  event('agent_started', run),
];

/** A run that answers in one streamed block. */
export const answer = (run: string, pieces: readonly string[]): Step[] => [
  event('agent_response_start', run),
  ...pieces.map((piece) => said(run, piece)),
  turn(run),
  { type: 'agent_step', run, data: { step: '1' } },
  costs(run, '0.001'),
  event('agent_completed', run),
];
