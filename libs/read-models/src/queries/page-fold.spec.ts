import { expect, it } from '@jest/globals';
import {
  SessionTape,
  completed,
  opened,
  response,
  responseStart,
  step,
  turn,
} from '../../../../test/support/session-tape.js';
import { PageFold } from './page-fold.js';

it('a message in whose middle its run was taken over can be the last of a page', () => {
  const run = 'run_1';
  const tape = new SessionTape().add(undefined, opened).addRun(run, 'hi', responseStart, response('Hel'));
  const begun = tape.next - 2;
  tape.add(
    run,
    { type: 'run_claimed', data: { worker: 'w2', epoch: 2, requested: 1 } },
    response('lo'),
    turn(),
    step(1),
    completed,
  );
  const fold = new PageFold({ after: -1, isHidden: false }, -1, 9);
  for (const event of tape.events) fold.push(event, event.revision);
  fold.finish();
  const last = fold.page.at(-1);
  expect(last).toMatchObject({ revision: begun, at: begun, pieces: ['Hel', 'lo'] });
  expect(last?.safe).toBeLessThan(begun);
  const next = new PageFold({ after: last!.safe, isHidden: false }, last!.revision, 9);
  for (const event of tape.events.slice(last!.safe + 1)) next.push(event, event.revision);
  next.finish();
  expect(next.page).toEqual([]);
});
