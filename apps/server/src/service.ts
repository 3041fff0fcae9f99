import { join } from 'node:path';
import { type ModelClient, ProcessSchemas } from '#agent';
import { type Deliveries, EventStreams } from '#delivery';
import {
  type ContentKeys,
  DiskFileStore,
  type EventLog,
  type FileStore,
  RunningFollowers,
  SealedFileStore,
} from '#event-log';
import { type Knowledge, openKnowledge } from '#knowledge';
import {
  EgressGuard,
  type Logger,
  ProcessBackground,
  type SecretBox,
  type Settings,
  SystemClock,
  SystemRandom,
  closeInOrder,
} from '#platform';
import { type ReadModels, SealedContentCodec, openReadModels } from '#read-models';
import {
  type ApiKeys,
  type Core,
  type EraseSession,
  IdempotencyKeys,
  RunToolboxes,
  type TaskPauses,
  openCore,
} from '#runs';
import { KeyUsesOfTable, openApiKeys } from './open-api-keys.js';
import { openErasure } from './open-erasure.js';
import { type SealedParts, openSealed } from './open-keys.js';
import { whileWaiting } from './open-log.js';
import { modelsOf, openModel } from './open-model.js';
import { openCallbacks } from './deliveries/open-callbacks.js';
import type { Observability } from './observability/observability.js';
import { type KafkaLink, openKafka, startKafka } from './kafka/open-kafka.js';
import { type ReplicasPorts, openReplicas } from './replicas/open-replicas.js';
import type { Replicas } from './replicas/replicas.js';
import { taskClockOf, taskPausesOf } from './tasks/open-task-clock.js';
import { RequestEgress } from './runs/request-egress.js';
import { RunDoor } from './runs/run-door.js';
import { RunSurroundings } from './runs/run-command.js';
import { RunAnswers } from './runs/run-answers.js';
import { OpenStreams } from './sse/socket-sink.js';

/** Everything that runs, but for HTTP. */
export interface Service {
  readonly core: Core;
  readonly apiKeys: ApiKeys;
  readonly taskPauses: TaskPauses;
  readonly readModels: ReadModels;
  readonly replicas: Replicas;
  readonly log: EventLog;
  readonly streams: EventStreams;
  readonly openStreams: OpenStreams;
  readonly answers: RunAnswers;
  readonly surroundings: RunSurroundings;
  readonly runDoor: RunDoor;
  readonly eraseSession: EraseSession;
  readonly deliveries: Deliveries;
  /** null: there is none. */
  readonly kafka: KafkaLink | null;
  readonly knowledge: Knowledge;
  readonly uploads: DiskFileStore;
  readonly maxUploadBytes: number;
  /** What an erasure is told to reach only later. */
  readonly keyBackupDays: number;
  /** Whether it takes requests, besides those that ask how it is. */
  readonly hasApi: boolean;
  readonly observability: Observability;
  readonly followers: RunningFollowers;
  readonly clock: SystemClock;
  readonly random: SystemRandom;
  readonly logger: Logger;
  /** Ends what was started, in reverse order, all of it whatever fails. @throws what failed */
  close(graceMs: number): Promise<void>;
}

interface Foundation {
  readonly replicas: Replicas;
  readonly log: EventLog;
  readonly keys: ContentKeys;
  readonly sealed: SealedParts;
  /** Content too large for an event. */
  readonly files: FileStore;
  /** Documents. */
  readonly uploads: DiskFileStore;
  readonly schemas: ProcessSchemas;
  readonly clock: SystemClock;
  readonly random: SystemRandom;
  readonly background: ProcessBackground;
  readonly logger: Logger;
  readonly box: SecretBox;
  readonly observability: Observability;
  readonly watch: Observability['runs'];
  readonly followers: RunningFollowers;
}

/**
 * Puts the house together.
 * @param onWaiting told what is waited for while the log is not there
 * @throws SettingsRefused, LogRefused
 */
