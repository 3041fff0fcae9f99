import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dice } from '../dice.js';
import {
  type EntryChange,
  File,
  type FileChange,
  Folder,
  type Node,
  type SimulatedDisk,
  changed,
  enterInto,
  piecesOf,
} from './simulated-disk.js';

/**
 * What a power loss may leave of what was not synced. A disk writes sectors, in any order; of one that it was writing, any
 * bytes may be left where new ones were to go, and none beside them (SQLite calls that powersafe overwrite).
 */
export const LOSSES = ['everything', 'nothing', 'the end', 'sectors', 'sectors and garbled ones'] as const;
export type Loss = (typeof LOSSES)[number];

const SECTOR = 512;

/** Contents by path; null for a folder. */
export type CrashState = ReadonlyMap<string, Buffer | null>;

/** Whether there is anything that a crash could undo. */
export function hasUnsynced(disk: SimulatedDisk): boolean {
  return pendingOf(disk.root).length > 0;
}

export function crashState(disk: SimulatedDisk, loss: Loss, dice: Dice): CrashState {
  const pending = pendingOf(disk.root);
  const last = pending.length === 0 ? 0 : dice.pick(pending);
  const state = new Map<string, Buffer | null>();
  const chance = new Chance(loss, last, dice);
  collect(disk.root, '', chance, state);
  return state;
}

/** Makes a folder of a state, in the place of what is there. */
export function writeState(folder: string, state: CrashState): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  mkdirSync(folder);
  for (const [path, content] of state)
    if (content === null) mkdirSync(join(folder, path));
    else writeFileSync(join(folder, path), content);
}

/** The numbers of all changes that a crash could undo, of names that may be lost as well. */
function pendingOf(folder: Folder): number[] {
  const found: number[] = [];
  const seen = new Set<Node>();
  const look = (node: Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    for (const { number } of node.changes) found.push(number);
    if (node instanceof File) for (const { number } of node.forsaken) found.push(number);
    else for (const next of [...node.durable.values(), ...node.entries.values()]) look(next);
  };
  look(folder);
  return found;
}

function collect(folder: Folder, path: string, chance: Chance, state: Map<string, Buffer | null>): void {
  const entries = new Map(folder.durable);
  for (const change of folder.changes) if (chance.entered(change)) enterInto(entries, change);
  for (const [name, node] of entries) {
    const below = join(path, name);
    if (node instanceof File) state.set(below, chance.contentOf(node));
    else {
      state.set(below, null);
      collect(node, below, chance, state);
    }
  }
}

class Chance {
  /** Names are kept in the order in which they were given, as by a file system with a journal, or in none. */
  private readonly isJournaled: boolean;
  /** What failed syncs have left is lost as a whole, whatever came after it. */
  private readonly isForsakenLost: boolean;

  constructor(
    private readonly loss: Loss,
    /** The last change that was not lost where what is lost is the end. */
    private readonly last: number,
    private readonly dice: Dice,
  ) {
    this.isJournaled = dice.chance(50);
    this.isForsakenLost = dice.chance(60);
  }

  entered({ number }: EntryChange): boolean {
    if (this.loss === 'everything') return false;
    if (this.loss === 'nothing') return true;
    if (this.loss === 'the end' || this.isJournaled) return number <= this.last;
    return this.dice.chance(50);
  }

  contentOf(file: File): Buffer {
    let content: Buffer = Buffer.from(file.durable);
    let length = content.length;
    for (const change of [...(this.isForsakenLost ? [] : file.forsaken), ...file.changes]) {
      for (const left of this.leftOf(change)) content = changed(content, left);
      length = change.bytes === null ? change.offset : Math.max(length, change.offset + change.bytes.length);
    }
    // The new length may be there without the bytes.
    const isLonger = this.loss.startsWith('sectors') && length > content.length && this.dice.chance(30);
    return isLonger ? Buffer.concat([content, Buffer.alloc(length - content.length)]) : content;
  }

  private leftOf(change: FileChange): readonly FileChange[] {
    const { bytes, number } = change;
    switch (this.loss) {
      case 'everything':
        return [];
      case 'nothing':
        return [change];
      case 'the end':
        if (number !== this.last || bytes === null) return number <= this.last ? [change] : [];
        return piecesOf(change, bytes, SECTOR).slice(0, this.dice.below(bytes.length / SECTOR + 1));
      default:
        if (bytes === null || this.dice.chance(50)) return this.dice.chance(50) ? [change] : [];
        return piecesOf(change, bytes, SECTOR).flatMap((piece) => this.sectorOf(piece, piece.bytes!));
    }
  }

  private sectorOf(piece: FileChange, bytes: Buffer): FileChange[] {
    if (this.loss === 'sectors and garbled ones' && this.dice.chance(30))
      return [{ ...piece, bytes: this.garbled(bytes) }];
    return this.dice.chance(50) ? [piece] : [];
  }

  private garbled(bytes: Buffer): Buffer {
    const kept = this.dice.below(bytes.length + 1);
    if (this.dice.chance(30)) return Buffer.concat([bytes.subarray(0, kept)], bytes.length);
    if (this.dice.chance(40)) return bytes.subarray(0, kept);
    return Buffer.from(bytes.map(() => this.dice.below(256)));
  }
}
