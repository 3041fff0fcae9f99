import type { EventLog } from '#event-log';
import type { Clock, Random } from '#platform';
import { type DirectoryNodes, parseCheckpoint, parseNote, toHex } from '#proof';
import type { LogKeys } from './log-keys.js';
import { LogPages } from './log-pages.js';
import type { Seal, TreeState } from './seal.js';
import type { SealLog } from './seal-log.js';
import { SealingStopped } from './sealing-stopped.js';
import type { TreeTables } from './tables/proof-store.js';
import { type GrownTree, StreamBroken, TreeWriter } from './tree-writer.js';

/** Events that are hashed and written at once: few enough to be garbage while they are young. */
export const EVENTS_AT_ONCE = 500;

/** What was signed, and what the log must give again. */
type Signed = Pick<Seal, 'seal' | 'size' | 'events' | 'directory' | 'note'>;

export interface TreeFillerPorts {
  readonly log: EventLog;
  readonly keys: LogKeys;
  readonly seals: SealLog;
  readonly random: Random;
  readonly clock: Clock;
}

/** Makes the tree again from the log, seal by seal; each must be what was signed. */
export class TreeFiller {
  constructor(private readonly ports: TreeFillerPorts) {}

  /**
   * @param from the tree that is gone on with; null: from the first event
   * @param kept the seal that is kept, where the log does not say it yet
   * @returns the tree at the newest seal; null: there is no seal
   * @throws SealingStopped log_rewritten
   */
  async make(
    tables: TreeTables,
    from: TreeState | null,
    nodes: DirectoryNodes,
    kept: Seal | null,
  ): Promise<TreeState | null> {
    const { log, keys, random, clock } = this.ports;
    if (from === null) await tables.clear();
    const writer = new TreeWriter(tables, nodes, clock, from ?? { size: 0, events: 0, edge: [] });
    const pages = new LogPages(log, from?.position ?? 0);
    const tree = from?.tree ?? random.uuid();
    let filled: TreeState | null = null;
    try {
      for await (const signed of this.signedAfter(from?.seal ?? 0, kept)) {
        const grown = await growTo(signed, writer, pages);
        this.compare(grown, signed);
        const { seal, note, directory } = signed;
        const { size, edge, path, last, position, events } = grown;
        const at = { size, edge, path, last, position, events };
        filled = { origin: keys.origin, tree, logId: log.logId, seal, note, directory, ...at };
      }
    } finally {
      await pages.close();
    }
    if (filled !== null) await tables.setTree(filled);
    return filled;
  }

  private async *signedAfter(seal: number, kept: Seal | null): AsyncGenerator<Signed> {
    let last = seal;
    for await (const logged of this.ports.seals.after(seal)) {
      last = logged.seal;
      yield logged;
    }
    if (kept !== null && kept.seal > last) yield kept;
  }

  private compare({ root, size, directory }: GrownTree, signed: Signed): void {
    const note = parseNote(signed.note);
    const checkpoint = note === null ? null : parseCheckpoint(note.text);
    const isSame =
      note !== null &&
      checkpoint?.size === size &&
      signed.size === size &&
      toHex(checkpoint.root) === toHex(root) &&
      signed.directory === toHex(directory) &&
      this.ports.keys.haveSigned(note);
    if (!isSame) throw rewritten(signed);
  }
}

async function growTo(signed: Signed, writer: TreeWriter, pages: LogPages): Promise<GrownTree> {
  while (writer.events < signed.events) {
    const events = await pages.take(Math.min(EVENTS_AT_ONCE, signed.events - writer.events));
    if (events.length === 0) throw rewritten(signed);
    await writer.add(events).catch((error: unknown) => {
      throw error instanceof StreamBroken ? rewritten(signed) : error;
    });
  }
  return writer.seal(signed.seal);
}

const rewritten = ({ seal, events }: Signed): SealingStopped =>
  new SealingStopped(
    'log_rewritten',
    `the first ${events} events of the log are not those that seal ${seal} signed`,
  );
