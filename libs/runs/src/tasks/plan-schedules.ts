import {
  type Content,
  Problem,
  type ScheduleRequest,
  ScheduleRefused,
  nextSlot,
  parseSchedule,
} from '#domain';

/** A schedule as a request brings it. */
export interface ScheduleWish {
  /** Seconds from now, a date, or a cron expression. */
  readonly schedule: number | string;
  readonly timezone?: string;
  readonly message: string;
}

export type PlannedSchedule = Omit<ScheduleRequest, 'message'> & { readonly message: string };

/** Reads schedules as of `now`. @throws Problem invalid_request naming every field that is wrong */
export function planSchedules(wishes: readonly ScheduleWish[], now: number): readonly PlannedSchedule[] {
  const errors: { path: string; message: string }[] = [];
  const planned = wishes.flatMap((wish, index) => {
    try {
      return [planOne(wish, now)];
    } catch (error) {
      if (!(error instanceof ScheduleRefused)) throw error;
      errors.push({ path: `schedules[${index}].${error.field}`, message: error.message });
      return [];
    }
  });
  const [first] = errors;
  if (first === undefined) return planned;
  throw new Problem('invalid_request', `${first.path}: ${first.message}`, { errors });
}

function planOne({ schedule: given, timezone, message }: ScheduleWish, now: number): PlannedSchedule {
  const schedule = parseSchedule(given, timezone, now);
  const next_at = nextSlot(schedule, now);
  if (next_at === null) throw new ScheduleRefused('must be in the future');
  return { given, ...(timezone === undefined ? {} : { timezone }), schedule, next_at, message };
}

/** Where the messages are longer than this together, the long ones among them go to the file store. */
const INLINE_CHARS = 8_000;
const LONG_CHARS = 256;

/** The schedules as an event may hold them, however long their messages are. */
export async function storeMessages(
  planned: readonly PlannedSchedule[],
  toFile: (text: string) => Promise<Content>,
): Promise<readonly ScheduleRequest[]> {
  const chars = planned.reduce((sum, { message }) => sum + message.length, 0);
  if (chars <= INLINE_CHARS) return planned;
  return Promise.all(
    planned.map(async (schedule) => {
      const isLong = schedule.message.length > LONG_CHARS;
      return isLong ? { ...schedule, message: await toFile(schedule.message) } : schedule;
    }),
  );
}
