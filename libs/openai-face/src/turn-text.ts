import type { Revision, SessionId } from '#domain';
import type { OutputEntry, Passage } from './passage.js';
import { type OpenBlock, openMessage, openReasoning } from './open-block.js';

/**
 * The blocks of a passage's turn. Owns which of them belong to a turn that is not complete: when it is taken again they
 * leave the output, as they leave the context.
 */
export class TurnText {
  private passage: Passage | null = null;
  private block: OpenBlock | null = null;
  private ofTurn: OutputEntry[] = [];
  private broken: OutputEntry[] = [];

  /** @param isAside what is said in turns is not the answer */
  constructor(
    private readonly session: SessionId,
    private readonly isAside: boolean,
  ) {}

  begin(passage: Passage, isResponse: boolean, start: Revision): void {
    this.passage = passage;
    this.close(false);
    this.dropBroken();
    const open = isResponse && !this.isAside ? openMessage : openReasoning;
    this.block = open(passage, this.session, start);
    this.ofTurn.push(this.block.entry);
  }

  add(piece: string): void {
    this.block?.add(piece);
  }

  /** The turn is complete, or was cut at its length. */
  complete(isCut: boolean): void {
    this.close(isCut);
    this.dropBroken();
    this.ofTurn = [];
  }

  /** The turn broke, is taken up by another process, or the run has ended: what it said stays until it is said anew. */
  breakOff(): void {
    this.close(true);
    this.broken.push(...this.ofTurn.splice(0));
  }

  private close(isIncomplete: boolean): void {
    this.block?.close(isIncomplete ? 'incomplete' : 'completed');
    this.block = null;
  }

  private dropBroken(): void {
    this.passage?.drop(this.broken);
    this.broken = [];
  }
}
