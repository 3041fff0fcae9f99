import type { TaskId } from '#domain';
import type { Revision } from '#event-log';

/** A task and how much of it is known: the revision of its latest event. */
export interface DueTask {
  readonly task: TaskId;
  readonly known: Revision;
}

interface Entry {
  readonly task: TaskId;
  at: number;
  known: Revision;
  /** Where it stands in the heap. */
  place: number;
}

/** The next slot of many tasks, the earliest first: a binary heap that knows where each task stands. */
export class DueHeap {
  private readonly heap: Entry[] = [];
  private readonly entries = new Map<string, Entry>();

  get size(): number {
    return this.heap.length;
  }

  /** ms since 1970; null: nothing is to come. */
  get earliest(): number | null {
    return this.heap[0]?.at ?? null;
  }

  set({ task, known }: DueTask, at: number): void {
    const present = this.entries.get(task);
    if (present === undefined) {
      const entry = { task, at, known, place: this.heap.length };
      this.entries.set(task, entry);
      this.heap.push(entry);
      this.rise(entry);
      return;
    }
    const isEarlier = at < present.at;
    present.at = at;
    present.known = known;
    if (isEarlier) this.rise(present);
    else this.sink(present);
  }

  delete(task: TaskId): void {
    const known = this.entries.get(task);
    if (known === undefined) return;
    this.entries.delete(task);
    const last = this.heap.pop();
    if (last === undefined || last === known) return;
    this.put(last, known.place);
    this.rise(last);
    this.sink(last);
  }

  /** Takes the earliest task that is due; null: none is. */
  takeDue(now: number): DueTask | null {
    const [first] = this.heap;
    if (first === undefined || first.at > now) return null;
    this.delete(first.task);
    return first;
  }

  private rise(entry: Entry): void {
    while (entry.place > 0) {
      const parent = this.heap[(entry.place - 1) >> 1];
      if (parent === undefined || parent.at <= entry.at) return;
      this.swap(entry, parent);
    }
  }

  private sink(entry: Entry): void {
    for (;;) {
      const left = this.heap[2 * entry.place + 1];
      const right = this.heap[2 * entry.place + 2];
      const child = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (child === undefined || child.at >= entry.at) return;
      this.swap(entry, child);
    }
  }

  private swap(a: Entry, b: Entry): void {
    const { place } = a;
    this.put(a, b.place);
    this.put(b, place);
  }

  private put(entry: Entry, place: number): void {
    entry.place = place;
    this.heap[place] = entry;
  }
}
