import type { Call, Step } from './trace.js';

/** A change of a file that a crash may undo: bytes at an offset, or a new length. */
export interface FileChange {
  readonly offset: number;
  /** Null: the file ends at `offset`. */
  readonly bytes: Buffer | null;
  /** Of all changes: the order in which they were made. */
  readonly number: number;
}

export class File {
  /** What a crash cannot undo. */
  durable: Buffer = Buffer.alloc(0);
  /** In the order in which they were made. */
  changes: FileChange[] = [];
  /** Older ones, of syncs that failed: the system holds them for written and does not write them again. Each in one page. */
  forsaken: FileChange[] = [];
}

export interface EntryChange {
  readonly name: string;
  /** Null: the name is gone. */
  readonly node: Node | null;
  readonly number: number;
}

export class Folder {
  /** What a program sees. */
  readonly entries = new Map<string, Node>();
  /** What a crash cannot undo. */
  readonly durable = new Map<string, Node>();
  changes: EntryChange[] = [];
}

export type Node = File | Folder;

/**
 * What is on a disk, and what is only on its way, after each system call of a recording. Strict: a file's sync makes
 * nothing durable but its content, a name is durable when its folder is synced, and what a failed sync was to write stays
 * unwritten until it is written again.
 */
export class SimulatedDisk {
  readonly root = new Folder();
  /** The lines that the processes wrote to their standard output. */
  readonly told: string[] = [];
  /** Counts whatever changed what a crash may leave. */
  version = 0;
  /** How many calls were made to fail. */
  failures = 0;
  private readonly open = new Map<number, { node: Node; offset: number }>();
  private readonly syncing = new Map<Call, { node: Node; changes: number }>();
  private changes = 0;

  constructor(private readonly path: string) {}

  /** Another process begins: nothing is open, and what the system keeps in memory is still there. */
  nextProcess(): void {
    this.open.clear();
    this.syncing.clear();
  }

  apply({ at, call }: Step): void {
    if (call.result === null) return;
    if (at === 'begin') this.begin(call, call.result);
    else this.end(call, call.result);
  }

  private begin(call: Call, result: number): void {
    const { name } = call;
    const text = (n: number): string => String(call.args[n]);
    if (name === 'fsync' || name === 'fdatasync') {
      const node = this.open.get(Number(text(0)))?.node;
      if (node !== undefined) this.syncing.set(call, { node, changes: node.changes.length });
      return;
    }
    if (result < 0) return;
    switch (name) {
      case 'close':
        this.open.delete(Number(text(0)));
        return;
      case 'write':
        return this.write(Number(text(0)), call.args[1] as Buffer, result);
      case 'pwrite64':
        return this.change(Number(text(0)), Number(text(3)), (call.args[1] as Buffer).subarray(0, result));
      case 'ftruncate':
        return this.change(Number(text(0)), Number(text(1)), null);
      case 'mkdir':
        return this.enter(text(0), new Folder());
      case 'rmdir':
      case 'unlink':
        return this.enter(text(0), null);
      case 'link':
        return this.enter(text(1), this.at(text(0)));
      case 'rename': {
        const node = this.at(text(0));
        this.enter(text(1), node);
        return this.enter(text(0), null);
      }
      case 'openat':
        return;
      default:
        return this.refuse(call);
    }
  }

  private end(call: Call, result: number): void {
    if (call.isInjected) this.failures += 1;
    const syncing = this.syncing.get(call);
    this.syncing.delete(call);
    if (syncing !== undefined) this.sync(syncing.node, syncing.changes, result === 0);
    if (call.name === 'openat' && result >= 0) this.opened(call, result);
  }

  private opened({ args }: Call, descriptor: number): void {
    const path = String(args[0]);
    if (!this.isOurs(path)) return;
    const flags = String(args[1]);
    if (flags.includes('O_APPEND')) throw new Error(`${path} is opened to be appended to`);
    let node = this.at(path);
    if (node === null) this.enter(path, (node = new File()));
    this.open.set(descriptor, { node, offset: 0 });
    if (flags.includes('O_TRUNC')) this.change(descriptor, 0, null);
  }

