import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { MessagePort, isMainThread } from 'node:worker_threads';

/**
 * Loaded before the service (`--import`), from outside of it: ends the process by SIGKILL at the boundary between the
 * process and the thread of its log.
 *
 * A message that holds `<die:sent:3:1>` makes the process die when the third append from that run's request on is about to
 * go to the thread, so that it is not stored; `<die:stored:3:2>` when it is stored and nobody has heard of it. The
 * last number tells orders apart: each is obeyed once over all processes: those that were are kept in the file DIED_FILE. DIE_EVERY=4: every process
 * dies when its fourth append is stored.
 */
interface AppendMessage {
  readonly kind: 'append';
  readonly fields: readonly (string | number)[];
}

type Method = (...args: readonly unknown[]) => unknown;

interface Order {
  readonly text: string;
  readonly when: string;
  left: number;
}

const file = process.env['DIED_FILE'] ?? '';
const every = Number(process.env['DIE_EVERY'] ?? Infinity);
const done = new Set(file !== '' && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
const orders = new Map<string, Order>();
let stored = 0;

const die = (text: string): void => {
  if (file !== '') appendFileSync(file, `${text}\n`);
  process.kill(process.pid, 'SIGKILL');
};

function hearOrders({ fields }: AppendMessage): void {
  if (!fields.includes('run_requested')) return;
  // Those of the run before, which had fewer appends.
  orders.clear();
  for (const field of fields) {
    if (typeof field !== 'string' || !field.includes('<die:')) continue;
    for (const [text, when = '', n] of field.matchAll(/<die:(sent|stored):(\d+):\d+>/g))
      if (!done.has(text) && !orders.has(text)) orders.set(text, { text, when, left: Number(n) });
  }
}

function count(when: string): void {
  for (const order of orders.values()) {
    if (order.when !== when) continue;
    order.left -= 1;
    if (order.left === 0) die(order.text);
  }
}

const isAppend = (message: unknown): message is AppendMessage =>
  (message as { kind?: unknown } | null)?.kind === 'append';
const isAppended = (message: unknown): boolean => (message as { kind?: unknown } | null)?.kind === 'appended';

if (isMainThread) {
  const [postMessage, on] = ['postMessage', 'on'].map(
    (name) => Reflect.get(MessagePort.prototype, name) as Method,
  );
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: unknown[]) {
    if (isAppend(args[0])) {
      hearOrders(args[0]);
      count('sent');
    }
    return Reflect.apply(postMessage!, this, args);
  };
  const listen = function (this: MessagePort, ...args: unknown[]): unknown {
    const [name, listener] = args;
    if (name !== 'message' || typeof listener !== 'function') return Reflect.apply(on!, this, args);
    const counting = (message: unknown): void => {
      if (isAppended(message)) {
        stored += 1;
        count('stored');
        if (stored >= every) die('every');
      }
      Reflect.apply(listener, this, [message]);
    };
    return Reflect.apply(on!, this, [name, counting]);
  };
  Reflect.set(MessagePort.prototype, 'on', listen);
}
