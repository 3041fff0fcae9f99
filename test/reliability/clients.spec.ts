import { expect, it } from '@jest/globals';
import { badClients } from './bad-clients.js';
import { greed } from './greed.js';
import { nonsense } from './nonsense.js';
import { numberOfCommit } from '../support/commit-number.js';
import { type RowReport, say } from './verdict.js';

const REQUESTS = Number(process.env['NONSENSE'] ?? 1_000);

function expectNoHarm({ verdict, line }: RowReport): void {
  say(line);
  expect(verdict.problems).toEqual([]);
}

it('answers nonsense without a 5xx, and stores nothing of it', async () => {
  expectNoHarm(await nonsense(REQUESTS, numberOfCommit()));
});

it('serves healthy clients among bad ones, within bounds, and lets go of the bad', async () => {
  expectNoHarm(await badClients(20));
});

it('serves others beside a caller who asks for what would stop it', async () => {
  expectNoHarm(await greed(2));
});
