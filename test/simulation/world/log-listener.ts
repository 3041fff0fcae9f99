import type { RecordedEvent } from '#event-log';

/** What a process that shares its log may hang on: what it hears, and that it uses the log. */
export interface LogListener {
  heard(events: readonly RecordedEvent[]): void;
  used(): void;
}

export const SILENT: LogListener = { heard: () => undefined, used: () => undefined };
