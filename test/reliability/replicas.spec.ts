import { expect, it } from '@jest/globals';
import { replicaFaults } from './replicas.js';
import { numberOfCommit } from '../support/commit-number.js';
import { say } from './verdict.js';

const FAULTS = Number(process.env['REPLICA_FAULTS'] ?? 6);

it('loses, doubles and reorders nothing while replicas are killed, frozen and stopped', async () => {
  const { verdict, line } = await replicaFaults({ seed: numberOfCommit(), faults: FAULTS, streams: 20 });
  say(line);
  const { problems, lost, doubled, reordered, acknowledged } = verdict;
  expect(problems).toEqual([]);
  expect({ lost, doubled, reordered }).toEqual({ lost: 0, doubled: 0, reordered: 0 });
  expect(acknowledged).toBeGreaterThan(0);
}, 600_000);
