import { type Finding, fault, ok, warning } from './finding.js';

/** An answer takes a while, and an HTTP date has whole seconds. */
const NEAR_MS = 5_000;
/** What receivers of signed callbacks let pass (Standard Webhooks: five minutes). */
const FAR_MS = 300_000;

/** This machine's clock beside those that were heard, all in ms since 1970; null: one was not. */
export function checkClock(now: number, heard: readonly (number | null)[]): Finding {
  const others = heard.filter((time) => time !== null);
  const time = new Date(now).toISOString();
  if (others.length === 0) return ok('clock', `${time}, and nothing outside to hold it against`);
  const offMs = others.map((other) => Math.abs(now - other)).sort((a, b) => b - a)[0] ?? 0;
  const off = `${time} is ${Math.round(offMs / 1000)} s from another clock`;
  const advice = 'let the machine keep its time by NTP: schedules and signatures go by it';
  if (offMs > FAR_MS) return fault('clock', off, advice);
  return offMs > NEAR_MS ? warning('clock', off, advice) : ok('clock', off);
}
