import { expect } from '@jest/globals';
import type { ServiceClient } from './service-client.js';
import { until } from './until.js';

/** A stream of a session in which nothing happens any more is kept open by comments. */
export async function expectKeptOpen(client: ServiceClient, session: string): Promise<void> {
  const stream = await client.follow(`/sessions/${session}`);
  await stream.until(({ event }) => event.type === 'agent_completed');
  const since = stream.others.length;
  await until(() => stream.others.length > since || stream.end !== 'open');
  expect(stream.end).toBe('open');
  expect(stream.others.at(-1)).toMatch(/^:/);
  stream.leave();
}
