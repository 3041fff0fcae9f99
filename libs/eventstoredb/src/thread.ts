import { workerData } from 'node:worker_threads';
import { SystemClock, SystemRandom } from '#platform';
import type { ThreadData } from '#event-log';
import type { Reply, Request, ThreadOptions } from './protocol.js';
import { failureOf } from './replies.js';
import { ServerSide } from './server-side.js';

/** The program of the adapter's thread: a ServerSide at the end of the port. */
const { options, port } = workerData as ThreadData<ThreadOptions>;
const reply = (message: Reply): void => port.postMessage(message);

try {
  const side = new ServerSide(options, { clock: new SystemClock(), random: new SystemRandom() }, reply);
  port.on('message', (request: Request) => side.take(request));
  void side.open();
} catch (error) {
  reply({ kind: 'refused', failure: failureOf(error) });
}
