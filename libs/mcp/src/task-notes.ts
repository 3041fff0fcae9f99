import type { ServerTask } from '#domain';
import { jsonText } from './json-text.js';
import type { TaskEnd } from './task-end.js';

/** Bytes of results, of all runs of a process, that nobody was told of yet. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** What is known here of one task. Whoever asks about it goes on where the one before left off. */
export interface TaskNote {
  /** When its server answered last, and when it is to be asked next, in ms since 1970; how long to wait then. */
  heardAt: number;
  dueAt: number;
  pauseMs: number;
  /** Keys of what the server wanted to know when it was asked last, and of what it was told. */
  wanted: ReadonlySet<string>;
  readonly told: Set<string>;
}

/**
 * What is known of the tasks of a run, by those who ask about them in turn: whoever drives the run, and whoever asks while
 * nobody does. Owns the ends that were heard of and not told yet; room for them is shared by all runs of a process.
 */
export class TaskNotes {
  private readonly notes = new Map<string, TaskNote>();
  private readonly ends = new Map<string, { readonly end: TaskEnd; readonly bytes: number }>();
  private isOver = false;

  constructor(private readonly room = new ResultRoom()) {}

  /** @param server what tells it apart from the others of the run */
  of(server: string, { id, poll_ms: pauseMs, started_at }: ServerTask, now: number): TaskNote {
    const key = keyOf(server, id);
    const known = this.notes.get(key);
    if (known !== undefined) return known;
    const dueAt = started_at + pauseMs;
    const note: TaskNote = { heardAt: now, dueAt, pauseMs, wanted: new Set(), told: new Set() };
    this.notes.set(key, note);
    return note;
  }

  /** Keeps what has come of it for whoever drives the run next. Where there is no room it is asked for again. */
  keep(server: string, { id }: ServerTask, end: TaskEnd): void {
    if (this.isOver) return;
    const key = keyOf(server, id);
    this.take(server, { id });
    const bytes = sizeOf(end);
    if (bytes !== null && this.room.take(bytes)) this.ends.set(key, { end, bytes });
  }

  /** What has come of it, once; null: nothing that is known here. */
  take(server: string, { id }: Pick<ServerTask, 'id'>): TaskEnd | null {
    const key = keyOf(server, id);
    const kept = this.ends.get(key);
    if (kept === undefined) return null;
    this.ends.delete(key);
    this.room.give(kept.bytes);
    return kept.end;
  }

  /** The run is over: nobody is told of what comes now. */
  clear(): void {
    this.isOver = true;
    for (const { bytes } of this.ends.values()) this.room.give(bytes);
    this.ends.clear();
    this.notes.clear();
  }
}

export class ResultRoom {
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_KEPT_BYTES) {}

  /** Returns whether there is so much. */
  take(bytes: number): boolean {
    if (this.bytes + bytes > this.maxBytes) return false;
    this.bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.bytes -= bytes;
  }
}

const keyOf = (server: string, task: string): string => `${server}\n${task}`;

/** null: it is nested too deeply to be measured. */
function sizeOf(end: TaskEnd): number | null {
  const json = jsonText(end);
  return json === null ? null : json.length * 2;
}
