import { MessagePort, isMainThread } from 'node:worker_threads';

/**
 * Loaded before the service (`--import`), from outside of it: ends the process by SIGKILL at the boundary between the
 * process and the thread of its log. DIE_AT=`sent:document_uploaded`: the first append with such an event is not stored;
 * `stored:document_uploaded`: it is, and nobody has heard of it.
 */
const [when = '', type = ''] = (process.env['DIE_AT'] ?? '').split(':');

type Method = (...args: readonly unknown[]) => unknown;

/** Of each append without an answer, whether it is the one. */
const waiting: boolean[] = [];

const die = (): void => process.kill(process.pid, 'SIGKILL') as unknown as void;

function hearSent(message: unknown): void {
  const { kind, fields = [] } = message as { kind?: unknown; fields?: readonly unknown[] };
  if (kind !== 'append') return;
  // Appends one after the other: stream, expected, count, then for each event id, type, time, json, meta, proof.
  for (let at = 0; at < fields.length;) {
    const end = at + 3 + 6 * Number(fields[at + 2]);
    const isIt = fields.slice(at, end).includes(type);
    if (isIt && when === 'sent') die();
    waiting.push(isIt);
    at = end;
  }
}

function hearReply(message: unknown): void {
  const { kind, outcomes } = message as { kind?: unknown; outcomes?: readonly number[] };
  if (kind !== 'appended') return;
  // Two numbers each.
  const answered = waiting.splice(0, (outcomes?.length ?? 0) / 2);
  if (when === 'stored' && answered.includes(true)) die();
}

if (isMainThread && when !== '') {
  const [postMessage, on] = ['postMessage', 'on'].map(
    (name) => Reflect.get(MessagePort.prototype, name) as Method,
  );
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: unknown[]) {
    if (typeof args[0] === 'object' && args[0] !== null) hearSent(args[0]);
    return Reflect.apply(postMessage!, this, args);
  };
  const listen = function (this: MessagePort, ...args: unknown[]): unknown {
    const [name, listener] = args;
    if (name !== 'message' || typeof listener !== 'function') return Reflect.apply(on!, this, args);
    const hearing = (message: unknown): void => {
      if (typeof message === 'object' && message !== null) hearReply(message);
      Reflect.apply(listener, this, [message]);
    };
    return Reflect.apply(on!, this, [name, hearing]);
  };
  Reflect.set(MessagePort.prototype, 'on', listen);
}
