import { setImmediate as soon, setTimeout as sleep } from 'node:timers/promises';
import { OUTCOME_UNKNOWN, isEndType } from '#domain';
import type { RecordedEvent } from '#event-log';
import { textOf } from '#demo-model';
import { type TaskAnswer, TaskServer, completed } from '../support/mcp-servers/task-server.js';
import type { Ask } from '../support/script-book.js';
import { call, say } from '../support/scripted-turn.js';
import type { ServiceProcess } from '../support/service-process.js';
import type { ServiceClient, SseRecord } from '../support/service-client.js';
import { PATIENCE_MS } from '../support/until.js';
import { Dice } from './dice.js';
import { readLog } from './evidence.js';
import { survive } from './survive.js';
import { Theatre } from './theatre.js';
import { type RowReport, type Verdict, spreadOf } from './verdict.js';

/**
 * Where the process dies: when the server has the call and has not answered it; when it has just answered with a task; at
 * one of the polls; when it has just said what came of the task; at the first poll, and again when the server was supplied.
 */
const PLACES = ['called', 'started', 'polled', 'completed', 'supplied'] as const;
type Place = (typeof PLACES)[number];

/** What came of a run. */
type Fate =
  | 'of unknown outcome'
  | 'asked for their servers'
  | 'over before'
  | 'without their servers'
  | 'without an end';

interface Plan {
  readonly n: number;
  readonly place: Place;
  /** At so many polls the task goes on; at the next one it is completed. */
  readonly working: number;
  /** The poll at which the process dies; 0: before any. */
  readonly at: number;
  /** It dies before that poll is answered. */
  readonly isBefore: boolean;
  /** Otherwise so long after what was answered. */
  readonly afterMs: number;
}

/** A run that polls longer than 2 s is left to its server: 250 ms lie between two polls. */
const MOST_POLLS = 12;
const POLL_MS = 250;
/** An append takes less; so does what follows a result. */
const APPEND_MS = 5;
const TURN_MS = 100;
const LOOK_MS = 20;

/**
 * F22: kills while a tool server has a task of a run's call, between any two of: the call is sent, the task is on the log, it
 * is asked for, its result is on the log. The tool is called once, whatever happens; what is on the log is not lost.
 */
export async function killTasks(wanted: number, seed: number): Promise<RowReport> {
  const server = await TaskServer.start();
  const theatre = await Theatre.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  const { service, book } = theatre.stage;
  book.find = turnsOf;
  const dice = new Dice(seed);
  const digs: Dig[] = [];
  server.answerCall = (params) => digs[numberIn(params.arguments)]!.call();
  server.answerOf = (task, asked) => digs[Number(task)]!.poll(asked);
  try {
    let kills = 0;
    for (let n = 0; kills < wanted && n < wanted; n += 1) {
      const place = PLACES[(seed + n) % PLACES.length]!;
      const dig = new Dig(planFor(place, n, dice), service);
      digs.push(dig);
      kills += await survive(service, dig.play(theatre, server));
    }
    const verdict = await theatre.audit();
    const log = await readLog(service.dataDir);
    const fates = digs.map((dig) => dig.check(log, server, book.asks, verdict));
    const unknown = fates.filter((fate) => fate === 'of unknown outcome').length;
    const places = placesOf(digs, fates);
    const line = `F22 ${kills} kills of runs with a Task (seed ${seed}): ${digs.length} runs, ${server.calls.length} calls of the tool, ${unknown} of unknown outcome; ${verdict.line}; ready again: ${spreadOf(service.startsMs.slice(1))}; clients resumed: ${spreadOf(theatre.witness.gapsMs)}\n  ${places}`;
    const measured = {
      readyMs: service.startsMs.slice(1),
      gapsMs: theatre.witness.gapsMs,
      more: { 'runs with a Task that were killed': places },
    };
    return { faults: kills, verdict, line, measured };
  } finally {
    await theatre.close();
    await server.close();
  }
}

/** Half of the deaths are within the append that follows, the others at any moment up to the next poll. */
function planFor(place: Place, n: number, dice: Dice): Plan {
  const isSoon = dice.chance(50);
  const polls = { called: 0, started: 0, polled: 1 + dice.below(MOST_POLLS), completed: 0, supplied: 1 };
  const more = place === 'completed' ? dice.below(MOST_POLLS) : dice.below(4);
  const working = polls[place] + more;
  return {
    n,
    place,
    working,
    at: place === 'completed' ? working + 1 : polls[place],
    isBefore: place === 'supplied' || (place === 'polled' && dice.chance(50)),
    afterMs: dice.below(isSoon ? APPEND_MS : place === 'completed' ? TURN_MS : POLL_MS),
  };
}

/** One call, then what came of it is said. */
function turnsOf(message: string) {
  const run = /^digs (\d+)/.exec(message)?.[1];
  if (run === undefined) return undefined;
  return [{ steps: call(0, 'call_0', 'dig', { run }) }, say('Done.')];
}

const GOES_ON: TaskAnswer = {
  result: { resultType: 'complete', status: 'working', pollIntervalMs: POLL_MS },
};

const numberIn = (input: object = {}): number => Number((input as { run?: unknown }).run);

/** A run with a Task, and the deaths of its process. */
class Dig {
  private readonly strikes: Promise<unknown>[] = [];

  constructor(
    readonly plan: Plan,
    private readonly service: ServiceProcess,
  ) {}

  private get message(): string {
    return `digs ${this.plan.n}`;
  }

  private get gold(): string {
    return `gold ${this.plan.n}`;
  }

