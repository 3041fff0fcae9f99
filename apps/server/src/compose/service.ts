import { join } from 'node:path';
import type { ModelClient, PriceList, SpendingLimits } from '#agent';
import type { ProjectId } from '#domain';
import type { Deliveries } from '#delivery';
import type { DiskFileStore } from '#vault';
import type { EventLog, RunningFollowers } from '#event-log';
import { type Knowledge, openKnowledge } from '#knowledge';
import {
  EgressGuard,
  type Logger,
  type SecretBox,
  type Settings,
  type SystemClock,
  type SystemRandom,
  closeInOrder,
} from '#platform';
import { type ReadModels, SealedContentCodec, openReadModels } from '#read-models';
import { type ApiKeys, type Budgets, IdempotencyKeys } from '#access';
import {
  type ActionCommands,
  type Core,
  type EraseSession,
  RunToolboxes,
  type TaskPauses,
  openCore,
} from '#runs';
import { openActions } from './open-actions.js';
import { openKeysOn } from './open-access.js';
import { openBudgets } from './open-budgets.js';
import { openPrices } from './open-prices.js';
import { type Proof, openProof } from './open-proof.js';
import { metadataSecretOf } from './open-keys.js';
import { FatalParts } from './fatal-parts.js';
import { openErasure } from './open-erasure.js';
import { type Foundation, openFoundation } from './open-foundation.js';
import { modelsOf, openModel } from './open-model.js';
import { openCallbacks } from './open-callbacks.js';
import type { Observability } from '../observability/observability.js';
import { type KafkaLink, openKafka, startKafka } from './open-kafka.js';
import { type Answering, answeringOf } from './open-answering.js';
import type { Replicas } from './replicas/replicas.js';
import { taskClockOf } from './open-task-clock.js';
import { RequestEgress } from '../features/runs/shared/request-egress.js';
import { RunSubmission } from '../features/runs/run-submission.js';
import { RunSurroundings } from '../features/runs/run-command.js';

