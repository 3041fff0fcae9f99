import { type RunStatus, hasEnded } from '#projections';
import { Backoff, type Clock, type Random } from '#platform';
import { CommandRefused } from '../command.js';

/** What the service said: a body, or a problem that asking again does not mend. */
export type Said =
  | { readonly kind: 'done'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly detail: string };

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
}

export interface ServicePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly url: string;
  /** An API key with the scopes run and read. */
  readonly apiKey: string;
}

/** An answer takes less. */
const SILENT_MS = 60_000;
/** A stream may be lost without a word, so the run is looked at now and then. */
const LOOK_MS = 60_000;
/** A service that restarts is back by then. */
const PATIENCE_MS = 10 * 60_000;
const WAIT = { firstMs: 250, longestMs: 10_000 };

/** A running service, asked again where it does not answer, is too busy, or is about to be back. */
export class ReplayingService {
  constructor(private readonly ports: ServicePorts) {}

  /** @throws CommandRefused where it does not answer for ten minutes; the reason of `stopping` once that is aborted */
  async ask(request: Request, stopping: AbortSignal): Promise<Said> {
    const backoff = new Backoff(this.ports.clock, WAIT, this.ports.random);
    const late = this.ports.clock.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.tried(request, stopping);
      if (answer.kind !== 'later') return answer;
      if (!answer.isBusy && this.ports.clock.now() > late)
        throw new CommandRefused(
          `the service at ${this.ports.url} did not answer (${answer.reason}); the same command goes on`,
        );
      await backoff.wait(stopping, (ms) => Math.max(ms, answer.afterMs));
      stopping.throwIfAborted();
    }
  }

  /** The run, as `GET /runs/{id}` shows it, once it has ended. @throws as `ask` */
  async ended(run: string, stopping: AbortSignal): Promise<Said> {
    const backoff = new Backoff(this.ports.clock, WAIT, this.ports.random);
    for (;;) {
      const said = await this.ask({ method: 'GET', path: `/runs/${run}` }, stopping);
      if (said.kind === 'refused') return said;
      const { status, last_event_id: last } = said.body as RunState;
      if (hasEnded(status)) return said;
      await this.follow(run, last, stopping);
      // Where the stream breaks at once, so that it is not asked for without a pause.
      await backoff.wait(stopping);
      stopping.throwIfAborted();
    }
  }

  private async tried({ method, path, body, key }: Request, stopping: AbortSignal): Promise<Said | Later> {
    const headers = {
      authorization: `Bearer ${this.ports.apiKey}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(SILENT_MS)]);
    try {
      const answer = await fetch(`${this.ports.url}${path}`, { method, headers, ...sent, signal });
      return saidBy(answer, await answer.json());
    } catch (error) {
      stopping.throwIfAborted();
      // Lost, cut off in the middle, or no JSON, as of a proxy before a service that is not there.
      return { kind: 'later', isBusy: false, afterMs: 0, reason: (error as Error).message };
    }
  }

  /** Waits while events of the run come behind `last`, none of which are kept: the run itself says how it ended. */
  private async follow(run: string, last: string | null, stopping: AbortSignal): Promise<void> {
    const headers = {
      authorization: `Bearer ${this.ports.apiKey}`,
      ...(last === null ? {} : { 'last-event-id': last }),
    };
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(LOOK_MS)]);
    try {
      const answer = await fetch(`${this.ports.url}/runs/${run}/events`, { headers, signal });
      await answer.body?.pipeTo(new WritableStream(), { signal });
    } catch {
      stopping.throwIfAborted();
    }
  }
}

interface RunState {
  readonly status: RunStatus;
  readonly last_event_id: string | null;
}

interface Later {
  readonly kind: 'later';
  /** It is there, and takes no more for now. */
  readonly isBusy: boolean;
  /** What it asks to wait. */
  readonly afterMs: number;
  readonly reason: string;
}

function saidBy(answer: Response, body: unknown): Said | Later {
  if (answer.ok) return { kind: 'done', body };
  const { status } = answer;
  const { code = '', detail = '' } = body as { readonly code?: string; readonly detail?: string };
  // Two requests with one key at once: the key asked again tells which run it is.
  if (status >= 500 || status === 408 || status === 429 || code === 'session_busy') {
    const afterMs = Number(answer.headers.get('retry-after') ?? 0) * 1000 || 0;
    return { kind: 'later', isBusy: status === 429, afterMs, reason: `${status}: ${detail}` };
  }
  return { kind: 'refused', status, code, detail };
}
