import { fromHex, toHex, utf8 } from '../bytes.js';
import { eventHash } from '../event-hash.js';
import { sha256 } from '../hashing.js';
import { ChainFold } from './chain-fold.js';
import type { ExportEvent, ExportHeader } from './export-lines.js';
import { FileFold } from './file-fold.js';
import { type FailureCode, type Findings, type WarningCode, shown } from './findings.js';
import { type KeptReceipt, type Matched, ReceiptFold } from './kept-receipts.js';
import { RunFold } from './run-fold.js';

/** More would not fit into a set. */
const MAX_EVENTS = 16_000_000;

/** The checks that are made event by event. Owns what was found, and how far the events hang together. */
export class EventFold {
  count = 0;
  /** The first and the last time, in ms since 1970. */
  from: number | null = null;
  to: number | null = null;
  isErased = false;
  /** Behind the last event that the header calls sealed; null: it did not come. */
  sealedLink: Uint8Array | null = null;
  readonly runs = new RunFold();
  private readonly chain: ChainFold;
  private readonly files = new FileFold();
  private readonly receipts: ReceiptFold;
  /** 128 bits of the hash of each id. */
  private readonly ids = new Set<string>();
  private hangs = -1;

  constructor(
    private readonly header: ExportHeader,
    receipts: readonly KeptReceipt[],
    private readonly failures: Findings<FailureCode>,
    private readonly warnings: Findings<WarningCode>,
  ) {
    this.chain = new ChainFold(header.stream);
    this.receipts = new ReceiptFold(header.stream, receipts);
  }

  /** The last revision up to which nothing was wrong; null: there is none. */
  get hangsUpTo(): number | null {
    return this.hangs < 0 ? null : this.hangs;
  }

  get isFull(): boolean {
    return this.count >= MAX_EVENTS;
  }

  push(event: ExportEvent): void {
    this.endFiles();
    const { revision, time } = event;
    if (revision !== this.count)
      this.fail('gap', revision, `revision ${revision} stands in place ${this.count}`);
    this.checkId(event);
    this.checkText(event);
    const hash = eventHash({ stream: this.header.stream, ...event });
    if (!this.chain.push(event.prev, hash))
      this.fail('chain', revision, 'it does not follow from what stands before it');
    for (const { code, message } of this.runs.push(event)) this.fail(code, revision, message);
    this.receipts.push(event, hash);
    this.count += 1;
    if (this.count === this.header.sealed) this.sealedLink = this.chain.link;
    this.from = Math.min(this.from ?? time, time);
    this.to = Math.max(this.to ?? time, time);
    this.isErased ||= event.type === 'session_erased';
    if (this.failures.isEmpty) this.hangs = revision;
  }

  /** Whether a file may stand here. */
  pushFile(name: string, text: string): boolean {
    const { owner } = this.files;
    if (owner === null) return false;
    const found = this.files.push(name, text);
    if (found?.is === 'wrong') this.fail('file', owner, found.message);
    if (found?.is === 'unknown') this.warnings.add('file', owner, found.message);
    return true;
  }

  /** @param told how many events the last line says there are */
  end(told: number): void {
    this.endFiles();
    const { events, erased } = this.header;
    if (events !== this.count)
      this.fail('gap', null, `the header says that there are ${events} events, and there are ${this.count}`);
    if (told !== this.count)
      this.fail('gap', null, `the last line says that there are ${told} events, and there are ${this.count}`);
    if (erased !== this.isErased)
      this.fail(
        'gap',
        null,
        `the header says that it is ${erased ? '' : 'not '}erased, and the events do not`,
      );
    const { open } = this.runs;
    if (open !== null && !erased) this.warnings.add('open_run', open, 'the run that begins here has no end');
  }

  matched(): Matched {
    return this.receipts.end();
  }

  private fail(code: FailureCode, revision: number | null, message: string): void {
    this.failures.add(code, revision, message);
  }

  private checkId({ revision, id }: ExportEvent): void {
    const key = String.fromCharCode(...sha256(utf8(id)).subarray(0, 16));
    if (this.ids.has(key)) this.fail('duplicate_id', revision, `the id ${shown(id)} was there before`);
    this.ids.add(key);
  }

  private checkText(event: ExportEvent): void {
    const { revision, salt, text, commitment } = event;
    this.files.begin(event);
    if (salt === undefined || text === undefined) return;
    if (toHex(sha256(fromHex(salt)!, utf8(text))) !== commitment)
      this.fail('commitment', revision, 'its text is not the one that was written');
  }

  private endFiles(): void {
    for (const name of this.files.missing())
      this.warnings.add('file', this.files.owner, `the file ${shown(name)} is not in the export`);
  }
}
