import { randomUUID } from 'node:crypto';
import { newEvent, SqliteEventLog } from '#event-log';
import { SilentLogger } from '#platform';

/**
 * A process that appends to the log in the folder of its first argument, to streams with the prefix of its second, until
 * it is killed. Each acknowledgement is a line of JSON.
 */
const [folder = '', prefix = ''] = process.argv.slice(2);
const log = await SqliteEventLog.open({ folder, logger: new SilentLogger() });
const meta = { schemaVersion: 1, project: 'contract', actor: 'doomed' };

const write = async (writer: number): Promise<never> => {
  const stream = `${prefix}-${writer}`;
  for (let expected = -1; ;) {
    const events = Array.from({ length: 1 + (expected % 3) + 1 }, (_, n) =>
      newEvent({ id: randomUUID(), type: 'contract_event', time: 0, data: { n } }, meta),
    );
    const result = await log.append(stream, events, { expected });
    if (result.kind === 'conflict') throw new Error(`${stream} is not mine`);
    expected = result.last;
    process.stdout.write(
      `${JSON.stringify({ stream, first: result.first, ids: events.map(({ id }) => id) })}\n`,
    );
  }
};

await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)));
