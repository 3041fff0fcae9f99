import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the service (`--import`), from outside of it: ends the process by SIGKILL where it works on what somebody
 * has sent. DIE_AT_WORDS=`read:poison`: when it parses a JSON text that holds the word; `fired:poison`: when it makes the
 * event of a run that a task has fired, with the word in it.
 */
const [when = '', word = ''] = (process.env['DIE_AT_WORDS'] ?? '').split(':');

type Method = (...args: readonly unknown[]) => unknown;

const die = (): void => process.kill(process.pid, 'SIGKILL') as unknown as void;

function replace(name: 'parse' | 'stringify', isFatal: (text: string, args: readonly unknown[]) => boolean) {
  const method = Reflect.get(JSON, name) as Method;
  Reflect.set(JSON, name, (...args: readonly unknown[]): unknown => {
    const made = Reflect.apply(method, JSON, args);
    const text = name === 'parse' ? args[0] : made;
    if (typeof text === 'string' && text.includes(word) && isFatal(text, args)) die();
    return made;
  });
}

const isFired = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'trigger' in value && value.trigger === 'task';

if (isMainThread && when === 'read') replace('parse', () => true);
if (isMainThread && when === 'fired') replace('stringify', (_, [value]) => isFired(value));
