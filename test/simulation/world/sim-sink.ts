import { ClientSink } from '#delivery';
import { sessionStream } from '#domain';
import type { Owner } from '../engine/scheduler.js';
import { type SimWorld, latency, strikes } from './sim-world.js';
import type { Connection } from './transcript.js';

const RECORD = /^id: (\d+)\ndata: (.*)$/;

/** The far end of one SSE connection: reads fast or slowly, or goes away in the middle. */
export class SimSink extends ClientSink {
  private readonly controller = new AbortController();

  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
    readonly connection: Connection,
    private readonly ended: () => void,
  ) {
    super();
  }

  override get gone(): AbortSignal {
    return this.controller.signal;
  }

  override write(text: string): Promise<void> {
    if (this.connection.end !== 'open') return Promise.resolve();
    const { world, connection } = this;
    for (const record of text.split('\n\n')) {
      if (record === '') continue;
      const match = RECORD.exec(record);
      if (!match) throw new Error(`no SSE record: ${record}`);
      const stored = world.store.lastOf(sessionStream(connection.session));
      connection.received.push({ id: Number(match[1]), json: match[2] ?? '', stored });
    }
    if (strikes(world, 'clientGone')) this.leave();
    const ms = strikes(world, 'clientSlow') ? 1 + world.tape.choose(5000) : latency(world);
    return new Promise((resolve) => {
      world.scheduler.after(this.owner, ms, 'client reads', resolve);
    });
  }

  override end(text: string): void {
    if (text === '') this.serve();
    else void this.write(text).then(() => this.serve());
  }

  /** The client goes away, the server hears of it. */
  leave(): void {
    this.cut();
    this.controller.abort(new Error('the client is gone'));
  }

  private serve(): void {
    if (this.connection.end !== 'open') return;
    this.connection.end = 'served';
    this.ended();
  }

  /** The connection broke; a server that is dead hears nothing. */
  cut(): void {
    if (this.connection.end !== 'open') return;
    this.connection.end = 'cut';
    this.ended();
  }
}
