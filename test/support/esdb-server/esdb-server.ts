import { clusterOf, notLeader, supportedMethods } from './answers.js';
import { handleBatchAppends } from './appends.js';
import { type Fault, Faults } from './faults.js';
import { GrpcServer, type ServerCall } from './grpc-server.js';
import { handleRead, misread, type Shortcoming } from './reads.js';
import { EsdbStore } from './store.js';
import { GossipService, type ReadReq, ServerFeaturesService, streams, StreamsService } from './stubs.js';
import { type Drop, Subscriber } from './subscriber.js';

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

/**
 * A server that speaks the protocol of EventStoreDB as this project understands it, for tests: with the answers that were
 * measured on a real one, and able to do on demand what a healthy one does not. It proves that reading, and nothing more.
 */
export class EsdbServer {
  readonly faults = new Faults();
  readonly store: EsdbStore;
  port: number;
  /** Calls that came, by kind. */
  readonly calls = { append: 0, read: 0, subscribe: 0, features: 0, gossip: 0 };
  private readonly subscribers = new Set<Subscriber>();
  private server: GrpcServer | null = null;

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

  /** How many connections there are now. */
  get connections(): number {
    return this.server?.connections ?? 0;
  }

  /** How many subscriptions there are now. */
  get subscriptions(): number {
    return this.subscribers.size;
  }

  /** Opens its port, the same as before if there was one. */
  async start(): Promise<void> {
    const server = new GrpcServer(
      {
        [StreamsService.batchAppend.path]: this.guard((call) => {
          this.calls.append += 1;
          handleBatchAppends(this.store, this.faults, call);
        }),
        [StreamsService.read.path]: this.guard((call) =>
          call.once('message', (bytes: Buffer) => this.read(call, bytes)),
        ),
        [ServerFeaturesService.getSupportedMethods.path]: this.unary('features', () =>
          supportedMethods(this.options.version ?? '23.10.6'),
        ),
        [GossipService.read.path]: this.unary('gossip', () =>
          clusterOf(this.options.leader?.host ?? HOST, this.options.leader?.port ?? this.port),
        ),
      },
      this.options.tls,
    );
    this.port = await server.listen(HOST, this.port);
    this.server = server;
  }

  /** Cuts every connection and closes the port. The data stay. */
  stop(): void {
    this.server?.stop();
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

  private read(call: ServerCall, bytes: Buffer): void {
    const options = streams.ReadReq.deserializeBinary(bytes).getOptions()!;
    const isSubscription = options.hasSubscription();
    const kind = isSubscription ? 'subscribe' : 'read';
    this.calls[kind] += 1;
    const work = (shortcoming?: Shortcoming): void =>
      void (isSubscription
        ? this.subscribe(call, options)
        : handleRead(this.store, call, options, shortcoming));
    const fault = this.faults.next(kind);
    if (fault === undefined) work();
    else misread(call, fault, work);
  }

  private async subscribe(call: ServerCall, options: ReadReq.Options): Promise<void> {
    const { liveBuffer = 32 } = this.options;
    const subscriber: Subscriber = new Subscriber(this.store, call, options, liveBuffer, () =>
      this.subscribers.delete(subscriber),
    );
    this.subscribers.add(subscriber);
    await subscriber.start();
  }

  private guard(handle: (call: ServerCall) => void): (call: ServerCall) => void {
    return (call) => {
      if (this.isWelcome(call)) handle(call);
      else call.end({ code: UNAUTHENTICATED, details: 'Unauthenticated' });
    };
  }

  private unary(kind: 'features' | 'gossip', work: () => Uint8Array): (call: ServerCall) => void {
    return this.guard((call) => {
      this.calls[kind] += 1;
      const fault = this.faults.next(kind);
      const answer = (): void => {
        call.write(work());
        call.end();
      };
      if (fault === undefined) answer();
      else fail(fault, call, answer);
    });
  }

  private isWelcome({ headers }: ServerCall): boolean {
    const { credentials } = this.options;
    if (credentials === undefined) return true;
    const expected = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    return headers.authorization === `Basic ${expected}`;
  }
}

function fail(fault: Fault, call: ServerCall, answer: () => void): void {
  if (fault.kind === 'error') call.end({ code: fault.code, details: fault.details ?? 'fault' });
  else if (fault.kind === 'not-leader') call.end(notLeader(fault.leader));
  else if (fault.kind === 'slow') setTimeout(answer, fault.ms);
  else if (fault.kind !== 'silence') throw new Error(`this call has no fault ${fault.kind}`);
}
