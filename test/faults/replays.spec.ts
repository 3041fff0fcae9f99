import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '#agent';
import {
  type Content,
  type RecordedSessionEvent,
  asSessionEvent,
  isEndType,
  isFileRef,
  knownSessionEvent,
  sessionOfRun,
  sessionOfStream,
  sessionStream,
} from '#domain';
import { TurnsFold } from '#projections';
import { type NewEvent, type RecordedEvent, newEvent } from '#event-log';
import type { StartedRun } from '#runs';
import { MemoryFileStore } from '#vault';
import { CountingRandom } from '../support/counting-random.js';
import { CALLER, House } from '../support/house.js';
import { TempLog } from '../support/temp-log.js';
import { FIRST_SEED } from '../simulation/play-worlds.js';
import { Tape } from '../simulation/engine/tape.js';
import { type Play, play } from '../simulation/play.js';
import type { Part } from '../simulation/world/parts.js';
import { type PromptMessage, endOf, replyTo } from '../simulation/world/script.js';
import { TOO_LONG } from '../simulation/world/sim-model.js';

/** 2,000 in the long form. */
const SEEDS = Number(process.env['SIM_REPLAYS'] ?? 60);
const MIX: readonly (readonly Part[])[] = [[], ['flows'], ['actions'], ['flows', 'actions']];

/** Of one world: names are the same in all of them. */
let temp: TempLog;
beforeEach(async () => {
  temp = await TempLog.open();
});
afterEach(() => temp.close());

const script = ({ messages }: ModelRequest) => {
  const reply = replyTo(messages.filter((message): message is PromptMessage => message.role !== 'system'));
  const thinking = reply.thinking.map((text) => ({ kind: 'thinking', text }) as const);
  return [...thinking, ...reply.text.map((text) => ({ kind: 'text', text }) as const), endOf(reply)];
};

/** What workers have put into files, under the names that it has there, and what is put beside it. */
class KnownFiles extends MemoryFileStore {
  constructor(private readonly known: Play['files']) {
    super();
  }

  override async get(scope: string, name: string): Promise<Uint8Array> {
    return this.known.get(`${scope}/${name}`) ?? super.get(scope, name);
  }
}

/** Everything that was on a simulated log and in its files, on a real one. */
async function restored({ log, files }: Play, boot: string): Promise<House> {
  const store = new KnownFiles(files);
  const random = new CountingRandom(boot);
  const streams = Map.groupBy(log, ({ stream }) => stream);
  for (const [stream, events] of streams) {
    const written = events.map(({ type, time, data, meta }): NewEvent => {
      const { keyId: _, ...open } = meta;
      return newEvent({ id: random.uuid(), type, time: Math.floor(time), data }, open);
    });
    for (const event of written) await temp.log.append(stream, [event], { expected: 'any' });
  }
  return new House(temp, boot, { script, files: store, maxSteps: 50, model: 'gpt-5-mini' });
}

/**
 * The runs that have completed with everything that the model was told then: a context that was compacted is told again only where it was before the run. Which
 * of the steps that are under way at once is the first to fail, and whether the model answered at all, is no part of a record.
 */
function replayable(log: readonly RecordedEvent[]): readonly { run: string; requested: number }[] {
  const runs = Map.groupBy(
    log.filter(({ meta, stream }) => meta.run !== undefined && sessionOfStream(stream) !== null),
    ({ meta }) => meta.run!,
  );
  return [...runs].flatMap(([run, events]) => {
    const session = log.filter(({ stream }) => stream === events[0]!.stream);
    const wasCut =
      session.some(
        (event) => event.type === 'model_turn_failed' && JSON.stringify(event.data).includes(TOO_LONG),
      ) || events.some(({ type }) => type === 'agent_compacted');
    const isErased = session.some(({ type }) => type === 'session_erased');
    const hasFailedStep = events.some(
      ({ type, data }) =>
        (type === 'agent_workflow_step' && JSON.stringify(data).includes('"failed"')) ||
        (type === 'workflow_attempt_failed' && !hasOnlyInvalidOutput(data)),
    );
    const hasCompleted = events.some(({ type }) => type === 'agent_completed');
    const requested = events.find(({ type }) => type === 'run_requested')?.revision ?? -1;
    return hasCompleted && !hasFailedStep && !wasCut && !isErased ? [{ run, requested }] : [];
  });
}

