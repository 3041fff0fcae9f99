import { MAX_APPEND_BYTES } from '#event-log';
import { type Entry, MAX_TEXT, type TextType, cutAt } from './journal-entry.js';
import type { RunWriter } from './run-writer.js';

/** What waits for the next append. Owns who waits until less text does. */
export class EntryQueue {
  private readonly entries: Entry[] = [];
  /** UTF-16 units of text. */
  private size = 0;
  private roomWaiters: (() => void)[] = [];

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  get first(): Entry | undefined {
    return this.entries[0];
  }

  push(entry: Entry): void {
    this.entries.push(entry);
    this.size += sizeOf(entry);
  }

  /** Lets the last entry have as much of the text as it can take; returns the rest. */
  extend(writer: RunWriter, type: TextType, text: string): string {
    const last = this.entries.at(-1);
    if (last?.kind !== 'text' || last.writer !== writer || last.type !== type || last.made) return text;
    const room = cutAt(text, MAX_TEXT - last.text.length);
    last.text += text.slice(0, room);
    this.size += room;
    return text.slice(room);
  }

  shift(): Entry {
    const entry = this.entries.shift() as Entry;
    this.size -= sizeOf(entry);
    return entry;
  }

  putBack(entries: readonly Entry[]): void {
    this.entries.unshift(...entries);
    for (const entry of entries) this.size += sizeOf(entry);
  }

  /** Less than an append's worth of text waits. */
  get hasRoom(): boolean {
    return this.size < MAX_APPEND_BYTES;
  }

  async room(): Promise<void> {
    while (!this.hasRoom) await new Promise<void>((resolve) => this.roomWaiters.push(resolve));
  }

  /** To be called when something was taken. */
  wakeWaiters(): void {
    if (this.hasRoom && this.roomWaiters.length > 0) for (const wake of this.roomWaiters.splice(0)) wake();
  }
}

const sizeOf = (entry: Entry): number => (entry.kind === 'text' ? entry.text.length : 0);
