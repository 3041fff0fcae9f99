import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { notFound, sessionStream } from '#domain';
import { House } from '../../../../../../test/support/house.js';
import { done, text } from '../../../../../../test/support/scripted-client.js';
import { PROJECT } from '../../../../../../test/support/session-tape.js';
import { TempLog } from '../../../../../../test/support/temp-log.js';
import { RunPlaces } from './run-places.js';

let temp: TempLog;
beforeAll(async () => void (temp = await TempLog.open()));
afterAll(() => temp.close());

describe('the place of a run that the lists do not know yet', () => {
  const lists = { place: () => Promise.reject(notFound('the run')) };

  it('is found on the log', async () => {
    const house = new House(temp, 'places', { script: () => [text('ok'), done()] });
    const first = await house.run('one');
    const { session } = first;
    const second = await house.run('two', { session });
    const places = new RunPlaces(house.core.sessions, lists, house.log);
    const ends = (await temp.read(sessionStream(session)))
      .filter(({ type }) => type === 'agent_completed')
      .map(({ revision }) => revision);
    for (const [n, { run, requested }] of [first, second].entries())
      expect(await places.find(PROJECT, run)).toEqual({ session, run, before: requested, lastId: ends[n] });
    await expect(places.find(PROJECT, `run_${session}_none`)).rejects.toMatchObject({ code: 'not_found' });
    await expect(places.find('another', first.run)).rejects.toMatchObject({ code: 'not_found' });
  });
});
