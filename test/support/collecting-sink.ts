import { ClientSink } from '#delivery';
import type { Gate } from './scripted-turn.js';

/** A client that reads: collects what it is sent, and is slow where a gate says so. */
export class CollectingSink extends ClientSink {
  private readonly leaving = new AbortController();
  readonly writes: string[] = [];
  isEnded = false;
  private watchers: (() => void)[] = [];

  constructor(private readonly gate?: Gate) {
    super();
  }

  override get gone(): AbortSignal {
    return this.leaving.signal;
  }

  override async write(text: string): Promise<void> {
    this.receive(text);
    await this.gate?.arrive();
  }

  override end(text: string): void {
    if (text !== '') this.receive(text);
    this.isEnded = true;
  }

  leave(): void {
    this.leaving.abort();
  }

  /** The SSE records, as they came. */
  get records(): string[] {
    return this.writes.join('').split(/(?<=\n\n)/);
  }

  get ids(): number[] {
    return this.records.filter((r) => r !== '').map((r) => Number(/^id: (\d+)\n/.exec(r)?.[1]));
  }

  private receive(text: string): void {
    this.writes.push(text);
    for (const wake of this.watchers.splice(0)) wake();
  }

  /** Resolves when so many records have come. */
  async received(n: number): Promise<void> {
    while (this.ids.length < n) await new Promise<void>((resolve) => this.watchers.push(resolve));
  }
}
