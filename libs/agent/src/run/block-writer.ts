import type { Draft, SessionId } from '#domain';
import type { ContentStore } from '#vault';
import type { TextType } from './journal-entry.js';

/** Where a run's events go: to its journal, and into what the driver knows. */
export interface RunSink {
  write(drafts: readonly Draft[]): void;
  writeText(type: TextType, text: string): void;
}

/** Writes the blocks of one turn: piece by piece, or each as a whole when it is complete. */
export class BlockWriter {
  private type: TextType | null = null;
  private parts: string[] = [];

  constructor(
    private readonly sink: RunSink,
    private readonly contents: ContentStore,
    private readonly session: SessionId,
    private readonly isStreaming: boolean,
  ) {}

  /** Returns a promise only where a whole block has to be stored first. */
  add(type: TextType, text: string): Promise<void> | undefined {
    if (this.type === type) return this.append(text);
    if (this.type !== null && !this.isStreaming) return this.close().then(() => this.begin(type, text));
    this.begin(type, text);
    return undefined;
  }

  /** Ends the open block. */
  async close(): Promise<void> {
    const { type } = this;
    this.type = null;
    if (type === null || this.isStreaming) return;
    const content = await this.contents.store(this.session, this.parts.join(''));
    this.parts = [];
    this.sink.write([{ type, data: { content } }]);
  }

  /** What was said of the open block is a message of its own. */
  async breakOff(): Promise<void> {
    if (this.parts.length > 0) await this.close();
  }

  /** What the open block says is thinking; false: a client has seen it as a response already. */
  wasThinking(): boolean {
    if (this.isStreaming) {
      this.type = null;
      return false;
    }
    if (this.type !== 'agent_response') return true;
    this.type = 'agent_thinking';
    this.sink.write([{ type: 'agent_thinking_start', data: {} }]);
    return true;
  }

  private begin(type: TextType, text: string): void {
    this.type = type;
    this.sink.write([
      { type: type === 'agent_response' ? 'agent_response_start' : 'agent_thinking_start', data: {} },
    ]);
    this.append(text);
  }

  private append(text: string): undefined {
    if (this.isStreaming) this.sink.writeText(this.type as TextType, text);
    else this.parts.push(text);
  }
}
