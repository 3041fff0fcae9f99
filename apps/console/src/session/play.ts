import { type Signal, signal } from '@preact/signals';
import type { SessionModel } from './model.js';

const LONGEST_GAP_MS = 1000;
/** Shorter pauses are not waited for: a frame is as short as it gets. */
const SHORTEST_MS = 16;

/** How long the player waits between two events, in ms: as long as it was, and a second at most. */
export const pauseMs = (before: number, after: number, speed: number): number =>
  Math.max(SHORTEST_MS, Math.min(after - before, LONGEST_GAP_MS) / speed);

/** Walks through a log at its own pace. Owns the timer. */
export class Player {
  readonly isPlaying = signal(false);
  readonly isFast: Signal<boolean> = signal(false);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly model: SessionModel) {}

  toggle(): void {
    if (this.isPlaying.value) return this.pause();
    if (this.model.at.value >= this.model.last.value) this.model.seek(0);
    this.isPlaying.value = true;
    this.step();
  }

  pause(): void {
    this.isPlaying.value = false;
    clearTimeout(this.timer);
  }

  private step(): void {
    const { events } = this.model.store;
    const at = this.model.at.value;
    const [now, next] = [events[at], events[at + 1]];
    if (now === undefined || next === undefined) return this.pause();
    this.timer = setTimeout(
      () => {
        // Somebody else has gone somewhere meanwhile: it goes on from there.
        if (this.model.at.value === at) this.model.seek(at + 1);
        if (this.isPlaying.value) this.step();
      },
      pauseMs(now.time, next.time, this.isFast.value ? 10 : 1),
    );
  }
}
