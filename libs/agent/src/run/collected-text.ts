import type { TextType } from './journal-entry.js';
import type { TurnOutput } from '../model/model-turn.js';

/** Keeps what the model answers in a turn that no client sees; what it thinks is dropped. */
export class CollectedText implements TurnOutput {
  private parts: string[] = [];

  get text(): string {
    return this.parts.join('');
  }

  restart(): void {
    this.parts = [];
  }

  wasThinking(): boolean {
    this.parts = [];
    return true;
  }

  add(type: TextType, text: string): undefined {
    if (type === 'agent_response') this.parts.push(text);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
