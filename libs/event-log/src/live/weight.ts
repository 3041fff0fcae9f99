import type { RecordedEvent } from '../envelope.js';

/** Bytes that an event takes in memory, estimated: its text, its data parsed, its fields. */
export const weightOf = (event: RecordedEvent): number => event.json.length * 3 + 400;
