import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TaskServer, WORKING, completed } from '../support/mcp-servers/task-server.js';
import { leftToServer, openQuarry, startDigging } from '../support/quarry.js';
import { TempLog } from '../support/temp-log.js';
import { until } from '../support/until.js';

describe('a run with a task at a server', () => {
  let server: TaskServer;
  let temp: TempLog;
  beforeAll(async () => {
    temp = await TempLog.open();
  });
  afterAll(() => temp.close());
  beforeEach(async () => {
    server = await TaskServer.start();
  });
  afterEach(() => server.close());

  it('that is cancelled tells the server', async () => {
    const house = openQuarry(temp);
    const of = await startDigging(house, server);
    await until(() => server.asked.length > 1);
    await house.cancel(of);
    expect((await house.ended(of)).type).toBe('agent_cancelled');
    expect(server.asked.at(-1)).toBe('tasks/cancel t1');
  });

  it('that waits for its server ends at once when it is cancelled, and the server is told', async () => {
    const house = openQuarry(temp);
    const of = await startDigging(house, server);
    await leftToServer(house, of, server);
    await house.cancel(of);
    expect((await house.ended(of)).type).toBe('agent_cancelled');
    await until(() => server.asked.includes('tasks/cancel t1'));
    await house.settled();
    expect(house.core.sessions.active()).toEqual([]);
  });

  it('that is cancelled before anybody asks about it again tells the server all the same', async () => {
    const reached = Promise.withResolvers<void>();
    let opened = 0;
    const house = openQuarry(temp, { mayOpen: () => (++opened === 1 ? Promise.resolve() : reached.promise) });
    const of = await startDigging(house, server);
    await leftToServer(house, of, server);
    await until(() => opened === 2);
    const asked = server.asked.length;
    await house.cancel(of);
    expect((await house.ended(of)).type).toBe('agent_cancelled');
    reached.resolve();
    await house.settled();
    expect(server.asked.slice(asked)).toEqual(['tasks/cancel t1']);
  });

  it('that is cancelled while whoever goes on with it connects to its server tells it all the same', async () => {
    let opened = 0;
    const aborted = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const house = openQuarry(temp, {
      mayOpen: (signal) => (++opened === 3 ? aborted(signal) : Promise.resolve()),
      calls: ['c1', 'c2'],
    });
    const of = await startDigging(house, server);
    await leftToServer(house, of, server);
    server.answerOf = (task) => (task === 't1' ? completed('gold') : WORKING);
    await until(() => opened === 3);
    await house.cancel(of);
    expect((await house.ended(of)).type).toBe('agent_cancelled');
    await house.settled();
    expect(server.asked).toContain('tasks/cancel t2');
  });
});
