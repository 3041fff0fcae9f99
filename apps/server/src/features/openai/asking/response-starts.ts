import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import type { GivenItem } from '#domain';
import { EventLog } from '#event-log';
import { type ResponseRequest, refused } from '#openai-face';
import { SessionMoved, type StartRun, type StartedRun, forkAt } from '#runs';
import { RunRequests } from '../../runs/shared/run-requests.js';
import type { FoundResponse } from '../reading/response-reading.js';
import { asAsked, messageOf, moreConfigOf, plainMessage, runBodyOf } from './asked-run.js';
import { GivenItems, requirePairs } from './given-items.js';
import { payloadHash, payloadOf } from './payload.js';
import { type ResponseBase, ResponseBases } from './response-bases.js';

/** A request for a response, as it came. */
export interface SentResponse {
  readonly asked: ResponseRequest;
  readonly body: unknown;
  /** Of `Idempotency-Key`. */
  readonly key: string | undefined;
}

/** How often a session may have gone on meanwhile before the response is asked for. */
const MAX_TRIES = 5;

/** Starts the runs that responses are. */
@Injectable()
export class ResponseStarts {
  constructor(
    private readonly requests: RunRequests,
    private readonly bases: ResponseBases,
    private readonly items: GivenItems,
    private readonly log: EventLog,
  ) {}

  /** @throws Problem, LogUnavailable: nothing was started */
  async start(
    sent: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<Omit<FoundResponse, 'id'>> {
    const { input, isStored } = sent.asked;
    if (!isStored) throw refused('unsupported_value', 'store', 'store: false is not supported');
    const items = typeof input === 'string' ? input : await this.items.of(caller.project, input);
    for (let tries = 1; ; tries++) {
      const base = await this.bases.of(caller.project, sent.asked);
      if (typeof items !== 'string') requirePairs(items);
      try {
        return placeOf(await this.startAt(base, items, sent, caller, request));
      } catch (error) {
        if (!(error instanceof SessionMoved) || tries >= MAX_TRIES) throw error;
      }
    }
  }

  private async startAt(
    base: ResponseBase,
    items: string | readonly GivenItem[],
    sent: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<StartedRun> {
    const command = await this.commandOf(base, items, sent, caller, request);
    return this.requests.submit(command);
  }

  private async commandOf(
    base: ResponseBase,
    items: string | readonly GivenItem[],
    { asked, body, key }: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<StartRun> {
    const plain = typeof items === 'string' ? items : plainMessage(items);
    const message = plain ?? messageOf(items as readonly GivenItem[]);
    const session = base.kind === 'session' ? { session: base.session } : {};
    const sentRun = { body: {}, ...session };
    const command = await this.requests
      .commandOf(runBodyOf(asked, message), sentRun, caller, request)
      .catch((error: unknown) => {
        throw asAsked(error, asked.tools);
      });
    const { check = () => Promise.resolve() } = command;
    return {
      ...command,
      check: () =>
        check().catch((error: unknown) => {
          throw asAsked(error, asked.tools);
        }),
      config: { ...command.config, ...moreConfigOf(asked) },
      ...(plain === null ? { items: items as readonly GivenItem[] } : {}),
      ...(base.kind === 'session' && base.goesOnAt !== undefined ? { goesOnAt: base.goesOnAt } : {}),
      ...(base.kind === 'fork' ? { fork: await forkAt(this.log, base.from) } : {}),
      endsUnheard: true,
      response: { settings: JSON.stringify(asked.settings), payload: payloadHash(body) },
      ...(key === undefined
        ? {}
        : { idempotency: { key: `/v1/responses ${key}`, payload: payloadOf(body) } }),
    };
  }
}

/** Where the response stands. The request of the response is directly before that of its run. */
const placeOf = ({ session, run, requested }: StartedRun): Omit<FoundResponse, 'id'> => ({
  place: { session, run, before: requested - 2, runs: new Set([run]) },
  passage: 1,
});
