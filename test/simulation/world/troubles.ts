import type { RecordedEvent } from '#event-log';
import { immortal, type SimWorld } from './sim-world.js';
import type { SimWorker } from './sim-worker.js';
import type { Supervisors } from './supervisors.js';

/** Appends of nothing but these leave a run where it was. */
const TEXT = new Set(['agent_response_start', 'agent_response', 'agent_thinking_start', 'agent_thinking']);
const CLAIM = new Set(['run_claimed']);

/** What befalls workers as a whole: crashes, pauses, a full disk, a take-over from the living, an orderly stop. */
export class Troubles {
  private readonly owner = immortal('world');
  private readonly doomed: number[] = [];

  constructor(
    private readonly world: SimWorld,
    private readonly workers: readonly SimWorker[],
    private readonly supervisors: Supervisors,
    private readonly alwaysCrash: boolean,
  ) {
    if (alwaysCrash) world.store.listeners.add((events) => this.doom(events));
  }

  /** Before each step of the hurting. */
  strike(): void {
    for (const number of this.doomed.splice(0)) {
      const worker = this.workers.find(({ life }) => life?.number === number);
      if (worker) this.crash(worker);
    }
    const { tape, weather } = this.world;
    const trouble = tape.pick('none', [
      ['crash', this.alwaysCrash ? 0 : weather.crash],
      ['pause', weather.pause],
      ['full', weather.full],
      ['unreadable', weather.full],
      ['take over', weather.takeOver],
      ['drain', weather.crash / 5],
    ]);
    if (trouble === 'none') return;
    this.world.marks.hit(trouble);
    this.befall(trouble);
  }

  /** All that had to wait goes on, all that had died is back. */
  end(): void {
    for (const worker of this.workers) {
      if (worker.life === null) worker.boot();
      else worker.life.owner.isPaused = false;
    }
  }

  private befall(trouble: 'crash' | 'pause' | 'full' | 'unreadable' | 'take over' | 'drain'): void {
    const { scheduler, store, tape, weather } = this.world;
    const worker = this.workers[tape.choose(this.workers.length)] as SimWorker;
    scheduler.trace.add(scheduler.now, 'world', `${trouble} ${worker.replica}`);
    switch (trouble) {
      case 'crash':
        return this.crash(worker);
      case 'pause':
        return this.pause(worker);
      case 'full':
        store.fullUntil = scheduler.now + tape.choose(20_000);
        return;
      case 'unreadable':
        store.unreadableUntil = scheduler.now + tape.choose(5_000);
        return;
      case 'take over':
        return this.supervisors.misjudge();
      default:
        worker.drain();
        return this.bootLater(worker, 20_000 + weather.crash);
    }
  }

  private crash(worker: SimWorker): void {
    const { store, flaw, isExclusive, tape } = this.world;
    worker.crash();
    if (flaw === 'acknowledged_before_stored' && isExclusive) store.lose(tape.choose(3));
    this.bootLater(worker, this.alwaysCrash ? 0 : ([0, 100, 5_000, 60_000][tape.choose(4)] ?? 0));
  }

  private bootLater(worker: SimWorker, ms: number): void {
    this.world.scheduler.after(this.owner, ms, `${worker.replica} boots`, () => {
      if (worker.life === null) worker.boot();
    });
  }

  /** Stopped, as by a debugger or a busy host: its timers run late, all that came for it is handled afterwards. */
  private pause(worker: SimWorker): void {
    const { life } = worker;
    if (life === null) return;
    life.owner.isPaused = true;
    const ms = [10, 1_000, 40_000][this.world.tape.choose(3)] ?? 10;
    this.world.scheduler.after(this.owner, ms, `${worker.replica} goes on`, () => {
      life.owner.isPaused = false;
    });
  }

  private doom(events: readonly RecordedEvent[]): void {
    if (this.world.tape.isSilent) return;
    if (events.every(({ type }) => CLAIM.has(type))) return;
    if (events.every(({ type }) => TEXT.has(type)) && !this.world.tape.chance(300)) return;
    this.doomed.push(Number.parseInt(events[0]?.id.slice(0, 4) ?? '', 16));
  }
}
