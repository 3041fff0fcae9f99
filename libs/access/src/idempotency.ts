import { createHmac, createSecretKey } from 'node:crypto';
import {
  type IdempotencyKeyUsed,
  Problem,
  type ResourceKeyUse,
  type RunKeyUse,
  canonicalJson,
  runId,
  sessionId,
  type ProjectId,
  type RunId,
  type SessionId,
} from '#domain';
import { type EventLog, type EventMeta, appendUntilDefinite, collect, newEvent } from '#event-log';
import type { Clock, Random } from '#platform';

export type Operation =
  | 'start_run'
  | 'retry_run'
  | 'replay_run'
  | 'create_response'
  | 'create_completion'
  | 'create_conversation'
  | 'fork_session'
  | 'create_datastore'
  | 'index_document';

export interface IdempotentRequest {
  readonly project: ProjectId;
  readonly operation: Operation;
  readonly key: string;
  /** What must be the same for the request to be a repeat. */
  readonly payload: unknown;
}

type AnyUse = IdempotencyKeyUsed['data'];

/** The operation is part of a key's stream, so a run's key and a resource's never meet. */
export type KeyUse = RunKeyUse;

/** The idempotency key was used before with another request. */
export class KeyMismatch extends Problem {
  /** Of the run that it stands for, if it is one. */
  readonly session: SessionId | null;

  constructor(use: AnyUse) {
    super('idempotency_mismatch', 'this Idempotency-Key was used with another payload');
    this.session = 'session' in use ? use.session : null;
  }
}

/**
 * Idempotency keys of requests. The ids of what a request creates are derived from its key under a secret (HMAC), so
 * that a crash between the writes to the key's stream and the run's leaves nothing to search for, and nobody can
 * guess a run's id from a key.
 */
export class IdempotencyKeys {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly random: Random,
    /** 32 bytes */
    private readonly secret: Uint8Array,
  ) {}

  /** The run's use that is on the log, or null. @throws Problem idempotency_mismatch; LogUnavailable */
  async find(request: IdempotentRequest): Promise<KeyUse | null> {
    return (await this.read(request)) as KeyUse | null;
  }

  /** The run that a key stands for, whatever was asked for with it, or null. @throws LogUnavailable */
  async runOf(request: Omit<IdempotentRequest, 'payload'>): Promise<KeyUse | null> {
    return (await this.used(request)) as KeyUse | null;
  }

  /**
   * Writes the use of a run's key, unless somebody was faster: then theirs is returned.
   * @throws Problem idempotency_mismatch; LogUnavailable
   */
  async use(request: IdempotentRequest, meta: EventMeta, ids: Omit<KeyUse, 'payload'>): Promise<KeyUse> {
    return (await this.write(request, meta, { payload: this.payloadOf(request), ...ids })) as KeyUse;
  }

  /**
   * Lets another key stand for the run of a use, too; one that stands for something already goes on doing so.
   * @throws LogUnavailable
   */
  async alsoUse(request: IdempotentRequest, meta: EventMeta, use: KeyUse): Promise<void> {
    if ((await this.used(request)) !== null) return;
    try {
      await this.write(request, meta, use);
    } catch (error) {
      if (!(error instanceof KeyMismatch)) throw error;
    }
  }

  /** The id of the resource that the key made, or null. @throws Problem idempotency_mismatch; LogUnavailable */
  async findResource(request: IdempotentRequest): Promise<string | null> {
    return ((await this.read(request)) as ResourceKeyUse | null)?.resource ?? null;
  }

  /**
   * Writes the use of a resource's key, unless somebody was faster: then theirs is returned.
   * @throws Problem idempotency_mismatch; LogUnavailable
   */
  async useResource(request: IdempotentRequest, meta: EventMeta, resource: string): Promise<string> {
    const use = await this.write(request, meta, { payload: this.payloadOf(request), resource });
    return (use as ResourceKeyUse).resource;
  }

  private async read(request: IdempotentRequest): Promise<AnyUse | null> {
    const use = await this.used(request);
    if (use !== null && use.payload !== this.payloadOf(request)) throw new KeyMismatch(use);
    return use;
  }

  private async used(request: Omit<IdempotentRequest, 'payload'>): Promise<AnyUse | null> {
    const [event] = await collect(this.log.readStream(this.streamOf(request), { limit: 1 }));
    return event === undefined ? null : (event.data as AnyUse);
  }

  private async write(request: IdempotentRequest, meta: EventMeta, data: AnyUse): Promise<AnyUse> {
    const id = this.random.uuid();
    const event = newEvent({ id, type: 'idempotency_key_used', time: this.clock.now(), data }, meta);
    const options = { expected: 'no_stream' as const };
    const result = await appendUntilDefinite(
      this.log,
      this.clock,
      this.random,
      this.streamOf(request),
      [event],
      options,
    );
    if (result.kind === 'appended') return data;
    const use = await this.read(request);
    if (use === null) throw new Error('a stream conflicts that is not there');
    return use;
  }

  /** The ids that the request's run has, in a given session or in a new one, whose id begins with `prefix`. */
  idsFor(
    request: IdempotentRequest,
    session?: SessionId,
    prefix = '',
    idOf: typeof runId = runId,
  ): { readonly session: SessionId; readonly run: RunId } {
    const digest = this.hmac('id', request.project, request.operation, request.key);
    const id = session ?? sessionId(prefix + digest.slice(0, 24));
    return { session: id, run: idOf(id, digest.slice(24, 40)) };
  }

  /** 24 characters for the id of what the request makes. */
  idFor({ project, operation, key }: IdempotentRequest): string {
    return this.hmac('id', project, operation, key).slice(0, 24);
  }

  private streamOf({ project, operation, key }: Omit<IdempotentRequest, 'payload'>): string {
    return `idempotency-${this.hmac('stream', project, operation, key).slice(0, 40)}`;
  }

  private payloadOf({ project, payload }: IdempotentRequest): string {
    return this.hmac('payload', project, canonicalJson(payload));
  }

  private hmac(...parts: readonly string[]): string {
    return createHmac('sha256', createSecretKey(this.secret)).update(JSON.stringify(parts)).digest('hex');
  }
}