  private write(descriptor: number, bytes: Buffer, written: number): void {
    if (descriptor === 1) this.told.push(...bytes.toString('utf8').split('\n').slice(0, -1));
    const found = this.open.get(descriptor);
    if (found === undefined) return;
    this.change(descriptor, found.offset, bytes.subarray(0, written));
    found.offset += written;
  }

  private change(descriptor: number, offset: number, bytes: Buffer | null): void {
    const node = this.open.get(descriptor)?.node;
    if (!(node instanceof File)) return;
    node.changes.push({ offset, bytes, number: (this.changes += 1) });
    this.version += 1;
  }

  private enter(path: string, node: Node | null): void {
    if (!this.isOurs(path)) return;
    const slash = path.lastIndexOf('/');
    const folder = this.at(path.slice(0, slash));
    if (!(folder instanceof Folder)) throw new Error(`${path} is in no folder that is known`);
    const name = path.slice(slash + 1);
    if (node === null) folder.entries.delete(name);
    else folder.entries.set(name, node);
    folder.changes.push({ name, node, number: (this.changes += 1) });
    this.version += 1;
  }

  private sync(node: Node, count: number, isDone: boolean): void {
    this.version += 1;
    if (node instanceof Folder) {
      if (isDone) for (const change of node.changes.splice(0, count)) enterInto(node.durable, change);
      return;
    }
    const synced = node.changes.splice(0, count);
    if (!isDone) {
      node.forsaken.push(...synced.flatMap(pagesOf));
      return;
    }
    // The system writes whole pages: what it had given up goes with what was written beside it.
    const pages = new Set(synced.flatMap(pagesOf).map(pageOf));
    const saved = node.forsaken.filter((change) => pages.has(pageOf(change)));
    node.forsaken = node.forsaken.filter((change) => !pages.has(pageOf(change)));
    for (const change of [...saved, ...synced]) node.durable = changed(node.durable, change);
  }

  private at(path: string): Node | null {
    if (!this.isOurs(path)) return null;
    let node: Node | undefined = this.root;
    for (const name of path.slice(this.path.length).split('/').filter(Boolean))
      node = node instanceof Folder ? node.entries.get(name) : undefined;
    return node ?? null;
  }

  private isOurs(path: string): boolean {
    return path === this.path || path.startsWith(`${this.path}/`);
  }

  /** A call that is not understood here would make every verdict worthless. */
  private refuse({ name, args }: Call): void {
    const touched = args.some((arg) =>
      arg instanceof Buffer ? this.isOurs(arg.toString()) : this.open.has(Number(arg)),
    );
    if (touched) throw new Error(`the simulated disk does not know ${name}`);
  }
}

export function enterInto(entries: Map<string, Node>, { name, node }: EntryChange): void {
  if (node === null) entries.delete(name);
  else entries.set(name, node);
}

export function changed(content: Buffer, { offset, bytes }: FileChange): Buffer {
  const length = bytes === null ? offset : Math.max(content.length, offset + bytes.length);
  const grown = length === content.length ? content : Buffer.alloc(length);
  if (grown !== content) content.copy(grown);
  bytes?.copy(grown, offset);
  return grown;
}

const PAGE = 4096;
const pageOf = ({ offset }: FileChange): number => Math.floor(offset / PAGE);

function pagesOf(change: FileChange): FileChange[] {
  return change.bytes === null ? [change] : piecesOf(change, change.bytes, PAGE);
}

/** The change, cut where a piece of the disk ends. */
export function piecesOf(change: FileChange, bytes: Buffer, size: number): FileChange[] {
  const pieces: FileChange[] = [];
  for (let at = 0; at < bytes.length;) {
    const offset = change.offset + at;
    const end = Math.min(bytes.length, at + size - (offset % size));
    pieces.push({ offset, bytes: bytes.subarray(at, end), number: change.number });
    at = end;
  }
  return pieces;
}
