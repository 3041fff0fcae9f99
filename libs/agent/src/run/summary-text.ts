import type { ContextMessage } from '#domain';
import { CollectedText } from './collected-text.js';
import type { TextType } from './journal-entry.js';

/** The answer is far longer than it may be: nobody waits for its end. */
export class SummaryTooLong extends Error {
  override readonly name = 'SummaryTooLong';
}

/** An answer may be thought aloud first: so many times its room it may be until it is known what of it counts. */
const PATIENCE = 4;

/** Takes a summary, which has room for so many characters. */
export class SummaryText extends CollectedText {
  private chars = 0;

  constructor(private readonly room: number) {
    super();
  }

  /** Empty: there is none, or it is too long. */
  get summary(): string {
    const text = this.text.trim();
    return text.length > this.room ? '' : text;
  }

  override restart(): void {
    super.restart();
    this.chars = 0;
  }

  override wasThinking(): boolean {
    this.chars = 0;
    return super.wasThinking();
  }

  /** @throws SummaryTooLong */
  override add(type: TextType, text: string): undefined {
    if (type === 'agent_response') this.chars += text.length;
    if (this.chars > this.room * PATIENCE) throw new SummaryTooLong('the summary is too long');
    super.add(type, text);
  }
}

/** Characters of a word and what stands around it, and the part of its room that a summary is asked to take. */
const CHARS_OF_WORD = 8;
const PART = 0.6;

/** What the model is asked when its context is to be compacted. @param room characters */
export function askForSummary(room: number): ContextMessage {
  const words = Math.max(20, Math.floor((room * PART) / CHARS_OF_WORD));
  return {
    role: 'user',
    content:
      'Write a summary of this conversation for yourself: from here on you are shown the summary instead of the beginning ' +
      'of the conversation. Keep all that is needed to go on: what was asked for and under which conditions, what was ' +
      'decided, what was done and found out (names, numbers, ids, places, the exact words where they matter), what is ' +
      'still open. Take over what an earlier summary says. Answer with the summary alone and call no tool. ' +
      `It has ${words} words at most, and begins with: Summary of the conversation so far.`,
  };
}
