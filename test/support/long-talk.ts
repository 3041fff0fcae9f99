import type { ModelRequest } from '#agent';
import type { RunConfig } from '#domain';
import type { House } from './house.js';
import { type ClientStep, done, text } from './scripted-client.js';

const ASKS = 'Write a summary of this conversation';
export const isForSummary = ({ messages }: ModelRequest): boolean =>
  messages.at(-1)?.role === 'user' && messages.at(-1)!.content.startsWith(ASKS);
export const long = (n: number | string): string => String(n).padEnd(400, '.');
/** Says a summary where one is asked for, otherwise something long. */
export const talks =
  (summary: readonly ClientStep[] = [text('in short'), done()]) =>
  (request: ModelRequest, n: number): readonly ClientStep[] =>
    isForSummary(request) ? summary : [text(long(`answer ${n} `)), done()];
/** A session with so many runs, each of which asks and answers 400 characters. */
export async function talked(house: House, runs: number, config: RunConfig = {}): Promise<string> {
  const { session } = await house.run(long('ask 0 '), { config });
  for (let n = 1; n < runs; n++) await house.run(long(`ask ${n} `), { session, config });
  return session;
}
