import { expect, it } from '@jest/globals';
import { EgressGuard, SilentLogger, SystemClock, readEgressAllow } from '#platform';
import { RunToolboxes } from './run-toolboxes.js';

it.each([
  ['is free for a query where there are no workflows', [], false],
  ['is taken where there are some', [{ id: 'w', name: 'w', description: 'd', steps: [] }], true],
])('the name run_workflow %s', async (_, workflows, isTaken) => {
  let reserved: Iterable<string> = [];
  const toolboxes = new RunToolboxes({
    egress: new EgressGuard(readEgressAllow('')),
    clock: new SystemClock(),
    logger: new SilentLogger(),
    knowledge: {
      open: (_, names) => {
        if (names !== undefined) reserved = names;
        return Promise.resolve([]);
      },
    },
  });
  const config = { datastores: [{ id: 'd', name: 'd' }], workflows };
  await toolboxes.open({ run: 'r', session: 's', project: 'p', config }, new AbortController().signal);
  expect([...reserved].includes('run_workflow')).toBe(isTaken);
});
