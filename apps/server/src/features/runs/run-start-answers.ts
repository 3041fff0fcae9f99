import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { Problem, type ProjectId, type RunId, type SessionId } from '#domain';
import { Clock } from '#platform';
import type { AcceptedRun, StartRun } from '#runs';
import { Receipts } from '#sealer';
import { RECEIPT_HEADER } from '#delivery';
import { answerWithLateJson } from '../../edge/answers/event-stream.js';
import { OpenStreams } from '../../edge/answers/socket-sink.js';
import { HistoryAnswers } from './history-answers.js';
import { RunSubmission } from './run-submission.js';
import { wantsJson } from './shared/negotiation.js';
import { RunAnswers, type RunOutcome } from './shared/run-answers.js';

interface AcceptedAnswer {
  readonly session: SessionId;
  readonly run_id: RunId;
  readonly status: 'queued';
  readonly task_ids: readonly string[];
}

/** How long an answer may say nothing at all. */
const QUIET_MS = 10_000;

/** Starts a run and answers in the form that was asked for: a stream of events, one object at the end, or 202 at once. */
@Injectable()
export class RunStartAnswers {
  constructor(
    private readonly submission: RunSubmission,
    private readonly histories: HistoryAnswers,
    private readonly answers: RunAnswers,
    private readonly receipts: Receipts,
    private readonly open: OpenStreams,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem, LogUnavailable: nothing was started */
  async start(
    command: StartRun,
    { isBackground, caller }: { readonly isBackground: boolean; readonly caller: Principal },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const started = await this.submission.start(command);
    reply.header('content-location', `/runs/${started.run}`);
    if (isBackground)
      return void reply.code(202).header('location', `/runs/${started.run}`).send(accepted(started));
    if (wantsJson(request.headers.accept)) return this.sendEnded(started, caller, reply);
    const { run, requested } = started;
    void this.answers.stream(reply, { session: started.session, run, after: requested });
  }

  private async sendEnded(started: AcceptedRun, { project }: Principal, reply: FastifyReply): Promise<void> {
    const gone = new AbortController();
    const { answer: open } = reply.request;
    reply.raw.once('close', () => gone.abort());
    open?.onKeyEnd(() => gone.abort());
    const whenEnded = this.answers.outcome(started, gone.signal);
    if (await this.isLate(whenEnded)) return this.sendLate(started, project, whenEnded, reply);
    const outcome = await whenEnded;
    if (open?.isOver)
      throw new Problem('unauthenticated', 'the key was revoked or has expired; the run goes on');
    if (outcome === null) return;
    await this.addReceipt(started, outcome, reply);
    await this.histories.ended(project, started, outcome, reply);
  }

  private async isLate(whenEnded: Promise<RunOutcome | null>): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const cancel = this.clock.timer(QUIET_MS, () => late.resolve(true));
    return Promise.race([late.promise, whenEnded.then(() => false)]).finally(cancel);
  }

  /** With the head now, and white space until there is more to say: a proxy would cut off what says nothing. */
  private sendLate(
    started: AcceptedRun,
    project: ProjectId,
    whenEnded: Promise<RunOutcome | null>,
    reply: FastifyReply,
  ): void {
    void answerWithLateJson(reply, this.open, async (sink) => {
      const outcome = await whenEnded;
      if (outcome !== null) await this.histories.endedLate(project, started, outcome, sink);
    });
  }

  private async addReceipt(
    { session, run }: AcceptedRun,
    { end: revision }: RunOutcome,
    reply: FastifyReply,
  ): Promise<void> {
    const receipt = revision === undefined ? null : await this.receipts.header({ session, run, revision });
    if (receipt !== null) reply.header(RECEIPT_HEADER, receipt);
  }
}

const accepted = ({ session, run, tasks }: AcceptedRun): AcceptedAnswer => ({
  session,
  run_id: run,
  status: 'queued',
  task_ids: tasks,
});
