import { isMainThread, MessagePort } from 'node:worker_threads';

/**
 * Loaded before the service (`--import`), from outside of it: a bug that nobody catches, in whichever thread is given an
 * append with an event of the type FAIL_AT.
 */
const type = process.env['FAIL_AT'];

if (!isMainThread && type !== undefined) {
  const on = Reflect.get(MessagePort.prototype, 'on') as (...args: readonly unknown[]) => unknown;
  Reflect.set(MessagePort.prototype, 'on', function (this: MessagePort, ...args: unknown[]): unknown {
    const [name, listener] = args;
    if (name !== 'message' || typeof listener !== 'function') return Reflect.apply(on, this, args);
    const hearing = (message: { readonly fields?: readonly unknown[] }): void => {
      if (message.fields?.includes(type)) throw new Error('a bug of the thread');
      Reflect.apply(listener, this, [message]);
    };
    return Reflect.apply(on, this, [name, hearing]);
  });
}
