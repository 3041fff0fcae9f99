import { LENGTHS, isAtMost } from '../../../edge/validation/lengths.js';
import { type Rule, described } from '../../../edge/validation/rules.js';

const MAX_SECONDS = 31_536_000;

const SECONDS = { type: 'integer', minimum: 1, maximum: MAX_SECONDS };
const TEXT = { type: 'string', maxLength: LENGTHS.schedule, minLength: 1 };

/** Seconds from now, or a date or cron expression, whose syntax is looked at later. */
export const schedule: Rule = described({ anyOf: [SECONDS, TEXT] }, (value) => {
  const message = typeof value === 'number' ? faultOfSeconds(value) : faultOfText(value);
  return message === null ? null : { message };
});

const faultOfSeconds = (value: number): string | null =>
  Number.isSafeInteger(value) && value >= 1 && value <= MAX_SECONDS
    ? null
    : `must be a whole number from 1 to ${MAX_SECONDS}`;

function faultOfText(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a number of seconds, a date or a cron expression';
  if (value === '') return 'must not be empty';
  return isAtMost(LENGTHS.schedule, value) ? null : `must have at most ${LENGTHS.schedule} characters`;
}
