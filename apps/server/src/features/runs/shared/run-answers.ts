import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { EventStreams, type StreamRequest, publicJson } from '#delivery';
import {
  type CallSums,
  type Content,
  NO_CALLS,
  Problem,
  type Revision,
  type RunWarning,
  UNREADABLE_TEXT,
  type UsageView,
  formatDollars,
  isEndType,
  sessionStream,
  usageView,
  type RunId,
} from '#domain';
import { ContentStore } from '#vault';
import { EventLog, type RecordedEvent } from '#event-log';
import { Clock } from '#platform';
import { Sessions, type StartedRun, readAction } from '#runs';
import { answerWithEvents } from '../../../edge/answers/event-stream.js';
import { OpenStreams } from '../../../edge/answers/socket-sink.js';
import { type ActionView, actionView } from './action-view.js';
import { FinalText, ResponseText } from './response-text.js';
import { withSpent } from './spent-in.js';

export interface RunOutcome {
  readonly status: 'completed' | 'failed' | 'cancelled' | 'waiting';
  /** The visible text of the run's last turn. */
  readonly response: ResponseText;
  /** The JSON text of the value, if it was asked for. */
  readonly finalOutput: Content | null;
  readonly cost: string;
  readonly usage: UsageView;
  readonly warnings: readonly RunWarning[];
  /** Revision of its last event; absent: it has not ended, or is erased. */
  readonly end?: Revision;
  /** What it waits for. */
  readonly actions?: readonly ActionView[];
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

/** The forms in which a run is answered. */
@Injectable()
export class RunAnswers {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
    private readonly streams: EventStreams,
    private readonly open: OpenStreams,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
  ) {}

  /** Streams events as SSE, on the socket itself, until the run's end or the client's. */
  stream(
    reply: FastifyReply,
    request: StreamRequest,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    return answerWithEvents(reply, this.open, (sink) => this.streams.send(request, sink), headers);
  }

  /** Waits for the run's end, or until it waits for somebody. null: the client is gone. @throws Problem where the service stops before */
  async outcome(started: StartedRun, gone: AbortSignal): Promise<RunOutcome | null> {
    const fold = new OutcomeFold(started, this.contents);
    const { ending } = this.open;
    const options = { after: started.requested, signal: AbortSignal.any([gone, ending]) };
    // The message went into a run that waits: it is taken in when that goes on.
    const waiting = started.isSteered ? await this.waiting(started) : null;
    if (waiting !== null) return fold.waiting(waiting, await this.spentSince(started, waiting.requested));
    for await (const events of this.log.subscribeStream(sessionStream(started.session), options)) {
      for (const event of events) {
        if (event.isErased || event.type === 'session_erased') return erased(started.run);
        if (event.meta.run !== started.run) continue;
        await fold.push(event);
        if (isEndType(event.type)) return fold.outcome(event);
        // It may have gone on since then.
        const now = event.type === 'run_parked' ? await this.waiting(started) : null;
        if (now !== null) return fold.waiting(now);
      }
    }
    if (ending.aborted && !gone.aborted) throw STOPPING;
    return null;
  }

  private async spentSince({ session, run }: StartedRun, after: Revision): Promise<CallSums> {
    let spent = NO_CALLS;
    for await (const page of this.log.readStream(sessionStream(session), { after }))
      for (const event of page) if (event.meta.run === run) spent = withSpent(spent, event);
    return spent;
  }

  /** What the run waits for now, and what it has cost; null: it does not wait. */
  private async waiting({ session, run }: StartedRun): Promise<Waiting | null> {
    const { current } = (await this.sessions.get(session)).journal.state;
    // What tool servers go on with by themselves is waited for like anything else.
    if (current?.run !== run || current.park !== 'parked' || current.actions.length === 0) return null;
    const records = current.actions.map(({ id, asked }) =>
      readAction(this.log, { session, id, asked, isOpen: true }),
    );
    const known = (await Promise.all(records)).filter((record) => record !== null);
    const now = this.clock.now();
    const actions = await Promise.all(known.map((record) => actionView(record, this.contents, now)));
    const { cost } = current;
    return { actions, cost: formatDollars(cost), requested: current.requested };
  }
}