export async function openService(
  settings: Settings,
  logger: Logger,
  observability: Observability,
  onWaiting: (detail: string) => void = () => undefined,
): Promise<Service> {
  const ports = await openFoundation(settings, logger, observability, onWaiting);
  const { log, clock, random, box, schemas } = ports;
  const { roles } = settings;
  const stopping = new AbortController();
  const { replicas } = ports;
  ports.sealed.vault.makeAhead();
  const readModels = openReadModelsOn(ports, settings, replicas);
  if (roles.has('projector') && replicas.isShared)
    replicas.add('projector', () => readModels.openProjection());
  const model = await openModel(settings);
  const egress = new EgressGuard(settings.egressAllow);
  const knowledge = openKnowledgeOn(ports, egress, readModels, settings);
  const { apiKeys, mayAct, openPauses } = await openKeysOn(ports, settings, readModels, stopping.signal);
  const core = openCoreOn({ ...ports, model: model.client, mayAct }, egress, knowledge, settings, replicas);
  replicas.begin(core, readModels);
  const { contents } = core;
  const callbacks = openCallbacks({ ...ports, contents, egress, apiKeys, watched: observability.ofSender });
  if (roles.has('relay')) replicas.add('callbacks', () => callbacks.openRelay());
  if (roles.has('clock')) replicas.add('clock', taskClockOf(core, readModels, ports), { beginsRuns: true });
  if (roles.has('clock')) replicas.add('pauses', openPauses);
  const surroundings = new RunSurroundings(new RequestEgress(egress, box), knowledge.tools, schemas);
  const runDoor = new RunDoor(core.startRun, readModels.tasks, settings.maxTasksPerProject);
  const kafka = await openKafka(settings, { ...ports, contents, startRun: runDoor, surroundings });
  const stopCommands = kafka !== null && roles.has('relay') ? startKafka(kafka, replicas) : null;
  const { erasures, eraseSession } = openErasure(core, ports);
  const streams = new EventStreams(log, contents);
  const openStreams = new OpenStreams(clock);
  const answers = new RunAnswers(log, contents, streams, openStreams);
  const close = (graceMs: number): Promise<void> =>
    closeInOrder(
      () => stopCommands?.(),
      () => replicas.retire(PARTS_GRACE_MS),
      () => core.sessions.drain(graceMs),
      () => openStreams.hangUp(),
      () => replicas.end(PARTS_GRACE_MS),
      () => callbacks.close(),
      () => stopping.abort(),
      () => knowledge.close(),
      () => erasures.stop(),
      () => readModels.close(),
      () => model.close(),
      () => schemas.close(),
      () => ports.sealed.close(),
      () => observability.close(),
    );
  const { deliveries } = callbacks;
  const { uploads, followers } = ports;
  const { maxUploadBytes, keyBackupDays } = settings;
  const keys = { apiKeys, taskPauses: openPauses() };
  const parts = { ...keys, core, readModels, log, streams, openStreams, answers, surroundings, deliveries };
  const more = { runDoor, kafka, replicas, knowledge, uploads, followers, observability, maxUploadBytes };
  const erasing = { eraseSession, keyBackupDays };
  return { ...parts, ...more, ...erasing, hasApi: roles.has('api'), clock, random, logger, close };
}

async function openFoundation(
  settings: Settings,
  logger: Logger,
  observability: Observability,
  onWaiting: (detail: string) => void,
): Promise<Foundation> {
  const clock = new SystemClock();
  const random = new SystemRandom();
  const background = new ProcessBackground(logger);
  const ports = { clock, random, logger };
  const { sealed, replicas } = await openServedLog(
    settings,
    { ...ports, background, onWaiting },
    observability,
  );
  const { log, vault: keys, streams, box } = sealed;
  const uploads = await DiskFileStore.open(join(settings.dataDir, 'files'), box.derive('annals/files/v1'), {
    isAlone: log.exclusive,
  });
  const files = new SealedFileStore(uploads, streams);
  const { runs: watch } = observability;
  const followers = new RunningFollowers();
  const more = { background, observability, watch, followers, schemas: new ProcessSchemas(clock) };
  return { log, keys, sealed, replicas, files, uploads, box, ...ports, ...more };
}

