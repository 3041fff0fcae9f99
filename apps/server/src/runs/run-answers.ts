import type { FastifyReply } from 'fastify';
import { type EventStreams, type StreamRequest, publicJson } from '#delivery';
import { Problem, type RunWarning, isEndType, sessionStream } from '#domain';
import type { ContentStore, EventLog, RecordedEvent } from '#event-log';
import type { StartedRun } from '#runs';
import type { OpenStreams } from '../sse/socket-sink.js';

export interface RunOutcome {
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** The visible text of the run's last turn. */
  readonly response: string;
  /** The value, if it was asked for. */
  readonly final_output?: unknown;
  readonly cost: string;
  readonly warnings: readonly RunWarning[];
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

/** The forms in which a run is answered. */
export class RunAnswers {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
    private readonly streams: EventStreams,
    private readonly open: OpenStreams,
  ) {}

  /** Streams events as SSE, on the socket itself, until the run's end or the client's. */
  stream(
    reply: FastifyReply,
    request: StreamRequest,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    reply.hijack();
    reply.headers(SSE_HEADERS);
    reply.raw.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>);
    const sink = this.open.add(reply.raw);
    reply.request.answer?.onKeyEnd(() => sink.cutOff());
    // Mostly the first events are there already, and go out with the headers.
    setImmediate(() => sink.begin());
    return this.streams.send(request, sink).catch(() => sink.hangUp());
  }

  /** Waits for the run's end. null: the client is gone. @throws Problem where the service stops before */
  async outcome(started: StartedRun, gone: AbortSignal): Promise<RunOutcome | null> {
    const fold = new OutcomeFold(started.session, this.contents);
    const { ending } = this.open;
    const options = { after: started.requested, signal: AbortSignal.any([gone, ending]) };
    for await (const events of this.log.subscribeStream(sessionStream(started.session), options)) {
      for (const event of events) {
        if (event.isErased || event.type === 'session_erased') return ERASED;
        if (event.meta.run !== started.run) continue;
        await fold.push(event);
        if (isEndType(event.type)) return fold.outcome(event);
      }
    }
    if (ending.aborted && !gone.aborted) throw STOPPING;
    return null;
  }
}

const STOPPING = new Problem(
  'unavailable',
  'the service is stopping; the run goes on: see Content-Location',
  {
    retryAfterS: 5,
  },
);

/** The session was erased under the run: nothing of it is told any more. */
const ERASED: RunOutcome = { status: 'cancelled', response: '', cost: '0', warnings: [] };

const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

interface PublicFields {
  readonly content?: string;
  readonly cost?: string;
  readonly code?: string;
  readonly retryable?: boolean;
}

class OutcomeFold {
  private turn = '';
  private last = '';
  private cost = '0';
  private readonly warnings: RunWarning[] = [];
  private finalOutput: { final_output?: unknown } = {};

  constructor(
    private readonly session: string,
    private readonly contents: ContentStore,
  ) {}

  async push(event: RecordedEvent): Promise<void> {
    if (event.type === 'agent_response') this.turn += (await this.fieldsOf(event)).content ?? '';
    else if (event.type === 'agent_cost') this.cost = (await this.fieldsOf(event)).cost ?? '0';
    else if (event.type === 'agent_warning') {
      const { content = '' } = await this.fieldsOf(event);
      this.warnings.push(JSON.parse(content) as RunWarning);
    } else if (event.type === 'agent_final_output') {
      const { content = 'null' } = await this.fieldsOf(event);
      this.finalOutput = { final_output: JSON.parse(content) as unknown };
    } else if (event.type === 'model_turn_failed' || event.type === 'run_claimed') this.turn = '';
    else if (event.type === 'agent_step') {
      this.last = this.turn;
      this.turn = '';
    }
  }

  async outcome(end: RecordedEvent): Promise<RunOutcome> {
    const response = this.turn === '' ? this.last : this.turn;
    const told = { response, ...this.finalOutput, cost: this.cost, warnings: this.warnings };
    if (end.type === 'agent_completed') return { status: 'completed', ...told };
    if (end.type === 'agent_cancelled') return { status: 'cancelled', ...told };
    const { code = 'internal', content = '', retryable = false } = await this.fieldsOf(end);
    return { status: 'failed', ...told, error: { code, message: content, retryable } };
  }

  private async fieldsOf(event: RecordedEvent): Promise<PublicFields> {
    return JSON.parse(await publicJson(event, this.session, this.contents)) as PublicFields;
  }
}
