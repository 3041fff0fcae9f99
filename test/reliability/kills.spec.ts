import { expect, it } from '@jest/globals';
import { alwaysCrash } from './always-crash.js';
import { killAtBoundaries } from './kill-at-boundaries.js';
import { killDeliveries } from './kill-deliveries.js';
import { killFirings } from './kill-firings.js';
import { killTasks } from './kill-tasks.js';
import { killWaiting } from './kill-waiting.js';
import { numberOfCommit } from '../support/commit-number.js';
import { type Verdict, say } from './verdict.js';
import { randomKills } from './random-kills.js';

const BOUNDARIES = Number(process.env['KILLS'] ?? 6);
const RANDOM = Number(process.env['RANDOM_KILLS'] ?? 2);
const DELIVERIES = Number(process.env['DELIVERY_KILLS'] ?? 3);
const FIRINGS = Number(process.env['FIRING_KILLS'] ?? 2);
const WAITING = Number(process.env['WAITING_KILLS'] ?? 2);
const TASKS = Number(process.env['TASK_KILLS'] ?? 4);
const MINUTES_10 = 600_000;

it(
  'loses, doubles and reorders nothing when it is killed at any boundary of any run',
  async () => {
    const { faults, verdict, line } = await killAtBoundaries(BOUNDARIES, numberOfCommit());
    say(line);
    expectNoHarm(verdict);
    expect(faults).toBeGreaterThanOrEqual(BOUNDARIES);
  },
  MINUTES_10,
);

it(
  'delivers every event, in order and under one id, when it is killed at the steps of deliveries',
  async () => {
    const { faults, verdict, line } = await killDeliveries(DELIVERIES, numberOfCommit());
    say(line);
    expectNoHarm(verdict);
    expect(faults).toBe(DELIVERIES);
  },
  MINUTES_10,
);

it(
  'fires each slot once when it is killed at the steps of firings',
  async () => {
    const { faults, verdict, line } = await killFirings(FIRINGS, numberOfCommit());
    say(line);
    expectNoHarm(verdict);
    expect(faults).toBe(FIRINGS);
  },
  MINUTES_10,
);

it(
  'carries out once what was released, when it is killed while a run waits and is decided on',
  async () => {
    const { faults, verdict, line } = await killWaiting(WAITING, numberOfCommit());
    say(line);
    expectNoHarm(verdict);
    expect(faults).toBe(WAITING);
  },
  MINUTES_10,
);

it(
  'calls a tool once and has what came of its Task, when it is killed at the steps of the Task',
  async () => {
    const { faults, verdict, line } = await killTasks(TASKS, numberOfCommit());
    say(line);
    expectNoHarm(verdict);
    expect(faults).toBeGreaterThanOrEqual(TASKS);
  },
  MINUTES_10,
);

it(
  'brings every run to its end although each of its processes dies after a few appends',
  async () => {
    const { faults, verdict, line } = await alwaysCrash(1);
    say(line);
    expectNoHarm(verdict);
    expect(faults).toBeGreaterThan(0);
  },
  MINUTES_10,
);

it(
  'goes on with every run after each of many kills at random, under the load of many streams',
  async () => {
    const seed = numberOfCommit();
    const options = { seed, kills: RANDOM, streams: 100, leastMs: 300, mostMs: 1_500 };
    const { verdict, line } = await randomKills(options);
    say(line);
    expectNoHarm(verdict);
  },
  MINUTES_10,
);

function expectNoHarm({ problems, lost, doubled, reordered, acknowledged }: Verdict): void {
  expect(problems).toEqual([]);
  expect({ lost, doubled, reordered }).toEqual({ lost: 0, doubled: 0, reordered: 0 });
  expect(acknowledged).toBeGreaterThan(0);
}
