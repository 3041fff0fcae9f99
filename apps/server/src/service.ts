import { join } from 'node:path';
import type { ModelClient } from '#agent';
import { type Deliveries, EventStreams } from '#delivery';
import {
  type ContentKeys,
  DiskFileStore,
  type EventLog,
  type FileStore,
  type KeyStore,
  SealedFileStore,
  type StreamKeys,
} from '#event-log';
import {
  EgressGuard,
  type Logger,
  ProcessBackground,
  type SecretBox,
  type Settings,
  SystemClock,
  SystemRandom,
} from '#platform';
import { type ReadModels, SealedContentCodec, openReadModels } from '#read-models';
import { type ApiKeys, type Core, EraseSession, Erasures, RunToolboxes, openCore } from '#runs';
import { openApiKeys } from './open-api-keys.js';
import { openSealed } from './open-keys.js';
import { modelsOf, openModel } from './open-model.js';
import { openCallbacks } from './deliveries/open-callbacks.js';
import { openTaskClock } from './tasks/open-task-clock.js';
import { RunAnswers } from './runs/run-answers.js';
import { OpenStreams } from './sse/socket-sink.js';

/** Everything that runs, but for HTTP. */
export interface Service {
  readonly core: Core;
  readonly apiKeys: ApiKeys;
  readonly readModels: ReadModels;
  readonly log: EventLog;
  readonly streams: EventStreams;
  readonly openStreams: OpenStreams;
  readonly answers: RunAnswers;
  readonly egress: EgressGuard;
  readonly box: SecretBox;
  readonly eraseSession: EraseSession;
  readonly deliveries: Deliveries;
  readonly clock: SystemClock;
  readonly random: SystemRandom;
  /** Ends what was started, in reverse order. */
  close(graceMs: number): Promise<void>;
}

/** The name of an embedded process: it is alone on its log. */
const REPLICA = 'embedded';

interface Foundation {
  readonly log: EventLog;
  readonly keys: ContentKeys;
  readonly keyStore: KeyStore;
  readonly streamKeys: StreamKeys;
  /** Closes the log and its keys. */
  readonly closeLog: () => Promise<void>;
  readonly files: FileStore;
  readonly clock: SystemClock;
  readonly random: SystemRandom;
  readonly background: ProcessBackground;
  readonly logger: Logger;
  readonly box: SecretBox;
}

/** Puts the house together. @throws SettingsRefused, LogRefused */
export async function openService(settings: Settings, logger: Logger): Promise<Service> {
  const ports = await openFoundation(settings, logger);
  const { log, clock, random, box } = ports;
  const stopping = new AbortController();
  const readModels = openReadModels({
    ...ports,
    folder: join(settings.dataDir, 'postgres'),
    ...(settings.databaseUrl === null ? {} : { databaseUrl: settings.databaseUrl }),
    contentCodec: new SealedContentCodec(ports.keys),
    onFatal: (error) => logger.error({ err: error }, 'the projection has stopped'),
  });
  const model = await openModel(settings);
  const egress = new EgressGuard(settings.egressAllow);
  const core = openCoreOn({ ...ports, model: model.client }, egress, settings);
  const apiKeys = await openApiKeys(ports, settings, readModels, stopping.signal);
  core.recovery.start({ sessions: () => readModels.unfinishedSessions() });
  const { contents } = core;
  const isRelay = settings.roles.has('relay');
  const callbacks = openCallbacks({ ...ports, contents, egress, apiKeys, isRelay });
  const taskClock = openTaskClock(core, readModels, ports);
  if (settings.roles.has('clock')) taskClock.start();
  const { erasures, eraseSession } = openErasure(core, ports);
  const streams = new EventStreams(log, contents);
  const openStreams = new OpenStreams(clock);
  const answers = new RunAnswers(log, contents, streams, openStreams);
  const close = async (graceMs: number): Promise<void> => {
    await taskClock.stop();
    await core.sessions.drain(graceMs);
    openStreams.hangUp();
    await callbacks.close(CALLBACKS_GRACE_MS);
    stopping.abort();
    await erasures.stop();
    await readModels.close();
    await model.close();
    await ports.closeLog();
  };
  const { deliveries } = callbacks;
  const doors = { streams, openStreams, answers, egress, box, deliveries, eraseSession };
  return { core, apiKeys, readModels, log, ...doors, clock, random, close };
}

async function openFoundation(settings: Settings, logger: Logger): Promise<Foundation> {
  const clock = new SystemClock();
  const random = new SystemRandom();
  const sealed = await openSealed(settings, { clock, random, logger });
  const { log, vault: keys, store: keyStore, streams: streamKeys, box, close: closeLog } = sealed;
  keys.makeAhead();
  const disk = await DiskFileStore.open(join(settings.dataDir, 'files'), box.derive('annals/files/v1'));
  const files = new SealedFileStore(disk, streamKeys);
  const background = new ProcessBackground(logger);
  return { log, keys, keyStore, streamKeys, closeLog, files, clock, random, background, logger, box };
}

/** What carries out erasures, started. */
function openErasure(core: Core, ports: Foundation): { erasures: Erasures; eraseSession: EraseSession } {
  const erasures = new Erasures({ ...ports, progress: ports.keyStore });
  erasures.start();
  const { sessions, commands, tasks } = core;
  const { log, clock, streamKeys: streams } = ports;
  const eraseSession = new EraseSession({ log, clock, streams, sessions, commands, tasks, erasures });
  return { erasures, eraseSession };
}

function openCoreOn(
  { box, ...ports }: Foundation & { readonly model: ModelClient },
  egress: EgressGuard,
  settings: Settings,
): Core {
  const toolboxes = new RunToolboxes({ egress, clock: ports.clock, logger: ports.logger });
  const idempotencySecret = box.derive('annals/idempotency/v1');
  const options = { ...settings, models: modelsOf(settings), replica: REPLICA, idempotencySecret };
  return openCore({ ...ports, toolboxes }, options);
}

/** Attempts under way; what is cut off is sent again. */
const CALLBACKS_GRACE_MS = 1_000;
