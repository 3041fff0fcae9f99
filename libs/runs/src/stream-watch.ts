import type { Journal } from '#agent';
import type { EventLog } from '#event-log';
import type { Background } from '#platform';

const ENDED = new Error('nothing is to be done in this session');

/** Hears what strangers write to a session while there is something to do in it: a cancel comes while the model hangs. */
export class StreamWatch {
  private controller: AbortController | null = null;

  constructor(
    private readonly journal: Journal,
    private readonly ports: { readonly log: EventLog; readonly background: Background },
  ) {}

  /** Whether the journal hears of everything anyway. */
  get isNeedless(): boolean {
    return this.ports.log.exclusive || this.controller !== null;
  }

  start(): void {
    if (this.isNeedless) return;
    const controller = new AbortController();
    this.controller = controller;
    const { journal, ports } = this;
    const options = { after: journal.revision, signal: controller.signal };
    ports.background.start('watch a session', async () => {
      for await (const events of ports.log.subscribeStream(journal.stream, options)) {
        const last = events.at(-1);
        if (last) journal.learn(last.revision);
      }
    });
  }

  stop(): void {
    this.controller?.abort(ENDED);
    this.controller = null;
  }
}