/** Everything that runs, but for HTTP. */
export interface Service extends Answering {
  readonly core: Core;
  readonly apiKeys: ApiKeys;
  readonly proof: Proof;
  readonly taskPauses: TaskPauses;
  readonly actions: ActionCommands;
  readonly readModels: ReadModels;
  readonly replicas: Replicas;
  readonly fatal: FatalParts;
  readonly log: EventLog;
  readonly surroundings: RunSurroundings;
  readonly runSubmission: RunSubmission;
  readonly budgets: Budgets;
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

/**
 * Composition root: opens all parts in the order in which they need each other.
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
  const { log, clock, random, box, replicas, schemas, uploads, followers } = ports;
  const { roles, maxUploadBytes, keyBackupDays } = settings;
  const stopping = new AbortController();
  ports.sealed.vault.makeAhead();
  const readModels = openReadModelsOn(ports, settings, replicas);
  const model = await openModel(settings);
  const egress = new EgressGuard(settings.egressAllow);
  const fatal = new FatalParts(logger, (name) => replicas.giveUp(name));
  const knowledge = openKnowledgeOn(ports, egress, readModels, settings, fatal);
  const access = await openKeysOn(ports, settings, readModels, stopping.signal);
  const { apiKeys, mayAct, openPauses } = access;
  const proof = await openProofOn(ports, settings, readModels, stopping.signal);
  const money = await openMoneyOn({ ...ports, apiKeys }, readModels, settings, stopping.signal);
  const driven = { ...ports, ...money, model: model.client, mayAct };
  const core = openCoreOn(driven, egress, knowledge, settings, replicas);
  replicas.begin(core, readModels);
  const telling = { ...ports, contents: core.contents, receipts: proof.receipts };
  const sending = { ...telling, egress, apiKeys, watched: observability.ofSender };
  const callbacks = openCallbacks({ ...sending, onFatal: fatal.of('callbacks') });
  if (roles.has('relay')) replicas.add('callbacks', () => callbacks.openRelay());
  if (roles.has('clock')) addClocks(core, readModels, { ...ports, openPauses, onFatal: fatal.of('clock') });
  const actions = openActions(core, readModels, { ...ports, ...money, roles });
  const surroundings = new RunSurroundings(new RequestEgress(egress, box), knowledge.tools, schemas);
  const runSubmission = submissionOf(core, readModels, money.budgets, settings);
  const kafka = await openKafka(settings, { ...telling, startRun: runSubmission, surroundings });
  const stopCommands = kafka !== null && roles.has('relay') ? startKafka(kafka, replicas) : null;
  const { erasures, eraseSession } = openErasure(core, readModels, { ...ports, fatal });
  const answering = answeringOf(ports, core.contents, settings, proof);
  const close = (graceMs: number): Promise<void> =>
    closeInOrder(
      () => ports.attempts.close(),
      () => stopCommands?.(),
      () => replicas.retire(PARTS_GRACE_MS),
      () => core.sessions.drain(graceMs),
      () => answering.openStreams.hangUp(),
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
  const keys = { apiKeys, proof, taskPauses: openPauses() };
  const parts = { ...keys, ...answering, ...money, actions, core, readModels, log, surroundings };
  const more = { runSubmission, kafka, replicas, fatal, knowledge, observability, maxUploadBytes };
  const rest = { deliveries: callbacks.deliveries, uploads, followers, eraseSession, keyBackupDays };
  return { ...parts, ...more, ...rest, hasApi: roles.has('api'), clock, random, logger, close };
}

/** What fires tasks, and what pauses those of keys that end. */
function addClocks(
  core: Core,
  readModels: ReadModels,
  {
    openPauses,
    ...ports
  }: Parameters<typeof taskClockOf>[2] & Foundation & { readonly openPauses: () => TaskPauses },
): void {
  ports.replicas.add('clock', taskClockOf(core, readModels, ports), { beginsRuns: true });
  ports.replicas.add('pauses', openPauses);
}

const submissionOf = (
  { startRun }: Core,
  { tasks }: ReadModels,
  budgets: Budgets,
  settings: Settings,
): RunSubmission =>
  new RunSubmission(startRun, tasks, settings.maxTasksPerProject, budgets, modelsOf(settings));

/** The tables, which are filled from then on. */
function openReadModelsOn(ports: Foundation, settings: Settings, replicas: Replicas): ReadModels {
  const { databaseUrl, dataDir, roles } = settings;
  const readModels = openReadModels({
    ...ports,
    folder: join(dataDir, 'postgres'),
    ...(databaseUrl === null ? {} : { databaseUrl }),
    contentCodec: new SealedContentCodec(ports.keys),
    metadataSecret: metadataSecretOf(ports.box),
    isProjector: roles.has('projector') && !replicas.isShared,
    onFatal: (error) => ports.logger.error({ err: error }, 'the projection has stopped'),
  });
  if (roles.has('projector') && replicas.isShared)
    replicas.add('projector', () => readModels.openProjection());
  return readModels;
}

const idempotencySecretOf = (box: SecretBox): Uint8Array => box.derive('annals/idempotency/v1');

function openKnowledgeOn(
  ports: Foundation,
  egress: EgressGuard,
  readModels: ReadModels,
  settings: Settings,
  fatal: FatalParts,
): Knowledge {
  const { log, uploads, clock, random, box, sealed } = ports;
  return openKnowledge({
    ...ports,
    contentKeys: ports.keys,
    erased: sealed.store,
    uploads,
    egress,
    database: readModels.database,
    keys: new IdempotencyKeys(log, clock, random, idempotencySecretOf(box)),
    isIndexer: settings.roles.has('indexer'),
    maxStoredBytes: settings.maxStoredBytesPerProject,
    documentsMemoryMb: settings.documentsMemoryMb,
    onFatal: fatal.of('indexer'),
  });
}

/** What signs; the log is sealed from then on. */
async function openProofOn(
  ports: Foundation,
  settings: Settings,
  { database }: ReadModels,
  signal: AbortSignal,
): Promise<Proof> {
  const { replicas, sealed } = ports;
  const { isShared } = replicas;
  const proof = await openProof({ ...ports, database, signed: sealed.store, isShared }, settings, signal);
  if (settings.roles.has('projector')) replicas.add('sealer', () => proof.openSealer());
  return proof;
}

/** What calls cost, and what they may. Budgets hear of the calls of this process as it stores them. */
async function openMoneyOn(
  { apiKeys, ...ports }: Foundation & { readonly apiKeys: ApiKeys },
  readModels: ReadModels,
  { modelPrices }: Settings,
  signal: AbortSignal,
): Promise<Pick<CoreParts, 'prices' | 'limits'> & { readonly budgets: Budgets }> {
  const prices = await openPrices(modelPrices, ports.logger);
  const projectOfKey = (id: string): ProjectId | null => apiKeys.projectOf(id);
  const hasProject = (project: ProjectId): boolean => apiKeys.hasProject(project);
  const budgets = await openBudgets({ ...ports, prices, projectOfKey, hasProject }, readModels, signal);
  ports.observability.onStored((events, position) => budgets.noteStored(events, position));
  return { prices, budgets, limits: budgets };
}

interface CoreParts extends Foundation {
  readonly prices: PriceList;
  readonly limits: SpendingLimits;
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
  const isAlive = (other: string): boolean => replicas.isAlive(other);
  const may = { mayClaim, mayAct, isAlive };
  const shares = { maxRuns: settings.maxRunsPerProject, maxQueued: settings.maxQueuedRunsPerProject };
  const options = { ...settings, models: modelsOf(settings), shares, replica, ...may, idempotencySecret };
  return openCore({ ...ports, toolboxes }, options);
}

/** For attempts of callbacks that are under way; what is cut off is sent again. */
const PARTS_GRACE_MS = 1_000;
