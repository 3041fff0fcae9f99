import { ProcessBackground, SilentLogger } from '#platform';
import { type SessionId, sessionStream } from '#domain';
import { type MemoryContentKeys } from '#event-log';
import { type ErasedSession, EraseSession, Erasures } from '#runs';
import { MemoryFileStore } from '#vault';
import { CountingRandom } from './counting-random.js';
import { CALLER, House, type HouseOptions } from './house.js';
import { MemoryErasureCheckpoints } from './memory-erasure-checkpoints.js';
import type { TempLog } from './temp-log.js';

/** A process that forks and erases, on a log whose sessions are sealed. */
export class ForkingHouse extends House {
  readonly eraser: EraseSession;
  readonly erasures: Erasures;
  private readonly reading: TempLog;

  constructor(
    temp: TempLog,
    keys: MemoryContentKeys,
    boot: string,
    { files = new MemoryFileStore(), ...options }: HouseOptions,
  ) {
    super(temp, boot, { files, ...options });
    this.reading = temp;
    const { log, clock } = this;
    const { sessions, commands, tasks } = this.core;
    const logger = new SilentLogger();
    this.erasures = new Erasures({
      log,
      keys,
      files,
      knowing: [sessions],
      checkpoints: new MemoryErasureCheckpoints(),
      clock,
      random: new CountingRandom(`erasures ${boot}`),
      background: new ProcessBackground(logger),
      logger,
      onFatal: (error) => {
        throw error;
      },
    });
    const { streams } = temp;
    this.eraser = new EraseSession({
      log,
      sessions,
      commands,
      tasks,
      streams,
      erasures: this.erasures,
      clock,
    });
  }

  fork(session: SessionId, at?: number, more: { readonly title?: string; readonly key?: string } = {}) {
    const { title, key } = more;
    const wish = {
      session,
      ...(at === undefined ? {} : { at }),
      ...(title === undefined ? {} : { title }),
    };
    const idempotency = key === undefined ? {} : { idempotency: { key, payload: { ...wish } } };
    return this.core.forks.fork({ ...wish, ...idempotency }, CALLER);
  }

  /** Time passes until it is done. */
  async erase(session: SessionId, withForks = false): Promise<ErasedSession> {
    const over = new AbortController();
    const work = this.eraser.erase(session, CALLER, withForks).finally(() => over.abort());
    // Whoever awaits it below hears of a refusal.
    work.catch(() => undefined);
    while (!over.signal.aborted) {
      await this.reading.read('nothing');
      this.clock.advance(20);
    }
    return work;
  }

  /** The revision of its n-th event of the type, from 0. */
  async revisionOf(session: SessionId, type: string, n = 0): Promise<number> {
    const found = (await this.reading.read(sessionStream(session))).filter((event) => event.type === type)[n];
    if (found === undefined) throw new Error(`there is no ${type} ${n} in ${session}`);
    return found.revision;
  }
}
