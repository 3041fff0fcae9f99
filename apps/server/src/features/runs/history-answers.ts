import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { isFileRef, type ProjectId, type Revision, type SessionId } from '#domain';
import type { ClientSink } from '#delivery';
import { ContentStore } from '#vault';
import { EventLog } from '#event-log';
import type { Weigh } from '#platform';
import { History, SessionsAsOf } from '#read-models';
import type { AcceptedRun } from '#runs';
import { jsonItems } from '../../edge/answers/json-items.js';
import { LargeAnswers } from '../../edge/answers/large-answer.js';
import { insideOfJson } from './shared/response-text.js';
import type { RunOutcome } from './shared/run-answers.js';

/** Answers that hold a session's messages, however many and large. */
@Injectable()
export class HistoryAnswers {
  private readonly stores: { readonly log: EventLog; readonly contents: ContentStore };

  constructor(
    private readonly history: History,
    private readonly past: SessionsAsOf,
    private readonly large: LargeAnswers,
    log: EventLog,
    contents: ContentStore,
  ) {
    this.stores = { log, contents };
  }

  /**
   * @param asked `at`: as of this event
   * @throws Problem not_found, unprocessable, overloaded; LogUnavailable
   */
  async messages(
    project: ProjectId,
    { session, at }: { readonly session: SessionId; readonly at?: Revision | undefined },
    reply: FastifyReply,
  ): Promise<void> {
    const { history } = this;
    const moment = at === undefined ? null : await this.past.moment(project, session, at);
    reply.code(200);
    await this.large.send(reply, project, async function* (weigh) {
      yield '[';
      yield* jsonItems(
        moment === null ? history.messages(project, session, weigh) : history.messagesAsOf(moment, weigh),
      );
      yield ']';
    });
  }

  /** What became of a run, and the whole session. @throws as `messages` */
  async ended(
    project: ProjectId,
    started: AcceptedRun,
    outcome: RunOutcome,
    reply: FastifyReply,
  ): Promise<void> {
    reply.code(200);
    await this.large.send(reply, project, (weigh) => this.pieces(project, started, outcome, weigh));
  }

  /** The same into an answer whose head is out. @throws as `messages` */
  endedLate(project: ProjectId, started: AcceptedRun, outcome: RunOutcome, sink: ClientSink): Promise<void> {
    return this.large.pour(sink, project, (weigh) => this.pieces(project, started, outcome, weigh));
  }

  private async *pieces(
    project: ProjectId,
    { session, run, tasks }: AcceptedRun,
    outcome: RunOutcome,
    weigh: Weigh,
  ): AsyncGenerator<string> {
    const { contents } = this.stores;
    const { status, response, finalOutput, cost, usage, warnings, actions, error } = outcome;
    const more = { cost, usage, warnings, actions, error };
    yield `{"session":"${session}","run_id":"${run}","status":"${status}","response":"`;
    yield* insideOfJson(response.pieces(this.stores, session, weigh));
    yield '"';
    if (finalOutput !== null) {
      await weigh(isFileRef(finalOutput) ? finalOutput.bytes : finalOutput.length);
      const value: unknown = JSON.parse(await contents.text(session, finalOutput));
      yield `,"final_output":${JSON.stringify(value)}`;
    }
    yield `,${JSON.stringify(more).slice(1, -1)},"messages":[`;
    yield* jsonItems(this.history.messages(project, session, weigh));
    yield `],"task_ids":${JSON.stringify(tasks)}}`;
  }
}
