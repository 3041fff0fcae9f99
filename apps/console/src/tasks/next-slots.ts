import { Cron } from 'croner';

/**
 * The next slots of a cron expression after a moment, in ms since 1970. The service's own answer, `next_run_at`, is the
 * first of them; these say how it goes on.
 * @returns none where the expression or the zone is not known here
 */
export function nextSlots(
  expression: string,
  timezone: string,
  after: number,
  count: number,
): readonly number[] {
  try {
    const cron = new Cron(expression.trim(), { timezone, mode: '5-part' });
    return cron.nextRuns(count, new Date(after)).map((slot) => slot.getTime());
  } catch {
    return [];
  }
}
