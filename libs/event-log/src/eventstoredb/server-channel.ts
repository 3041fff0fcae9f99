import { EventStoreDBClient, type SingleNodeOptions } from '@eventstore/db-client';
import type { ConnectionTarget, NumericOption } from './connection-string.js';
import { type AppendAnswer, readAnswer, type ReadAnswer, readAppendAnswer } from './server-answers.js';
import {
  type ReadReq,
  ServerFeaturesClient,
  type ServerFeaturesStub,
  shared,
  StreamsClient,
} from './stubs.js';

/** A call that answers many times. `cancel` ends it with an error event. */
export interface AnswerCall<T> {
  on(event: 'data', listener: (answer: T) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'end', listener: () => void): this;
  pause(): this;
  resume(): this;
  cancel(): void;
}

export interface AppendCall extends AnswerCall<AppendAnswer> {
  write(request: Buffer): boolean;
  end(): void;
}

const SERVICE = '/event_store.client.streams.Streams';
const KEEP_ALIVE_MS = 10_000;

/**
 * A connection to the server. The client's package gives it: it finds the cluster's leader and follows it, speaks TLS,
 * sends the credentials, and starts a new channel when the server has gone. Its own commands are not used, only its
 * generated stubs, because of what eventstoredb.md lists: appends that never settle, replies that end the process,
 * rejections that nobody can catch.
 */
export class ServerChannel extends EventStoreDBClient {
  /** The connection that is in use. */
  private latest: { close(): void } | null = null;

  /** `generation` tells channels to the same host apart: equal ones would share one TCP connection, a frozen one, too. */
  constructor(target: ConnectionTarget, generation: number) {
    const { tls, credentials } = target;
    super(
      // One of three shapes, told apart by their keys; the overloads take no union of them.
      settingsOf(target, generation) as SingleNodeOptions,
      tls === null
        ? { insecure: true }
        : definedOnly({
            insecure: false,
            rootCertificate: tls.ca,
            userKeyFile: tls.key,
            userCertFile: tls.certificate,
          }),
      credentials && { ...credentials },
    );
    const { getChannel } = this;
    this.getChannel = async () => (this.latest = await getChannel());
  }

  /** Opens the call that carries appends, many at a time. */
  openAppends(): Promise<AppendCall> {
    return this.GRPCStreamCreator(StreamsClient, 'appends', (stub) =>
      stub.makeBidiStreamRequest(
        `${SERVICE}/BatchAppend`,
        (bytes: Buffer) => bytes,
        readAppendAnswer,
        ...this.callArguments({}, { deadline: Infinity }),
      ),
    )();
  }

  /** A read (with a deadline) or a subscription (without). From the leader: a follower may not have an acknowledged append yet. */
  read(request: ReadReq, deadlineMs: number): Promise<AnswerCall<ReadAnswer>> {
    const options = deadlineMs === Infinity ? { deadline: Infinity } : undefined;
    return this.GRPCStreamCreator(StreamsClient, 'read', (stub) =>
      stub.makeServerStreamRequest(
        `${SERVICE}/Read`,
        (read: ReadReq) => Buffer.from(read.serializeBinary()),
        readAnswer,
        request,
        ...this.callArguments(
          { requiresLeader: true, ...(options === undefined && { deadline: deadlineMs }) },
          options,
        ),
      ),
    )();
  }

  /** The server's version: a full round trip that changes nothing, never one remembered. */
  version(deadlineMs: number): Promise<string> {
    return this.execute(ServerFeaturesClient, 'version', (stub: ServerFeaturesStub) => {
      const [metadata, options] = this.callArguments({ deadline: deadlineMs });
      return new Promise<string>((resolve, reject) => {
        stub.getSupportedMethods(new shared.Empty(), metadata, options, (error, supported) =>
          error === null ? resolve(supported.getEventStoreServerVersion()) : reject(error),
        );
      });
    });
  }

  /** Ends its calls, then the connection itself, which the client's own `dispose` leaves open. */
  async close(): Promise<void> {
    await this.dispose();
    this.latest?.close();
  }
}

function settingsOf(target: ConnectionTarget, generation: number): object {
  const number = (name: NumericOption): number | undefined => {
    const value = target.options.get(name);
    return value === undefined ? undefined : Number(value);
  };
  const common = {
    connectionName: target.options.get('connectionName') ?? 'annals',
    keepAliveInterval: atLeast(KEEP_ALIVE_MS, number('keepAliveInterval')) + (generation % 1_000),
    keepAliveTimeout: atLeast(KEEP_ALIVE_MS, number('keepAliveTimeout')),
  };
  const [host] = target.hosts;
  if (target.discovers === 'no') return { ...common, endpoint: host };
  const discovery = {
    // Reads must show what an append has told, and appends need the leader anyway.
    nodePreference: 'leader',
    ...definedOnly({
      maxDiscoverAttempts: number('maxDiscoverAttempts'),
      discoveryInterval: number('discoveryInterval'),
      gossipTimeout: number('gossipTimeout'),
    }),
  };
  return target.discovers === 'dns'
    ? { ...common, ...discovery, discover: host }
    : { ...common, ...discovery, endpoints: [...target.hosts] };
}

const atLeast = (least: number, value: number | undefined): number => Math.max(least, value ?? least);

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const definedOnly = <T extends object>(object: T): Defined<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
