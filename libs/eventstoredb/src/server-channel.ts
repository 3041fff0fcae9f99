import type { OutgoingHttpHeaders } from 'node:http2';
import type { ConnectionTarget } from './connection-string.js';
import { CallError, CODE, type Endpoint } from './grpc/call-error.js';
import { framed } from './grpc/frames.js';
import type { CallListener, GrpcCall } from './grpc/grpc-call.js';
import { GrpcConnection } from './grpc/grpc-connection.js';
import { findServer } from './leader.js';
import { features, PATHS, type ReadReq, shared } from './stubs.js';

const KEEP_ALIVE_MS = 10_000;

/**
 * The way to the server that leads. Owns the connection that is in use.
 * 1. A connection is made when a call needs one and there is none that works; the leader is asked for anew each time.
 * 2. Who is not the leader names it: the next call goes there, on a connection of its own.
 */
export class ServerChannel {
  private current: GrpcConnection | null = null;
  private connecting: Promise<void> | null = null;
  private leader: Endpoint | null = null;
  /** With those that end when their last call has. */
  private readonly connections = new Set<GrpcConnection>();
  private isClosed = false;

  constructor(private readonly target: ConnectionTarget) {}

  /** Opens the call that carries appends, many at a time. */
  openAppends(listener: CallListener): Promise<GrpcCall> {
    return this.call(PATHS.batchAppend, Infinity, {}, listener);
  }

  /** A read (with a deadline) or a subscription (Infinity). From the leader: a follower may not have an acknowledged append yet. */
  async read(request: ReadReq, deadlineMs: number, listener: CallListener): Promise<GrpcCall> {
    const headers = { 'requires-leader': 'true' };
    const call = await this.call(PATHS.read, deadlineMs, headers, listener);
    call.write(framed(request.serializeBinary()));
    call.halfClose();
    return call;
  }

  /** The server's version: a full round trip that changes nothing, never one remembered. */
  async version(deadlineMs: number): Promise<string> {
    const answers: Buffer[] = [];
    await new Promise<void>((resolve, reject) => {
      const listener: CallListener = {
        messages: (messages) => void answers.push(...messages),
        ended: (error) => (error === null ? resolve() : reject(error)),
      };
      this.call(PATHS.supportedMethods, deadlineMs, {}, listener).then((call) => {
        call.write(framed(new shared.Empty().serializeBinary()));
        call.halfClose();
      }, reject);
    });
    if (answers[0] === undefined) throw new CallError(CODE.internal, 'the server said nothing');
    return features.SupportedMethods.deserializeBinary(answers[0]).getEventStoreServerVersion();
  }

  /** Ends its calls and its connections. */
  close(): void {
    this.isClosed = true;
    for (const connection of this.connections) connection.close();
    this.connections.clear();
  }

  private async call(
    path: string,
    deadlineMs: number,
    headers: OutgoingHttpHeaders,
    listener: CallListener,
  ): Promise<GrpcCall> {
    const connection = await this.connection();
    return connection.call(path, deadlineMs, headers, {
      messages: (messages) => listener.messages(messages),
      ended: (error) => {
        if (error?.leader !== undefined) this.turnTo(error.leader, connection);
        listener.ended(error);
      },
    });
  }

  /** Invariant 1. Calls that come together share it. */
  private async connection(): Promise<GrpcConnection> {
    if (this.current?.isUsable !== true) {
      this.connecting ??= this.connect().finally(() => (this.connecting = null));
      await this.connecting;
    }
    if (this.isClosed || this.current === null) throw new CallError(CODE.cancelled, 'the log is closed');
    return this.current;
  }

  private async connect(): Promise<void> {
    const endpoint = this.leader ?? (await findServer(this.target));
    this.leader = null;
    if (this.isClosed) return;
    const { tls, options } = this.target;
    for (const old of this.connections) if (old.isOver) this.connections.delete(old);
    this.current = new GrpcConnection({
      endpoint,
      tls,
      headers: headersOf(this.target),
      keepAliveIntervalMs: atLeast(KEEP_ALIVE_MS, options.get('keepAliveInterval')),
      keepAliveTimeoutMs: atLeast(KEEP_ALIVE_MS, options.get('keepAliveTimeout')),
    });
    this.connections.add(this.current);
  }

  /** Invariant 2. */
  private turnTo(leader: Endpoint, from: GrpcConnection): void {
    if (from === this.current) this.leader = leader;
    from.retire();
  }
}

function headersOf({ options, credentials, tls }: ConnectionTarget): OutgoingHttpHeaders {
  const headers = { 'user-agent': 'annals', 'connection-name': options.get('connectionName') ?? 'annals' };
  // As the client does: no password over a line that anybody can read.
  if (credentials === undefined || tls === null) return headers;
  const user = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  return { ...headers, authorization: `Basic ${user}` };
}

const atLeast = (least: number, value: string | undefined): number => Math.max(least, Number(value ?? least));
