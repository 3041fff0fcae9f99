import { type Schedule, nextSlot } from '#domain';
import { OracleCron, drawCron } from './cron-oracle.js';
import { Dice } from './dice.js';
import { checkClockPath } from './clock-paths.js';
import { type RowReport, Verdict } from './verdict.js';
import { type ZoneRule, wallAt, zoneRules } from './zone-rules.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FROM = Date.UTC(2026, 0, 1);
const UNTIL = Date.UTC(2036, 0, 1);
/** Slots of a window at most; a window with more of them is shorter. */
const SLOTS = 25;
/** One of so many gets a task under a clock that goes astray. */
const PATH_EVERY = 4;

export interface ZoneOptions {
  readonly crons: number;
  readonly isEveryZone: boolean;
  readonly seed: number;
}

/**
 * F17: in each zone, around moments at which its clocks are set (and around leap days, ends of years, any day of ten
 * years), the slots of many cron expressions are those of the wall clock, from wherever one looks; and a task whose
 * machine's clock goes back, forward and stands still fires each of them once, or records it as missed.
 */
export function zones({ crons, isEveryZone, seed }: ZoneOptions): RowReport {
  const dice = new Dice(seed);
  const rules = zoneRules(FROM, UNTIL, isEveryZone);
  const verdict = new Verdict();
  let slots = 0;
  let paths = 0;
  for (const rule of rules)
    for (let n = 0; n < crons; n += 1) {
      const cron = new OracleCron(drawCron(dice));
      const window = drawWindow(rule, n, dice);
      slots += checkWindow(rule, cron, window, dice, verdict);
      const isAstray = n % PATH_EVERY === 0;
      if (isAstray && checkClockPath(scheduleOf(rule, cron), window, dice, verdict)) paths += 1;
    }
  verdict.acknowledged = slots;
  const transitions = rules.reduce((sum, rule) => sum + rule.transitions.length, 0);
  const line = `F17 ${rules.length} ${isEveryZone ? 'zones' : 'zone rules'} with ${transitions} changes of their clocks × ${crons} crons (seed ${seed}): ${slots} slots, ${paths} tasks under clocks that go back and forward, ${verdict.problems.length} problems`;
  return { faults: rules.length * crons, verdict, line };
}

export interface Window {
  readonly from: number;
  readonly until: number;
}

const scheduleOf = ({ zone: timezone }: ZoneRule, { text: expression }: OracleCron): Schedule => ({
  kind: 'cron',
  expression,
  timezone,
});

const LEAP_DAY = Date.UTC(2028, 1, 29);
const NEW_YEAR = Date.UTC(2032, 0, 1);

function drawWindow({ transitions }: ZoneRule, n: number, dice: Dice): Window {
  const transition = transitions.length === 0 ? undefined : dice.pick(transitions);
  const days = FROM + dice.below((UNTIL - FROM) / DAY) * DAY;
  const middle =
    n % 4 === 3 || transition === undefined ? dice.pick([LEAP_DAY, NEW_YEAR, days]) : transition.at;
  const from = middle - dice.pick([20 * MINUTE, 3 * HOUR, 26 * HOUR]) - dice.below(60) * MINUTE;
  return { from, until: from + dice.pick([6 * HOUR, 2 * DAY, 4 * DAY]) };
}

/** Compares the product's slots with the wall clock, minute by minute. Returns how many there were. */
function checkWindow(rule: ZoneRule, cron: OracleCron, window: Window, dice: Dice, verdict: Verdict): number {
  const schedule = scheduleOf(rule, cron);
  const told = (why: string, at: number) => () =>
    `${cron.text} in ${rule.zone}: ${why} ${new Date(at).toISOString()}`;
  const slots = slotsFrom(schedule, window);
  const isWhole = slots.length < SLOTS;
  const until = isWhole ? window.until : (slots.at(-1) ?? window.until);
  const found = new Set(slots);
  const shown = new Map<number, number>();
  for (let at = firstMinute(window.from); at <= until; at += MINUTE) {
    const wall = wallAt(rule, at);
    const isFirst = !shown.has(wall) && !wasShown(rule, wall, at);
    shown.set(wall, at);
    const gap = rule.transitions.find((t) => t.after > t.before && Math.abs(at - t.at) <= 2 * HOUR);
    const isNearGap = gap !== undefined && at >= gap.at && at < gap.at + (gap.after - gap.before);
    if (cron.matches(wall) && isFirst) verdict.require(found.has(at), told('no slot at', at));
    if (cron.matches(wall) && !isFirst && cron.hasFixedHours)
      verdict.require(!found.has(at) || isNearGap, told('a second slot at', at));
    if (!cron.matches(wall)) verdict.require(!found.has(at) || isNearGap, told('a slot at', at));
  }
  checkGaps(rule, cron, { from: window.from, until }, found, verdict);
  for (let n = 0; n < 4; n += 1) {
    const after = window.from + dice.below(Math.max(1, (until - window.from) / 1000)) * 1000;
    const next = slots.find((slot) => slot > after);
    if (next !== undefined)
      verdict.require(nextSlot(schedule, after) === next, told(`not ${next} is next after`, after));
  }
  return slots.length;
}

const firstMinute = (from: number): number => Math.floor(from / MINUTE) * MINUTE + MINUTE;

/** Whether the wall clock showed this before, of a change that lies before the window. */
function wasShown({ transitions }: ZoneRule, wall: number, at: number): boolean {
  return transitions.some(
    (t) => t.after < t.before && t.at <= at && wall - t.before < t.at && wall - t.after >= t.at,
  );
}

function slotsFrom(schedule: Schedule, { from, until }: Window): number[] {
  const slots: number[] = [];
  let slot = nextSlot(schedule, from);
  while (slot !== null && slot <= until && slots.length < SLOTS) {
    slots.push(slot);
    slot = nextSlot(schedule, slot);
  }
  return slots;
}

/** A slot of the wall clock that never comes moves behind the gap, where hours are named. */
function checkGaps(
  { transitions, zone }: ZoneRule,
  cron: OracleCron,
  { from, until }: Window,
  found: ReadonlySet<number>,
  verdict: Verdict,
): void {
  if (!cron.hasFixedHours) return;
  for (const { at, before, after } of transitions) {
    const length = after - before;
    if (length <= 0 || at <= from || at + length > until) continue;
    for (let wall = at + before; wall < at + after; wall += MINUTE) {
      if (!cron.matches(wall)) continue;
      const isThere = [...found].some((slot) => slot >= at && slot < at + length);
      verdict.require(
        isThere,
        () => `${cron.text} in ${zone}: nothing for the gap at ${new Date(at).toISOString()}`,
      );
      break;
    }
  }
}
