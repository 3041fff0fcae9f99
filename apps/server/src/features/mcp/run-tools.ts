import { Inject, Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { idempotencyKeyOf } from '../../edge/validation/idempotency-key.js';
import { validated } from '../../edge/validation/validate.js';
import { RunPlaces } from '../runs/shared/run-places.js';
import { RunRequests, type SentRun } from '../runs/shared/run-requests.js';
import type { Exchange } from './exchange.js';
import { RunEndings } from './run-endings.js';
import { RunFollower } from './run-follower.js';
import type { RunPlace, RunReading } from './run-reading.js';
import { RunResults } from './run-results.js';
import { type TaskHandle, taskHandle } from './task-views.js';
import { ReadRunDto, RunAgentDto } from './tool-arguments.dto.js';

/** A call of a tool, and what is particular to the client that makes it. */
export interface ToolCall {
  readonly args: unknown;
  readonly exchange: Exchange;
  /** Tells the client how far it is. */
  readonly tell: (message: string) => Promise<void>;
  /** The client of today's protocol: to close its stream is to cancel. */
  readonly endsWithItsClient: boolean;
  readonly knowsTasks: boolean;
  /** Names the call of an older client, so that it can be repeated and cancelled; null: nothing does. */
  readonly key: string | null;
}

/** Whoever can come back for the result is told after so long that he should. */
const TASK_AFTER_MS = 1_000;

/** The tools that start and read runs. */
@Injectable()
export class RunTools {
  constructor(
    @Inject(RunRequests) private readonly requests: Pick<RunRequests, 'start'>,
    private readonly places: RunPlaces,
    private readonly follower: RunFollower,
    private readonly results: RunResults,
    @Inject(RunEndings) private readonly endings: Pick<RunEndings, 'cancel'>,
  ) {}

  /** @throws Problem, LogUnavailable */
  async runAgent(call: ToolCall): Promise<CallToolResult | TaskHandle> {
    const { exchange } = call;
    const { session, wait_s: waitS } = validated(RunAgentDto, call.args);
    const own = call.key ?? undefined;
    const given = idempotencyKeyOf(exchange.request);
    // What an older client says of its call names the call, whatever key it was sent with.
    const keys = given === undefined ? { key: own } : { key: given, alsoKey: own };
    const sent: SentRun = { body: bodyOf(call.args), session, ...keys };
    const {
      run,
      session: of,
      requested,
    } = await this.requests.start(sent, exchange.caller, exchange.request);
    const waitMs = call.knowsTasks ? Math.min(waitS * 1000, TASK_AFTER_MS) : waitS * 1000;
    const reading = await this.follow(call, { session: of, run, before: requested }, waitMs);
    const isAbandoned = exchange.hasLeft && call.endsWithItsClient && !reading.isOver;
    if (isAbandoned) await this.endings.cancel(run, exchange);
    if (call.knowsTasks && !reading.isOver) return taskHandle(reading, this.follower.now());
    return this.results.of(reading, exchange);
  }

  /** @throws Problem, LogUnavailable */
  async readRun(call: ToolCall): Promise<CallToolResult> {
    const { run_id: run, wait_s: waitS } = validated(ReadRunDto, call.args);
    const { session, before } = await this.places.find(call.exchange.caller.project, run);
    const reading = await this.follow(call, { session, run, before }, waitS * 1000, true);
    return this.results.of(reading, call.exchange);
  }

  private async follow(
    { exchange, tell }: ToolCall,
    place: RunPlace,
    waitMs: number,
    waitsForPeople = false,
  ): Promise<RunReading> {
    exchange.begin();
    if (waitMs > 0) await tell(`run ${place.run}`);
    return this.follower.follow(place, { waitMs, waitsForPeople, gone: exchange.gone, tell });
  }
}

/** As `POST /` would have been sent it, so that a repeat by the other door is a repeat. */
function bodyOf(args: unknown): object {
  const { session: _, wait_s: __, ...body } = args as Record<string, unknown>;
  return body;
}
