import { type HardText, textOf } from './hard-texts.js';

/** What is held against a hard text: as the code uses it. */
export type Work = (text: string) => unknown;

/** UTF-16 units. A square of these is found before one of the larger takes minutes. */
const SIZES = [32 * 1024];
/** The long form, `npm run test:patterns`, adds a megabyte. */
const WHOLE_SIZES = [...SIZES, 256 * 1024, ...longSizes()];
/** What the work is held against: a part of the text. */
const PART = 16;
/** 16 times the text takes 16 times as long, and what a busy machine adds; a square 256 times. */
const GROWTH = 64;
/** As long as a few looks at every character is linear without more ado. */
const LOOKS = 40;
/** Shorter times are noise. */
const LEAST_MS = 1;
/** The counter of a thread's time goes in steps of some milliseconds. */
const MEASURED_MS = 40;
/** What is slow is so each time; what only seems so, because others took the caches or the heap was cleaned, is not. */
const ATTEMPTS = 3;

/** The first text on which the work grows faster than the text, with what it took; null: none of them. */
export function firstSlow(work: Work, texts: readonly HardText[]): string | null {
  for (const text of texts) {
    const slow = growthOn(work, text);
    if (slow !== null) return `${shown(text)}: ${slow}`;
  }
  return null;
}

function growthOn(work: Work, hard: HardText): string | null {
  for (const chars of hard.isCommon ? WHOLE_SIZES : SIZES) {
    const text = textOf(hard, chars);
    const from = performance.now();
    work(text);
    const part = textOf(hard, chars / PART);
    // A part is never held to take less than its floor: this is no growth beyond the limit, whatever the part takes.
    if (performance.now() - from <= GROWTH * floorOf(part.length)) continue;
    for (let attempt = 1, ratio = Infinity; ratio > GROWTH; attempt++) {
      ratio = growthBetween(work, part, text);
      if (ratio > GROWTH && attempt === ATTEMPTS)
        return `${chars} characters take ${ratio} times as long as a ${PART}th of them`;
    }
  }
  return null;
}

/** @throws Error where PATTERN_CHARS is no number */
function longSizes(): number[] {
  const chars = process.env['PATTERN_CHARS'];
  if (chars === undefined) return [];
  if (!/^\d{5,8}$/.test(chars)) throw new Error('PATTERN_CHARS is a number of characters');
  return [Number(chars)];
}

function growthBetween(work: Work, part: string, text: string): number {
  const before = Math.max(
    cpuMsOf(() => work(part)),
    floorOf(part.length),
  );
  return Math.round(cpuMsOf(() => work(text)) / before);
}

/** What a few looks at each of so many characters take here. */
function floorOf(chars: number): number {
  lookMs ??= cpuMsOf(() => look('a'.repeat(LOOKED_AT))) / LOOKED_AT;
  return Math.max(LEAST_MS, LOOKS * lookMs * chars);
}
const LOOKED_AT = 1024 * 1024;
let lookMs: number | undefined;

function look(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at);
  return sum;
}

/** Time of this thread alone, of one of as many rounds as can be measured: others on the machine do not count. */
function cpuMsOf(act: () => unknown): number {
  for (let rounds = 1; ; rounds *= 2) {
    const from = process.threadCpuUsage();
    for (let round = 0; round < rounds; round++) act();
    const { user, system } = process.threadCpuUsage(from);
    const ms = (user + system) / 1_000;
    if (ms >= MEASURED_MS) return ms / rounds;
  }
}

const shown = ({ before, again, after }: HardText): string =>
  [before, `${JSON.stringify(again)} again and again`, after]
    .map((part, i) => (i === 1 ? part : JSON.stringify(part.slice(0, 80))))
    .join(' + ');
