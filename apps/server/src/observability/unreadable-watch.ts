import { FileDamaged, FileStore } from '#vault';
import { type RecordedEvent } from '#event-log';
import type { Clock, Counter, Logger, Metrics } from '#platform';

/** Events and files that are remembered, so that each counts once however often it is read. */
const REMEMBERED = 10_000;
/** Lines a minute: a key that is lost makes thousands of events unreadable. */
const LINES = 10;
const MINUTE_MS = 60_000;

/** Counts what stands on the log and does not open, and says which it is. Owns what was told. */
export class UnreadableWatch {
  private readonly seen = new Set<string>();
  private readonly count: Counter<never>;
  private minute = { since: -Infinity, lines: 0 };

  constructor(
    private readonly clock: Clock,
    metrics: Metrics,
    private readonly logger: Logger,
  ) {
    this.count = metrics.counter({
      name: 'annals_events_unreadable_total',
      help: 'Events, and files of events, that were read and do not open: damaged, or their key is lost.',
    });
    this.count.add({}, 0);
  }

  readonly event = ({ stream, revision, type, meta }: RecordedEvent): void => {
    const fields = { stream, revision, type, ...(meta.run === undefined ? {} : { run: meta.run }) };
    this.tell(`${stream} ${revision}`, fields, 'an event cannot be read: it was damaged, or its key is lost');
  };

  /** The store, watched. */
  ofFiles(files: FileStore): FileStore {
    return new WatchedFiles(files, (scope, file) =>
      this.tell(
        `${scope}/${file}`,
        { scope, file },
        'a file cannot be read: it was damaged, or its key is lost',
      ),
    );
  }

  private tell(id: string, fields: object, message: string): void {
    if (this.seen.has(id)) return;
    const [oldest] = this.seen;
    if (this.seen.size >= REMEMBERED && oldest !== undefined) this.seen.delete(oldest);
    this.seen.add(id);
    this.count.add({});
    const now = this.clock.now();
    if (now - this.minute.since >= MINUTE_MS) this.minute = { since: now, lines: 0 };
    if (this.minute.lines++ < LINES) this.logger.error(fields, message);
  }
}

class WatchedFiles extends FileStore {
  constructor(
    private readonly files: FileStore,
    private readonly onDamaged: (scope: string, name: string) => void,
  ) {
    super();
  }

  override put(scope: string, content: Uint8Array): Promise<string> {
    return this.files.put(scope, content);
  }

  override async get(scope: string, name: string): Promise<Uint8Array> {
    try {
      return await this.files.get(scope, name);
    } catch (error) {
      if (error instanceof FileDamaged) this.onDamaged(scope, name);
      throw error;
    }
  }

  override remove(scope: string): Promise<void> {
    return this.files.remove(scope);
  }
}
