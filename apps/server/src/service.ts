import { join } from 'node:path';
import { type ModelClient, OpenAiModelClient } from '#agent';
import { type Deliveries, EventStreams } from '#delivery';
import { startDemoModel } from '#demo-model';
import { DiskFileStore, type EventLog } from '#event-log';
import {
  EgressGuard,
  type Logger,
  ProcessBackground,
  type SecretBox,
  type Settings,
  SystemClock,
  SystemRandom,
  openSecretBox,
} from '#platform';
import { type ReadModels, ReadModelsUnavailable, openReadModels } from '#read-models';
import { ApiKeys, type Core, type KeySnapshot, RunToolboxes, openCore } from '#runs';
import { openLog } from './open-log.js';
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
  readonly deliveries: Deliveries;
  readonly clock: SystemClock;
  readonly random: SystemRandom;
  /** Ends what was started, in reverse order. */
  close(graceMs: number): Promise<void>;
}

/** The name of an embedded process: it is alone on its log. */
const REPLICA = 'embedded';

/** Puts the house together. @throws SettingsRefused, LogRefused */
export async function openService(settings: Settings, logger: Logger): Promise<Service> {
  const clock = new SystemClock();
  const random = new SystemRandom();
  const background = new ProcessBackground(logger);
  const { dataDir } = settings;
  const box = openSecretBox(dataDir, settings.masterKey);
  const log = await openLog(settings, { clock, random, logger });
  const files = await DiskFileStore.open(join(dataDir, 'files'), box.derive('annals/files/v1'));
  const ports = { log, files, clock, random, background, logger };
  const stopping = new AbortController();
  const readModels = openReadModels({
    ...ports,
    folder: join(dataDir, 'postgres'),
    ...(settings.databaseUrl === null ? {} : { databaseUrl: settings.databaseUrl }),
    onFatal: (error) => logger.error({ err: error }, 'the projection has stopped'),
  });
  const model = await openModel(settings);
  const egress = new EgressGuard(settings.egressAllow);
  const toolboxes = new RunToolboxes({ egress, clock, logger });
  const core = openCore(
    { ...ports, model: model.client, toolboxes },
    {
      ...settings,
      models: modelsOf(settings),
      replica: REPLICA,
      idempotencySecret: box.derive('annals/idempotency/v1'),
    },
  );
  const apiKeys = new ApiKeys(
    { log, clock, random, box, background },
    {
      ...settings,
      load: () => Promise.race([loadKeys(readModels), clock.sleep(KEYS_PATIENCE_MS).then(() => NO_KEYS)]),
    },
  );
  await apiKeys.start(stopping.signal, showKey);
  core.recovery.start({ sessions: () => readModels.unfinishedSessions() });
  const streams = new EventStreams(log, core.contents);
  const callbacks = openCallbacks({
    ...ports,
    contents: core.contents,
    box,
    egress,
    apiKeys,
    isRelay: settings.roles.has('relay'),
  });
  const { deliveries } = callbacks;
  const taskClock = openTaskClock(core, readModels, ports);
  if (settings.roles.has('clock')) taskClock.start();
  const openStreams = new OpenStreams(clock);
  const answers = new RunAnswers(log, core.contents, streams, openStreams);
  const close = async (graceMs: number): Promise<void> => {
    await taskClock.stop();
    await core.sessions.drain(graceMs);
    openStreams.hangUp();
    await callbacks.close(CALLBACKS_GRACE_MS);
    stopping.abort();
    await readModels.close();
    await model.close();
    await log.close();
  };
  const parts = { core, apiKeys, readModels, log, streams, openStreams, answers, egress, box, deliveries };
  return { ...parts, clock, random, close };
}

/** Attempts under way; what is cut off is sent again. */
const CALLBACKS_GRACE_MS = 1_000;
const KEYS_PATIENCE_MS = 3_000;
const NO_KEYS: KeySnapshot = { keys: [], position: 0 };

/** The keys as the read models have them; where they do not answer, the log is read from its start. */
async function loadKeys(readModels: ReadModels): Promise<KeySnapshot> {
  try {
    await readModels.ready;
    await readModels.caughtUp();
    const { position } = readModels.follower;
    const stored = await readModels.apiKeys.all();
    const keys = stored.map((key) => ({
      ...key,
      webhookSecret: key.sealedWebhookSecret,
      createdAt: Date.parse(key.created_at),
    }));
    return { keys, position };
  } catch (error) {
    if (error instanceof ReadModelsUnavailable) return NO_KEYS;
    throw error;
  }
}

/** The demo model has one name, and costs nothing. */
const modelsOf = ({ openai, models }: Settings): Settings['models'] =>
  openai === null ? { flash: 'demo', base: 'demo', max: 'demo' } : models;

interface OpenModel {
  readonly client: ModelClient;
  close(): Promise<void>;
}

async function openModel({ openai }: Settings): Promise<OpenModel> {
  if (openai !== null) {
    const client = new OpenAiModelClient({ baseUrl: openai.baseUrl, apiKey: openai.apiKey ?? '' });
    return { client, close: () => client.close() };
  }
  const demo = await startDemoModel();
  const client = new OpenAiModelClient({ baseUrl: demo.url, apiKey: '' });
  return { client, close: () => client.close().then(() => demo.close()) };
}

/** On the terminal and nowhere else: not a log line, which may be kept. */
function showKey(key: string): void {
  process.stderr.write(`\nThe first admin key, shown this once:\n\n  ${key}\n\n`);
}
