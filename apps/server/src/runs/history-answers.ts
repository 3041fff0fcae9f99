import type { FastifyReply } from 'fastify';
import type { Weigh } from '#platform';
import type { History } from '#read-models';
import type { AcceptedRun } from '#runs';
import type { LargeAnswers } from '../http/large-answer.js';
import type { RunOutcome } from './run-answers.js';

/** Answers that hold a session's messages, however many and large. */
export class HistoryAnswers {
  constructor(
    private readonly history: History,
    private readonly large: LargeAnswers,
  ) {}

  /** @throws Problem not_found, overloaded; LogUnavailable */
  messages(project: string, session: string, reply: FastifyReply): Promise<void> {
    reply.code(200);
    return this.large.send(reply, project, (weigh) => this.pieces(project, session, '[', ']', weigh));
  }

  /** What became of a run, and the whole session. @throws as `messages` */
  ended(project: string, started: AcceptedRun, outcome: RunOutcome, reply: FastifyReply): Promise<void> {
    const { session, run, tasks } = started;
    const told = JSON.stringify({ session, run_id: run, ...outcome });
    const head = `${told.slice(0, -1)},"messages":[`;
    const tail = `],"task_ids":${JSON.stringify(tasks)}}`;
    reply.code(200);
    return this.large.send(reply, project, (weigh) => this.pieces(project, session, head, tail, weigh));
  }

  private async *pieces(
    project: string,
    session: string,
    head: string,
    tail: string,
    weigh: Weigh,
  ): AsyncGenerator<string> {
    let before = head;
    for await (const messages of this.history.messages(project, session, weigh)) {
      if (messages.length === 0) continue;
      yield before + messages.map((message) => JSON.stringify(message)).join(',');
      before = ',';
    }
    yield before === ',' ? tail : head + tail;
  }
}
