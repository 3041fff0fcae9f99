import type { RecordedEvent } from '../envelope.js';

/** Estimated memory of an event in bytes: its text, parsed data and fields. */
export const weightOf = (event: RecordedEvent): number => event.json.length * 3 + 400;
