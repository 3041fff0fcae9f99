import { callError, clusterOf, notLeader, supportedMethods } from './answers.js';
import { type BatchCall, handleAppend, handleBatchAppends } from './appends.js';
import { type Fault, Faults } from './faults.js';
import { handleRead, misread, type ReadCall } from './reads.js';
import { EsdbStore } from './store.js';
import { type Drop, Subscriber } from './subscriber.js';
import {
  GossipService,
  grpc,
  type Metadata,
  type ReadReq,
  type Server,
  ServerFeaturesService,
  type ServiceError,
  StreamsService,
} from './stubs.js';

export interface EsdbServerOptions {
  /** 0 or absent: a free one. */
  readonly port?: number;
  readonly version?: string;
  readonly maxAppendBytes?: number;
  readonly firstPosition?: number;
  /** Live events that are kept for a subscriber before it is dropped. */
  readonly liveBuffer?: number;
  /** The data, shared with another server: two nodes of a cluster. */
  readonly store?: EsdbStore;
  /** A file that survives the process. */
  readonly journal?: string;
  /** Who may come; absent: everybody. */
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly tls?: { readonly key: Buffer; readonly certificate: Buffer };
  /** What gossip says of the leader's place; absent: this server. */
  readonly leader?: { readonly host: string; readonly port: number };
}

const HOST = '127.0.0.1';
const UNAUTHENTICATED = 16;
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/**
 * A server that speaks the protocol of EventStoreDB as this project understands it, for tests: with the answers that were
 * measured on a real one, and able to do on demand what a healthy one does not. It proves that reading, and nothing more.
 */
export class EsdbServer {
  readonly faults = new Faults();
  readonly store: EsdbStore;
  port: number;
  /** Calls that came, by kind. */
  readonly calls = { append: 0, unbatched: 0, read: 0, subscribe: 0, features: 0, gossip: 0 };
  private readonly subscribers = new Set<Subscriber>();
  private server: Server | null = null;

  constructor(private readonly options: EsdbServerOptions = {}) {
    const { maxAppendBytes = 1024 * 1024, firstPosition, journal, port = 0 } = options;
    this.store =
      options.store ?? new EsdbStore(maxAppendBytes, { firstPosition: firstPosition ?? 1_000, journal });
    this.port = port;
  }

  static async start(options: EsdbServerOptions = {}): Promise<EsdbServer> {
    const server = new EsdbServer(options);
    await server.start();
    return server;
  }

  get url(): string {
    const { credentials, tls } = this.options;
    const user = credentials && `${credentials.username}:${encodeURIComponent(credentials.password)}@`;
    return `esdb://${user ?? ''}${HOST}:${this.port}?tls=${tls !== undefined}`;
  }

  /** How many subscriptions there are now. */
  get subscriptions(): number {
    return this.subscribers.size;
  }

  /** Opens its port, the same as before if there was one. */
  async start(): Promise<void> {
    const server = new grpc.Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
    const streams: object = {
      batchAppend: this.guard((call: BatchCall) => {
        this.calls.append += 1;
        handleBatchAppends(this.store, this.faults, call);
      }),
      append: (call: Parameters<typeof handleAppend>[1], answer: Parameters<typeof handleAppend>[2]) => {
        this.calls.unbatched += 1;
        handleAppend(this.store, call, answer);
      },
      read: this.guard((call: ReadCall) => this.read(call)),
    };
    server.addService(
      { ...StreamsService, read: { ...StreamsService.read, responseSerialize: (bytes: Buffer) => bytes } },
      streams as Parameters<Server['addService']>[1],
    );
    server.addService(ServerFeaturesService, {
      getSupportedMethods: this.unary('features', () => supportedMethods(this.options.version ?? '23.10.6')),
    });
    server.addService(GossipService, {
      read: this.unary('gossip', () =>
        clusterOf(this.options.leader?.host ?? HOST, this.options.leader?.port ?? this.port),
      ),
    });
    this.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`${HOST}:${this.port}`, this.serverCredentials(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
    this.server = server;
  }

  /** Cuts every connection and closes the port. The data stay. */
  stop(): void {
    this.server?.forceShutdown();
    this.server = null;
    this.store.forgetRecent();
  }

  /** As after a short outage: the same port, the same data. */
  async restart(): Promise<void> {
    this.stop();
    await this.start();
  }

  dropSubscriptions(how: Drop): void {
    for (const subscriber of this.subscribers) subscriber.drop(how);
  }

  private read(call: ReadCall): void {
    const options = call.request.getOptions()!;
    const isSubscription = options.hasSubscription();
    const kind = isSubscription ? 'subscribe' : 'read';
    this.calls[kind] += 1;
    const work = (): void =>
      void (isSubscription ? this.subscribe(call, options) : handleRead(this.store, call, options));
    const fault = this.faults.next(kind);
    if (fault === undefined) work();
    else misread(call, fault, work);
  }

  private async subscribe(call: ReadCall, options: ReadReq.Options): Promise<void> {
    const { liveBuffer = 32 } = this.options;
    const subscriber: Subscriber = new Subscriber(this.store, call, options, liveBuffer, () =>
      this.subscribers.delete(subscriber),
    );
    this.subscribers.add(subscriber);
    await subscriber.start();
  }

  private guard<C extends { metadata: Metadata; emit(event: string, error: Error): unknown }>(
    handle: (call: C) => void,
  ): (call: C) => void {
    return (call) => {
      if (this.isWelcome(call.metadata)) handle(call);
      else call.emit('error', callError(UNAUTHENTICATED, 'Unauthenticated'));
    };
  }

  private unary<T>(kind: 'features' | 'gossip', work: () => T) {
    return (
      call: { metadata: Metadata },
      answer: (error: ServiceError | null, response?: T) => void,
    ): void => {
      this.calls[kind] += 1;
      const fault = this.faults.next(kind);
      if (!this.isWelcome(call.metadata)) answer(callError(UNAUTHENTICATED, 'Unauthenticated'));
      else if (fault === undefined) answer(null, work());
      else fail(fault, answer, work);
    };
  }

  private isWelcome(metadata: Metadata): boolean {
    const { credentials } = this.options;
    if (credentials === undefined) return true;
    const expected = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    return metadata.get('authorization')[0] === `Basic ${expected}`;
  }

  private serverCredentials(): ReturnType<typeof grpc.ServerCredentials.createInsecure> {
    const { tls } = this.options;
    if (tls === undefined) return grpc.ServerCredentials.createInsecure();
    return grpc.ServerCredentials.createSsl(null, [{ private_key: tls.key, cert_chain: tls.certificate }]);
  }
}

function fail<T>(
  fault: Fault,
  answer: (error: ServiceError | null, response?: T) => void,
  work: () => T,
): void {
  if (fault.kind === 'error') answer(callError(fault.code, fault.details ?? 'fault'));
  else if (fault.kind === 'not-leader') answer(notLeader(fault.leader));
  else if (fault.kind === 'slow') setTimeout(() => answer(null, work()), fault.ms);
  else if (fault.kind !== 'silence') throw new Error(`this call has no fault ${fault.kind}`);
}