const STOPPING = new Problem(
  'unavailable',
  'the service is stopping; the run goes on: see Content-Location',
  {
    retryAfterS: 5,
  },
);

interface Waiting {
  /** Revision of the run's request. */
  readonly requested: Revision;
  readonly actions: readonly ActionView[];
  readonly cost: string;
}

/** The session was erased under the run: nothing of it is told any more. */
const erased = (run: RunId): RunOutcome => ({
  status: 'cancelled',
  response: new ResponseText(run),
  finalOutput: null,
  cost: '0',
  usage: usageView(NO_CALLS),
  warnings: [],
});

interface PublicFields {
  readonly content?: string;
  readonly cost?: string;
  readonly code?: string;
  readonly retryable?: boolean;
  /** It does not open: it has no other fields. */
  readonly unreadable?: boolean;
}

/** Counted where their fields are asked for, or of no weight to what is answered. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set([
  'agent_cost',
  'agent_warning',
  'agent_error',
  'model_called',
  'model_turn_failed',
  'run_claimed',
  'agent_step',
]);

class OutcomeFold {
  private readonly said: FinalText;
  private cost = '0';
  private spent = NO_CALLS;
  private readonly warnings: RunWarning[] = [];
  private unreadable = 0;
  private finalOutput: Content | null = null;

  constructor(
    private readonly started: StartedRun,
    private readonly contents: ContentStore,
  ) {
    this.said = new FinalText(started.run);
  }

  async push(event: RecordedEvent): Promise<void> {
    if (event.isUnreadable && !TOLD_ELSEWHERE.has(event.type)) this.unreadable += 1;
    else if (event.type === 'agent_cost') this.cost = (await this.fieldsOf(event)).cost ?? '0';
    else if (event.type === 'agent_warning') {
      const { content } = await this.fieldsOf(event);
      if (content !== undefined) this.warnings.push(JSON.parse(content) as RunWarning);
    } else if (event.type === 'agent_final_output') {
      const { content = 'null' } = event.data as { readonly content?: Content };
      this.finalOutput = content;
    } else {
      this.spent = withSpent(this.spent, event);
      this.said.push(event);
    }
  }

  async outcome(end: RecordedEvent): Promise<RunOutcome> {
    const failure: PublicFields = end.type === 'agent_error' ? await this.fieldsOf(end) : {};
    const { finalOutput, cost, allWarnings: warnings } = this;
    const usage = usageView(this.spent);
    const told = { response: this.said.text, finalOutput, cost, usage, warnings, end: end.revision };
    if (end.type === 'agent_completed') return { status: 'completed', ...told };
    if (end.type === 'agent_cancelled') return { status: 'cancelled', ...told };
    const { code = 'internal', content = UNREADABLE_TEXT, retryable = false } = failure;
    return { status: 'failed', ...told, error: { code, message: content, retryable } };
  }

  /** @param spent until then, where that is more than was heard */
  waiting({ actions, cost }: Waiting, spent = this.spent): RunOutcome {
    const { said, finalOutput, allWarnings: warnings } = this;
    const usage = usageView(spent);
    return { status: 'waiting', response: said.text, finalOutput, warnings, actions, cost, usage };
  }

  /** What is missing from the answer is told with it. */
  private get allWarnings(): readonly RunWarning[] {
    if (this.unreadable === 0) return this.warnings;
    const reason = `events of this run cannot be read, and are missing here: ${this.unreadable}`;
    return [...this.warnings, { code: 'events_unreadable', reason }];
  }

  private async fieldsOf(event: RecordedEvent): Promise<PublicFields> {
    const fields = JSON.parse(await publicJson(event, this.started.session, this.contents)) as PublicFields;
    if (fields.unreadable) this.unreadable += 1;
    return fields;
  }
}
