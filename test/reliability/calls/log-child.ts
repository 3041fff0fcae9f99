import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SilentLogger } from '../../../libs/platform/src/logger.js';
import { type NewEvent, newEvent } from '../../../libs/event-log/src/envelope.js';
import { AppendOutcomeUnknown, LogUnavailable } from '../../../libs/event-log/src/event-log.js';
import { SqliteEventLog } from '../../../libs/event-log/src/sqlite/sqlite-event-log.js';
import { Dice } from '../dice.js';
import { GAVE_UP, type LogChildOptions, REFUSED, tell } from './children.js';

/** A process that appends to the log of its folder and tells every attempt and what came of it. */
const options = JSON.parse(process.argv[2] ?? '') as LogChildOptions;
const STREAMS = ['a', 'b', 'c', 'd'] as const;
const META = { schemaVersion: 1, project: 'calls', actor: 'child' };
const PATIENCE = 6;
const RETRY_MS = 2;
const dice = new Dice(options.seed);

const log = await SqliteEventLog.open({
  folder: options.folder,
  logger: new SilentLogger(),
  walBytes: options.walBytes,
  reserveBytes: options.walBytes,
  faults: { synchronous: options.synchronous ?? 'FULL' },
}).catch((error: unknown) => {
  tell({ kind: 'not_opened', detail: String(error) });
  process.exit(REFUSED);
});
const heads = new Map<string, number>();
for (const stream of STREAMS)
  for await (const page of log.readStream(stream, { backwards: true, limit: 1 }))
    heads.set(stream, page[0]?.revision ?? -1);

for (let count = 0; count < options.appends;) {
  const writers = STREAMS.slice(0, dice.chance(60) ? 1 : 1 + dice.below(STREAMS.length));
  await Promise.all(writers.map((stream) => append(stream)));
  count += writers.length;
}
await log.close();

/** Until it is stored. */
async function append(stream: string): Promise<void> {
  const expected = heads.get(stream) ?? -1;
  let events = someEvents();
  for (let tries = 0; tries < PATIENCE; tries++) {
    const ids = events.map(({ id }) => id);
    tell({ kind: 'tried', stream, first: expected + 1, ids });
    if (options.isHasty === true) tell({ kind: 'stored', ids });
    try {
      const result = await log.append(stream, events, { expected });
      if (result.kind === 'conflict') throw new Error(`${stream} is at ${result.actual}, not ${expected}`);
      tell({ kind: 'stored', ids });
      heads.set(stream, result.last);
      return;
    } catch (error) {
      // What was refused is not stored; something else may take its place. What is unknown is tried again as it was.
      if (error instanceof LogUnavailable) {
        tell({ kind: 'refused', ids });
        events = someEvents();
      } else if (!(error instanceof AppendOutcomeUnknown)) throw error;
      await sleep(RETRY_MS);
    }
  }
  process.exit(GAVE_UP);
}

function someEvents(): NewEvent[] {
  return Array.from({ length: 1 + dice.below(3) }, () => {
    // Some are longer than a page of the file.
    const text = 'x'.repeat(dice.chance(10) ? 3_000 + dice.below(6_000) : dice.below(300));
    return newEvent({ id: randomUUID(), type: 'written', time: 0, data: { text } }, META);
  });
}
