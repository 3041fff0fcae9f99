import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '#postgres';
import { placeDatabase } from './fresh-database.js';
import { EsdbServer } from './esdb-server/esdb-server.js';
import { ScriptBook } from './script-book.js';
import { type ScriptedModel, startScriptedModel } from './scripted-model.js';
import { ServiceClient } from './service-client.js';
import { ADMIN_KEY, ServiceProcess } from './service-process.js';

export interface ClusterOptions {
  readonly replicas: number;
  readonly env?: Readonly<Record<string, string>>;
}

const MASTER_KEY = Buffer.alloc(32, 7);
/** Far more than the replicas take: a connection of one that was killed ends when the statement in it does. */
const CONNECTIONS = 100;
const UNPRICED = { MODEL_FLASH: 'scripted', MODEL_BASE: 'scripted', MODEL_MAX: 'scripted' };

/**
 * Several processes of the service on one protocol server and one PostgreSQL that are not theirs, with a folder of files
 * that they share and a model that they all ask. Owns all of it.
 */
export class Cluster {
  readonly services: ServiceProcess[] = [];
  /** Those that are stopped for now, and do not answer. */
  readonly paused = new Set<ServiceProcess>();
  private next = 0;

  private constructor(
    readonly folder: string,
    readonly server: EsdbServer,
    readonly postgres: EmbeddedPostgres,
    readonly model: ScriptedModel,
    readonly book: ScriptBook,
    private readonly databaseUrl: string,
    private readonly more: Readonly<Record<string, string>>,
  ) {}

  /** Starts the servers, and so many replicas that are ready. */
  static async open({ replicas, env = {} }: ClusterOptions): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'annals-cluster-'));
    await placeDatabase(folder);
    const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
    const postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports, CONNECTIONS);
    const { user, password, port, database } = await postgres.start();
    const url = `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
    const server = await EsdbServer.start();
    const book = new ScriptBook();
    const model = await startScriptedModel(book.script);
    const cluster = new Cluster(folder, server, postgres, model, book, url, env);
    try {
      for (let n = 0; n < replicas; n++) cluster.services.push(await cluster.prepare());
      await Promise.all(cluster.services.map((service) => service.launch()));
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** What every replica is given. */
  get env(): Record<string, string> {
    return {
      EVENTSTORE_URL: this.server.url,
      DATABASE_URL: this.databaseUrl,
      ANNALS_MASTER_KEY: MASTER_KEY.toString('base64'),
      OPENAI_BASE_URL: this.model.url,
      EGRESS_ALLOW: '127.0.0.1',
      // On a busy machine one that lives is silent for seconds: nobody is believed to be dead because of it.
      TAKEOVER_S: '600',
      ...UNPRICED,
      ...this.more,
    };
  }

  /** Where the replicas keep what is too large for an event. */
  get dataDir(): string {
    return join(this.folder, 'data');
  }

  /** Where log, keys and files are. */
  get place() {
    const { dataDir, databaseUrl, server } = this;
    return { dataDir, databaseUrl, masterKey: MASTER_KEY, eventstoreUrl: server.url };
  }

  /** A further replica, which does not run yet. */
  prepare(env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    return ServiceProcess.prepare({ dataDir: this.dataDir, env: { ...this.env, ...env } });
  }

  /** Whether any replica takes requests. */
  get isReady(): boolean {
    return this.answering.length > 0;
  }

  /** A caller whose every request goes to another of the replicas that answer. */
  client(key = ADMIN_KEY): ServiceClient {
    return new ServiceClient(() => {
      const { answering } = this;
      const service = answering[this.next++ % answering.length];
      if (service === undefined) throw new Error('no replica answers');
      return service.origin;
    }, key);
  }

  /** Ends the replicas in order, as an operator does. */
  async stopServices(): Promise<void> {
    for (const service of this.services) if (this.paused.delete(service)) service.signal('SIGCONT');
    await Promise.all(this.services.map((service) => service.kill('SIGTERM')));
  }

  async close(): Promise<void> {
    for (const service of this.paused) service.signal('SIGCONT');
    await Promise.all(this.services.map((service) => service.dispose()));
    await this.model.close();
    this.server.stop();
    await this.postgres.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  private get answering(): ServiceProcess[] {
    return this.services.filter((service) => service.isReady && !this.paused.has(service));
  }
}