  /** What the server says to the call of the tool. */
  call(): TaskAnswer {
    const { n, place, afterMs } = this.plan;
    if (place === 'called') return this.dieNow();
    if (place === 'started') this.dieAfter(afterMs);
    return { result: { resultType: 'task', taskId: String(n), status: 'working', pollIntervalMs: POLL_MS } };
  }

  /** What it says of the task. */
  poll(asked: number): TaskAnswer {
    const { at, isBefore, working, afterMs } = this.plan;
    if (asked === at && isBefore) return this.dieNow();
    if (asked === at) this.dieAfter(afterMs);
    return asked > working ? completed(this.gold) : GOES_ON;
  }

  private dieNow(): TaskAnswer {
    this.strikes.push(this.service.kill());
    return 'cut';
  }

  /** @param ms 0: as soon as what is being said is said */
  private dieAfter(ms: number): void {
    const isTime = ms === 0 ? soon() : sleep(ms);
    this.strikes.push(isTime.then(() => this.service.kill()));
  }

  /** To the end of the run, over the deaths of the service. */
  async play({ witness, stage }: Theatre, server: TaskServer): Promise<void> {
    const body = { mcp_servers: [server.entry] };
    const over = new AbortController();
    const onRecord = ({ json }: SseRecord): void => {
      const { type, kind, action_id: id } = JSON.parse(json) as Record<string, string>;
      if (type !== 'agent_action_required' || kind !== 'tool_servers') return;
      if (this.plan.place === 'supplied' && this.strikes.length === 1) this.dieAfter(this.plan.afterMs);
      void decide(stage.client, `/actions/${id}/resolve`, { decision: 'supply', ...body }, over.signal);
    };
    const isLate = sleep(PATIENCE_MS, undefined, { signal: over.signal }).catch(() => null);
    await Promise.race([witness.run(this.message, { key: this.message, body, onRecord }), isLate]);
    over.abort();
    await Promise.all(this.strikes);
    // The next run is not to be struck by the death of this one.
    while (!this.service.isReady && !witness.isOver) await sleep(LOOK_MS);
  }

  /** Holds the run against the log, and against what the server and the model were asked. */
  check(all: readonly RecordedEvent[], server: TaskServer, asks: readonly Ask[], verdict: Verdict): Fate {
    const run = all.find(({ type, data }) => type === 'run_requested' && this.isOf(data))?.meta.run;
    const own = all.filter(({ meta, stream }) => meta.run === run && stream.startsWith('session-'));
    const of = (type: string) => own.filter((event) => event.type === type);
    const tasks = of('tool_task_started').length;
    const results = of('tool_call_completed').map(({ data }) => (data as { content: string }).content);
    const isUnknown = results[0]?.startsWith(OUTCOME_UNKNOWN) === true;
    const end = own.find(({ type }) => isEndType(type));
    const { code = '' } = (end?.data ?? {}) as { code?: string };
    const told = `${JSON.stringify(this.plan)}: ${tasks} tasks, result ${results.join('; ')}, ${end?.type} ${code}`;
    const require = (holds: boolean, what: string): void => verdict.require(holds, () => `${what}: ${told}`);

    const calls = server.calls.filter(({ arguments: input }) => numberIn(input) === this.plan.n).length;
    require(calls === 1, `called ${calls} times`);
    require(this.strikes.length > 0, 'it was not killed');
    if (end === undefined) require(false, 'it has no end');
    else {
      require(results.length === 1 && tasks <= 1, 'a task or a result is there twice, or none');
      require(isUnknown || results[0] === this.gold, 'it has another result');
      require(isUnknown === (tasks === 0), 'a task that is on the log was lost');
      require(!isUnknown || this.plan.at === 0, 'a task that was asked for is of unknown outcome');
      require(end.type === (isUnknown ? 'agent_error' : 'agent_completed'), 'it ended otherwise');
      this.checkAsks(asks, !isUnknown, require);
    }
    if (end === undefined) return 'without an end';
    if (isUnknown) return 'of unknown outcome';
    if (of('agent_action_required').length > 0) return 'asked for their servers';
    return end.type === 'agent_completed' ? 'over before' : 'without their servers';
  }

  private isOf(data: object): boolean {
    return (data as { message?: unknown }).message === this.message;
  }

  /** The model was asked for its call once, and told the result from then on. */
  private checkAsks(
    asks: readonly Ask[],
    isGoneOn: boolean,
    require: (holds: boolean, what: string) => void,
  ): void {
    const own = asks.filter(({ message }) => message === this.message);
    const first = own.filter(({ turn }) => turn === 0).length;
    require(first === 1, `its first turn was asked for ${first} times`);
    const told = own
      .filter(({ turn }) => turn > 0)
      .map(({ request }) => request.messages.filter(({ role }) => role === 'tool').map(textOf));
    require(told.length > 0 === isGoneOn, `its next turn was asked for ${told.length} times`);
    require(told.every((texts) => texts.join() === this.gold), `the model was told ${told.join(' / ')}`);
  }
}

/** Whoever got no answer decides again. */
async function decide(client: ServiceClient, path: string, body: object, over: AbortSignal): Promise<void> {
  for (; !over.aborted; await sleep(LOOK_MS)) {
    const answer = await client.post(path, body).catch(() => null);
    if (answer !== null && answer.status < 500) return;
  }
}

/** `40 called (40 of unknown outcome), …`: where it was killed, and what came of it. */
const placesOf = (digs: readonly Dig[], fates: readonly Fate[]): string =>
  PLACES.map((place) => {
    const here = fates.filter((_, n) => digs[n]?.plan.place === place);
    const counts = [...Map.groupBy(here, (fate) => fate)].map(([fate, { length }]) => `${length} ${fate}`);
    return `${here.length} ${place} (${counts.join(', ')})`;
  }).join(', ');
