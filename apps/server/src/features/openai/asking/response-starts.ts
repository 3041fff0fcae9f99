import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { type GivenItem, Problem } from '#domain';
import { DecidedMeanwhile, SessionMoved, type StartRun, type StartedRun } from '#runs';
import { RunRequests } from '../../runs/shared/run-requests.js';
import type { FoundResponse } from '../reading/response-reading.js';
import { asAsked, messageOf, moreConfigOf, plainMessage, runBodyOf } from './asked-run.js';
import { Continuations } from './continuations.js';
import { GivenItems, requirePairs, requireQuestions } from './given-items.js';
import { payloadHash, payloadOf } from './payload.js';
import { Repeats, isRepeat } from './repeats.js';
import { type ResponseBase, ResponseBases } from './response-bases.js';
import type { SentResponse } from './sent-response.js';

/** What a run that is new goes on from. */
type NewBase = Exclude<ResponseBase, { kind: 'waiting' }>;

/** How often a session may have gone on meanwhile before the response is asked for. */
const MAX_TRIES = 5;

/** Starts the runs that responses are. */
@Injectable()
export class ResponseStarts {
  constructor(
    private readonly requests: RunRequests,
    private readonly bases: ResponseBases,
    private readonly items: GivenItems,
    private readonly continuations: Continuations,
    private readonly repeats: Repeats,
  ) {}

  /** @throws Problem, LogUnavailable: nothing was started */
  async start(
    sent: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<Omit<FoundResponse, 'id'>> {
    const payload = payloadHash([sent.operation, sent.body]);
    const isByCount = sent.key === undefined && isRepeat(request);
    const known = isByCount
      ? await this.repeats.find(caller, payload)
      : await this.continuations.ofKey(sent, caller);
    if (known !== null) return known;
    const found = await this.startOrGoOn(sent, caller, request);
    if (found.passage === 1) this.repeats.note(caller, payload, found);
    return found;
  }

  private async startOrGoOn(
    sent: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<Omit<FoundResponse, 'id'>> {
    const { input } = sent.asked;
    const items = typeof input === 'string' ? saidBy(input) : await this.items.of(caller.project, input);
    for (let tries = 1; ; tries++) {
      const isKnown = await this.repeats.isKnown(caller, sent);
      const base = isKnown ? NOTHING : await this.bases.of(caller.project, sent.asked, items);
      try {
        if (base.kind === 'waiting')
          return await this.continuations.goOn(base.waiting, items, sent, caller, request);
        const param = sent.operation === 'create_completion' ? 'messages' : 'input';
        requireQuestions(items, param);
        if (base.kind === 'nothing' && !isKnown) requirePairs(items, param);
        return placeOf(await this.startAt(base, items, sent, caller, request));
      } catch (error) {
        const isLate = error instanceof SessionMoved || error instanceof DecidedMeanwhile;
        if (!isLate || tries >= MAX_TRIES) throw isLate ? GOES_ON : error;
      }
    }
  }

  private async startAt(
    base: NewBase,
    items: readonly GivenItem[],
    sent: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<StartedRun> {
    const command = await this.commandOf(base, items, sent, caller, request);
    return this.requests.submit(command);
  }

  private async commandOf(
    base: NewBase,
    items: readonly GivenItem[],
    { asked, body, key, operation }: SentResponse,
    caller: Principal,
    request: FastifyRequest,
  ): Promise<StartRun> {
    const plain = plainMessage(items);
    const message = plain ?? messageOf(items);
    const session = base.kind === 'session' ? { session: base.session } : {};
    const sentRun = { body: {}, isPlain: true, ...session };
    const command = await this.requests
      .commandOf(runBodyOf(asked, message), sentRun, caller, request)
      .catch((error: unknown) => {
        throw asAsked(error, asked.tools, operation);
      });
    const { check = () => Promise.resolve() } = command;
    return {
      ...command,
      check: () =>
        check().catch((error: unknown) => {
          throw asAsked(error, asked.tools, operation);
        }),
      config: {
        ...command.config,
        ...moreConfigOf(asked),
        ...(operation === 'create_completion' ? NOTHING_WAITS : {}),
      },
      ...(plain === null ? { items } : {}),
      ...(base.kind === 'session' && base.goesOnAt !== undefined ? { goesOnAt: base.goesOnAt } : {}),
      ...(base.kind === 'fork' ? { fork: await this.bases.fork(base.from) } : {}),
      ...(asked.isStored ? {} : { isUnstored: true }),
      endsUnheard: true,
      response: { settings: JSON.stringify(asked.settings), payload: payloadHash([operation, body]) },
      ...(key === undefined ? {} : { idempotency: { key, payload: payloadOf(body), operation } }),
    };
  }
}

const saidBy = (text: string): readonly GivenItem[] => [
  { kind: 'message', role: 'user', parts: [{ kind: 'text', text }] },
];

const NOTHING: ResponseBase = { kind: 'nothing' };
const NOTHING_WAITS = { ends_with_calls: true } as const;

const GOES_ON = new Problem('conflict', 'the session goes on all the time; try again');

/** Where the response stands. The request of the response is directly before that of its run. */
const placeOf = ({ session, run, requested }: StartedRun): Omit<FoundResponse, 'id'> => ({
  place: { session, run, before: requested - 2, runs: new Set([run]) },
  passage: 1,
});
