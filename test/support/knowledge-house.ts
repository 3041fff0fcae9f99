import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DiskFileStore, SealedEventLog, StreamKeys } from '#vault';
import { type EventLog, MemoryContentKeys, SqliteEventLog } from '#event-log';
import { type Knowledge, type KnowledgeOptions, openKnowledge } from '#knowledge';
import {
  EgressGuard,
  ProcessBackground,
  SecretBox,
  SilentLogger,
  SystemClock,
  SystemRandom,
  readEgressAllow,
} from '#platform';
import { type ReadModels, openReadModels } from '#read-models';
import { IdempotencyKeys, type Principal } from '#access';
import { datastoreProviders } from '../../apps/server/src/features/datastores/datastore-providers.js';
import { DatastoresModule } from '../../apps/server/src/features/datastores/datastores.module.js';
import { Authenticator } from '../../apps/server/src/edge/admission/authenticator.js';
import { type HttpLimits, createHttpApp, listen } from '../../apps/server/src/edge/create-http-app.js';

import { placeDatabase } from './fresh-database.js';
import { MemoryErasureCheckpoints } from './memory-erasure-checkpoints.js';

const [clock, random] = [new SystemClock(), new SystemRandom()];

/** One key for each project: `key-of-<project>`. */
class ProjectKeys extends Authenticator {
  override authenticate(key: string): Principal | null {
    const project = /^key-of-(\w+)$/.exec(key)?.[1];
    if (project === undefined) return null;
    return { keyId: `key_${project}`, project, scopes: new Set(['datastores', 'read']), isRoot: false };
  }
}

export interface KnowledgeHouseOptions {
  readonly egressAllow?: string;
  readonly maxUploadBytes?: number;
  readonly limits?: Partial<HttpLimits>;
  readonly knowledge?: Partial<KnowledgeOptions>;
}

/** Everything that datastores need, for real: a log, files, an embedded PostgreSQL and HTTP, in a folder of its own. */
export class KnowledgeHouse {
  readonly folder = mkdtempSync(join(tmpdir(), 'annals-knowledge-'));
  readonly logger = new SilentLogger();
  readonly contentKeys = new MemoryContentKeys();
  private readonly erased = new MemoryErasureCheckpoints();
  log!: EventLog;
  files!: DiskFileStore;
  models!: ReadModels;
  knowledge!: Knowledge;
  origin = '';
  private app: NestFastifyApplication | null = null;
  private background!: ProcessBackground;

  private constructor(private options: KnowledgeHouseOptions) {}

  static async open(options: KnowledgeHouseOptions = {}): Promise<KnowledgeHouse> {
    const house = new KnowledgeHouse(options);
    await placeDatabase(house.folder);
    await house.start();
    return house;
  }

  /** From the next start on. */
  useKnowledge(knowledge: Partial<KnowledgeOptions>): void {
    this.options = { ...this.options, knowledge };
  }

  async start(): Promise<void> {
    const { folder, logger, options } = this;
    const background = new ProcessBackground(logger);
    this.background = background;
    const { contentKeys, erased } = this;
    const log = { folder: join(folder, 'log'), logger, reserveBytes: 0, keys: contentKeys };
    const plain = await SqliteEventLog.open(log);
    this.log = new SealedEventLog(plain, new StreamKeys(plain, contentKeys));
    this.files = await DiskFileStore.open(join(folder, 'files'), new Uint8Array(32));
    const metadataSecret = new Uint8Array(32);
    const ports = { log: this.log, files: this.files, clock, random, background, logger, metadataSecret };
    this.models = openReadModels({ ...ports, folder: join(folder, 'postgres') });
    await this.models.ready;
    const keys = new IdempotencyKeys(this.log, clock, random, new Uint8Array(32));
    const box = new SecretBox(Buffer.alloc(32, 1));
    const egress = new EgressGuard(readEgressAllow(options.egressAllow ?? ''));
    const { database } = this.models;
    this.knowledge = openKnowledge({
      ...ports,
      uploads: this.files,
      database,
      box,
      contentKeys,
      erased,
      keys,
      egress,
      ...options.knowledge,
    });
    await this.listen();
  }

  async stop(): Promise<void> {
    this.app?.getHttpServer().closeAllConnections();
    await this.app?.close();
    await this.knowledge.close();
    await this.models.close();
    await this.log.close();
    await this.background.settled();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  /** Cuts all connections. */
  hangUp(): void {
    this.app?.getHttpServer().closeAllConnections();
  }

  /** Files below a folder of the file store, drafts included. */
  filesOnDisk(): string[] {
    return readdirSync(join(this.folder, 'files'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  }

  private async listen(): Promise<void> {
    const { maxUploadBytes = 50 * 1024 * 1024 } = this.options;
    const providers = [
      ...datastoreProviders(this.knowledge, this.files, maxUploadBytes),
      { provide: Authenticator, useClass: ProjectKeys },
    ];
    @Module({ providers, exports: providers })
    class PartsModule {}
    const datastores = { module: DatastoresModule, imports: [PartsModule] };
    const settings = { maxBodyBytes: 65_536, rateLimitRpm: 1_000_000 };
    const { limits = {} } = this.options;
    this.app = await createHttpApp(datastores, {
      settings,
      logger: this.logger,
      clock,
      random,
      limits,
    });
    this.origin = await listen(this.app, { host: '127.0.0.1', port: 0 });
  }
}
