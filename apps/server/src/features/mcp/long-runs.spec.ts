import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '#access';
import { notFound } from '#domain';
import type { AcceptedRun } from '#runs';
import { House } from '../../../../../test/support/house.js';
import { type ClientStep, done, text } from '../../../../../test/support/scripted-client.js';
import { PROJECT } from '../../../../../test/support/session-tape.js';
import { TempLog } from '../../../../../test/support/temp-log.js';
import { AnswerRoom } from '../../edge/answers/answer-room.js';
import { OpenStreams } from '../../edge/answers/socket-sink.js';
import { RunPlaces } from '../runs/shared/run-places.js';
import { Exchange } from './exchange.js';
import { RunFollower } from './run-follower.js';
import { RunResults } from './run-results.js';
import { RunTools, type ToolCall } from './run-tools.js';
import { RunTasks } from './tasks.js';

const MINUTE_MS = 60_000;
const caller: Principal = {
  project: PROJECT,
  keyId: 'key_1',
  scopes: new Set(['run', 'read']),
  isRoot: false,
};
const request = { raw: { headers: {} }, body: {} } as unknown as FastifyRequest;

/** One process of the service, with the tools of `/mcp` on it, in time that passes when the test says so. */
class Process {
  readonly house: House;
  readonly tools: RunTools;
  readonly tasks: RunTasks;
  readonly places: RunPlaces;

  constructor(temp: TempLog, boot: string, startedAtMs: number, script: readonly ClientStep[]) {
    const house = new House(temp, boot, { script: () => script, runTimeoutMs: 60 * MINUTE_MS });
    const { log, clock, core } = house;
    clock.advance(startedAtMs - clock.now());
    const lists = { place: () => Promise.reject(notFound('the run')) };
    const places = new RunPlaces(core.sessions, lists, log);
    const follower = new RunFollower(log, clock, new OpenStreams(clock));
    const results = new RunResults(log, core.contents, new AnswerRoom(1024 * 1024, clock));
    const start = async ({ body }: { readonly body: object }): Promise<AcceptedRun> => {
      const { message } = body as { readonly message: string };
      return { ...(await house.start(message)), tasks: [] };
    };
    this.tools = new RunTools({ start }, places, follower, results, { cancel: () => Promise.resolve() });
    this.tasks = new RunTasks(places, follower, results, core.commands, clock);
    this.places = places;
    this.house = house;
  }

  /** The answer of a call that waits for so long. */
  async answer<T>(call: Promise<T>, ms: number): Promise<T> {
    while (!this.house.clock.pending.includes(ms)) await new Promise(setImmediate);
    this.house.clock.advance(ms);
    return call;
  }

  async die(): Promise<number> {
    for (const session of this.house.core.sessions.active()) session.stop();
    await this.house.settled();
    return this.house.clock.now();
  }
}

const callOf = (args: object, knowsTasks: boolean): ToolCall => ({
  args,
  exchange: new Exchange(request, caller),
  tell: () => Promise.resolve(),
  endsWithItsClient: knowsTasks,
  knowsTasks,
  key: null,
});

let temp: TempLog;
beforeAll(async () => void (temp = await TempLog.open()));
afterAll(() => temp.close());

describe('a run of thirty minutes over two restarts', () => {
  const LONG: readonly ClientStep[] = [text('so far'), 'hang'];

  it('ends with its result for whoever knows Tasks', async () => {
    const first = new Process(temp, 'task 1', 2_000_000, LONG);
    const since = first.house.clock.now();
    const handle = await first.answer(first.tools.runAgent(callOf({ message: 'long' }, true)), 1_000);
    const { taskId: run } = handle as { readonly taskId: string };
    expect(handle).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 1_000 });
    first.house.clock.advance(10 * MINUTE_MS);

    const second = new Process(temp, 'task 2', await first.die(), LONG);
    const { session } = await second.places.find(PROJECT, run);
    await second.house.core.recovery.resume(session);
    await second.house.model.asked(1);
    expect(await second.tasks.get(run, new Exchange(request, caller))).toMatchObject({
      status: 'working',
      pollIntervalMs: 5_000,
      createdAt: new Date(since).toISOString(),
    });
    second.house.clock.advance(10 * MINUTE_MS);

    const third = new Process(temp, 'task 3', await second.die(), [text('thirty minutes'), done()]);
    third.house.clock.advance(10 * MINUTE_MS);
    await third.house.core.recovery.resume(session);
    await third.house.ended({ session, run, requested: 1 });
    expect(await third.tasks.get(run, new Exchange(request, caller))).toMatchObject({
      status: 'completed',
      createdAt: new Date(since).toISOString(),
      lastUpdatedAt: new Date(since + 30 * MINUTE_MS + 1_000).toISOString(),
      result: {
        resultType: 'complete',
        content: [{ text: 'thirty minutes' }],
        structuredContent: { run_id: run },
      },
    });
  });

  it('ends with its result for whoever reads it again and again', async () => {
    const first = new Process(temp, 'read 1', 2_000_000, LONG);
    const begun = await first.answer(first.tools.runAgent(callOf({ message: 'long' }, false)), 45_000);
    const { structuredContent } = begun as CallToolResult;
    const { run_id, session } = structuredContent as { run_id: string; session: string };
    expect(begun).toMatchObject({ structuredContent: { status: 'running', error: null } });
    first.house.clock.advance(10 * MINUTE_MS);

    const second = new Process(temp, 'read 2', await first.die(), LONG);
    await second.house.core.recovery.resume(session);
    await second.house.model.asked(1);
    const read = await second.answer(
      second.tools.readRun(callOf({ run_id, wait_s: 600 }, false)),
      10 * MINUTE_MS,
    );
    expect(read.structuredContent).toMatchObject({ run_id, status: 'running' });

    const third = new Process(temp, 'read 3', await second.die(), [text('thirty minutes'), done()]);
    third.house.clock.advance(10 * MINUTE_MS);
    await third.house.core.recovery.resume(session);
    const last = await third.tools.readRun(callOf({ run_id, wait_s: 600 }, false));
    expect(last).toMatchObject({
      content: [{ type: 'text', text: 'thirty minutes' }],
      structuredContent: { run_id, session, status: 'completed', error: null },
    });
  });
});