/** The log and its keys, and what this process is on it, while the port says what is waited for. */
async function openServedLog(
  settings: Settings,
  ports: Omit<ReplicasPorts, 'log'> & { readonly onWaiting: (detail: string) => void },
  observability: Observability,
): Promise<{ readonly sealed: SealedParts; readonly replicas: Replicas }> {
  let replicas: Replicas | null = null;
  const observed = (log: EventLog): EventLog => observability.ofLog(log);
  const admit = async (log: EventLog) => {
    const admitted = (replicas = await openReplicas(settings, { ...ports, log }));
    return () => admitted.end(0);
  };
  const sealed = await whileWaiting(settings, ports, (onWaiting) =>
    openSealed(settings, { ...ports, onWaiting }, { observed, admit }),
  );
  if (replicas === null) throw new Error('nobody was asked whether this process may work on the log');
  return { sealed, replicas };
}

function openReadModelsOn(ports: Foundation, settings: Settings, replicas: Replicas): ReadModels {
  const { databaseUrl, dataDir, roles } = settings;
  return openReadModels({
    ...ports,
    folder: join(dataDir, 'postgres'),
    ...(databaseUrl === null ? {} : { databaseUrl }),
    contentCodec: new SealedContentCodec(ports.keys),
    isProjector: roles.has('projector') && !replicas.isShared,
    onFatal: (error) => ports.logger.error({ err: error }, 'the projection has stopped'),
  });
}

const idempotencySecretOf = (box: SecretBox): Uint8Array => box.derive('annals/idempotency/v1');

function openKnowledgeOn(
  ports: Foundation,
  egress: EgressGuard,
  readModels: ReadModels,
  settings: Settings,
): Knowledge {
  const { log, uploads, clock, random, box, logger } = ports;
  return openKnowledge({
    ...ports,
    uploads,
    egress,
    database: readModels.database,
    keys: new IdempotencyKeys(log, clock, random, idempotencySecretOf(box)),
    isIndexer: settings.roles.has('indexer'),
    maxStoredBytes: settings.maxStoredBytesPerProject,
    onFatal: (error) => logger.error({ err: error }, 'the indexer has stopped'),
  });
}

/** The keys of the callers, and what their end asks for. */
async function openKeysOn(
  ports: Foundation,
  settings: Settings,
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<{ readonly apiKeys: ApiKeys; readonly openPauses: () => TaskPauses } & Pick<CoreParts, 'mayAct'>> {
  const uses = new KeyUsesOfTable(readModels.keyUses);
  const apiKeys = await openApiKeys({ ...ports, uses }, settings, signal);
  const mayAct = (keyId: string): boolean => apiKeys.mayAct(keyId);
  return { apiKeys, mayAct, openPauses: taskPausesOf(readModels, { ...ports, mayAct }) };
}

interface CoreParts extends Foundation {
  readonly model: ModelClient;
  /** Whether what is done later may be done in the name of a key. */
  readonly mayAct: (keyId: string) => boolean;
}

function openCoreOn(
  { box, mayAct, ...ports }: CoreParts,
  egress: EgressGuard,
  knowledge: Knowledge,
  settings: Settings,
  replicas: Replicas,
): Core {
  const { clock, logger } = ports;
  const toolboxes = new RunToolboxes({ egress, clock, logger, knowledge: knowledge.tools });
  const idempotencySecret = idempotencySecretOf(box);
  const { replica } = replicas;
  const mayClaim = (): boolean => replicas.mayClaim();
  const may = { mayClaim, mayAct };
  const shares = { maxRuns: settings.maxRunsPerProject, maxQueued: settings.maxQueuedRunsPerProject };
  const options = { ...settings, models: modelsOf(settings), shares, replica, ...may, idempotencySecret };
  return openCore({ ...ports, toolboxes }, options);
}

/** For attempts of callbacks that are under way; what is cut off is sent again. */
const PARTS_GRACE_MS = 1_000;