/** An attempt that failed for another reason had a model that did not answer. */
const hasOnlyInvalidOutput = (failed: object): boolean =>
  (failed as { readonly errors: readonly string[] }).errors.every((error) => error === NOT_JSON);

const NOT_JSON = 'it is not valid JSON';

/** What came of a run, but ids: turns, results, steps of workflows in any order, and how it ended. */
async function cameOf(house: House, run: string, session: string): Promise<unknown> {
  const texts = async (content: Content): Promise<string> => house.core.contents.text(session, content);
  const joined = async (pieces: readonly Content[]): Promise<string> =>
    (await Promise.all(pieces.map(texts))).join('');
  const turns = new TurnsFold();
  const said: unknown[] = [];
  const results: string[] = [];
  const ofSteps: string[] = [];
  const events = (await temp.read(sessionStream(session)))
    .filter(({ meta }) => meta.run === run)
    .map((event) => knownSessionEvent(event) ?? asSessionEvent(event));
  for (const event of events) {
    const turn = turns.push(event);
    if (turn !== null) {
      const calls = turn.calls.map(({ id, name, arguments: text }) => [id, name, text]);
      said.push({ text: await joined(turn.response), calls });
    }
    const [is, detail] = await stepOf(event, texts);
    if (is === 'result') results.push(detail);
    else if (is === 'step') ofSteps.push(detail);
  }
  const { length: drifts } = events.filter(({ type }) => type === 'agent_drift');
  const { length: steps } = events.filter(({ type }) => type === 'agent_step');
  return {
    said,
    results: results.toSorted(),
    ofSteps: ofSteps.toSorted(),
    drifts,
    steps,
    end: events.findLast(({ type }) => isEndType(type))?.type,
  };
}

async function stepOf(
  event: RecordedSessionEvent,
  texts: (content: Content) => Promise<string>,
): Promise<readonly ['result' | 'step' | '', string]> {
  if (event.type === 'tool_call_completed') {
    const text = await texts(event.data.content);
    return [event.data.step === undefined ? 'result' : 'step', `${event.data.call_id} ${text}`];
  }
  if (event.type === 'model_turn_completed' && event.data.step !== undefined) {
    const { text = '', step, attempt } = event.data;
    return ['step', `${step.step_id} ${attempt} ${isFileRef(text) ? await texts(text) : text}`];
  }
  return ['', ''];
}

async function replayed(house: House, run: string, requested: number): Promise<StartedRun> {
  const { actor, project } = CALLER;
  const command = await house.core.replays.commandOf({ run, requested, tools: 'recorded' }, project, {
    actor,
  });
  const started = await house.core.startRun.start(command);
  const ended = house.ended(started);
  const over = new AbortController();
  void ended.finally(() => over.abort());
  while (!over.signal.aborted) {
    await new Promise(setImmediate);
    house.clock.advance(2);
  }
  return started;
}

describe(`replays of simulated runs from seed ${FIRST_SEED}`, () => {
  let count = 0;
  it.each(Array.from({ length: SEEDS }, (_, n) => FIRST_SEED + n))(
    'come to the same as the runs did, without a call: seed %i',
    async (seed) => {
      const played = await play(Tape.ofSeed(seed), { parts: MIX[seed % MIX.length]! });
      expect(played.violation).toBeNull();
      const house = await restored(played, `replays ${seed}`);
      for (const { run, requested } of replayable(played.log)) {
        const again = await replayed(house, run, requested);
        const before = await cameOf(house, run, sessionOfRun(run)!);
        expect({ run, came: await cameOf(house, again.run, again.session) }).toEqual({ run, came: before });
        count++;
      }
    },
  );

  it('are many', () => {
    console.info(`${count} runs replayed`);
    expect(count).toBeGreaterThan(SEEDS);
  });
});
