import { type Draft, type RunConfig, type RunState, evolveRun, newRun } from '#domain';
import { ContentStore, MemoryFileStore } from '#vault';
import { DraftSink } from './draft-sink.js';

/** What a run's calls are recorded in, without a log: as if each write were on it at once. */
export class CallRecord extends DraftSink {
  readonly run = 'run_ses_1_a';
  readonly session = 'ses_1';
  readonly contents = new ContentStore(new MemoryFileStore());
  readonly replay = null;
  state: RunState;
  private readonly listeners = new Set<() => void>();

  constructor(config: RunConfig = {}) {
    super();
    this.state = newRun({ mode: 'base', model: 'm', message: 'hi', config });
  }

  override write(drafts: readonly Draft[]): void {
    super.write(drafts);
    this.state = drafts.reduce(evolveRun, this.state);
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  onNews(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** What others write. */
  hear(...drafts: readonly Draft[]): void {
    this.write(drafts);
    for (const tell of this.listeners) tell();
  }
}
