import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import type { RunId, SessionId } from '#domain';
import type { AcceptedRun, StartRun } from '#runs';
import { causeOf } from '../../../edge/request-trace.js';
import { type RunBody, parseRunRequest } from '../dto/run-body.js';
import { checkRunSemantics } from '../dto/run-semantics.js';
import { RunSurroundings, runCommandOf } from '../run-command.js';
import { RunSubmission } from '../run-submission.js';

export type { RunBody };

/** What was sent: the body without a session, beside it the session and the Idempotency-Key. */
export interface SentRun {
  readonly body: object;
  readonly session?: SessionId | undefined;
  readonly key?: string | undefined;
  /** Neither it nor the run that it goes on with has workflows, other agents or datastores. */
  readonly isPlain?: boolean;
  /** Another key that leads to the run. */
  readonly alsoKey?: string | undefined;
}

/** Runs that somebody with a key asks for in a request, whatever the protocol. */
@Injectable()
export class RunRequests {
  constructor(
    private readonly surroundings: RunSurroundings,
    private readonly submission: RunSubmission,
  ) {}

  /** The command of a checked body. @throws Problem invalid_request, unavailable */
  async commandOf(
    body: RunBody,
    sent: SentRun,
    { project, keyId: actor, reach }: Principal,
    request: FastifyRequest,
  ): Promise<StartRun> {
    await checkRunSemantics(body, project, this.surroundings.schemas, sent.isPlain);
    const origin = {
      project,
      actor,
      requestId: request.id,
      trigger: 'request' as const,
      ...causeOf(request),
      ...(reach === undefined ? {} : { reach }),
    };
    return runCommandOf(body, origin, sent, this.surroundings);
  }

  /** Starts what was asked for by `commandOf`. @throws Problem, SessionMoved, LogUnavailable: nothing was started */
  submit(command: StartRun): Promise<AcceptedRun> {
    return this.submission.start(command);
  }

  /** Starts the run that a body of `POST /` asks for. @throws Problem, LogUnavailable: nothing was started */
  async start(sent: SentRun, caller: Principal, request: FastifyRequest): Promise<AcceptedRun> {
    const command = await this.commandOf(parseRunRequest(sent.body), sent, caller, request);
    return this.submission.start(command);
  }

  /** The run that an Idempotency-Key stands for; null: none. @throws LogUnavailable */
  runOfKey(...of: Parameters<RunSubmission['runOfKey']>): Promise<RunId | null> {
    return this.submission.runOfKey(...of);
  }
}
