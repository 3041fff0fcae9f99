import { SimClock } from '../simulation/engine/ports.js';
import { Scheduler } from '../simulation/engine/scheduler.js';
import { Tape } from '../simulation/engine/tape.js';
import { Trace } from '../simulation/engine/trace.js';
import { newLedger } from '../simulation/world/ledger.js';
import { LogStore } from '../simulation/world/log-store.js';
import { Marks } from '../simulation/world/marks.js';
import { partsOf } from '../simulation/world/parts.js';
import { SimLog } from '../simulation/world/sim-log.js';
import { type SimWorld, immortal } from '../simulation/world/sim-world.js';
import { type Weather, drawWeather } from '../simulation/world/weather.js';
import { eventLogContract } from './event-log.contract.js';
import type { LogHarness } from './event-log/harness.js';
import { quiet } from '../support/quiet.js';

const CALM = drawWeather(Tape.of([]), partsOf([]));

/** What happens below a subscription and must not be seen above it. */
const BAD_CONNECTION: Weather = {
  ...CALM,
  feedDropped: 200,
  feedDuplicated: 300,
  feedBehind: 400,
  smallPages: 300,
  answerDelayed: 100,
  disorder: 300,
};

function makeHarness(weather: Weather, isExclusive: boolean): () => Promise<LogHarness> {
  return async () => {
    const tape = Tape.ofSeed(Number(process.env['SEED'] ?? 1));
    const scheduler = new Scheduler(tape, new Trace(false), Date.UTC(2026, 0, 1), weather.disorder);
    const world: SimWorld = {
      scheduler,
      tape,
      weather,
      store: new LogStore(),
      ledger: newLedger(0),
      marks: new Marks(),
      parts: partsOf([]),
      flaw: null,
      isExclusive,
      maxRuns: 1,
      table: null,
      violated: (invariant, detail) => {
        throw new Error(`${invariant}: ${detail}`);
      },
    };
    const owner = immortal('contract');
    const open = () => new SimLog(world, owner, new SimClock(scheduler, owner));
    let log = open();
    const over = new AbortController();
    const turning = (async () => {
      // The suite's own waits are real ones, so the world goes on whenever something is asked of it.
      while (!over.signal.aborted) if (!(await scheduler.step())) await quiet(1);
    })();
    return {
      keys: world.store.keys,
      get log() {
        return log;
      },
      reopen: async () => {
        await log.close();
        log = open();
        return log;
      },
      dispose: async () => {
        await log.close();
        over.abort();
        await turning;
      },
    };
  };
}

eventLogContract('SimLog', makeHarness(CALM, true));
eventLogContract('SimLog over a bad connection', makeHarness(BAD_CONNECTION, false));
