import { type Cosigned, checkCheckpoint } from './checkpoint-checks.js';
import { EventFold } from './event-fold.js';
import { type ExportHeader, type ExportProof, readHeader, readLine, readProof } from './export-lines.js';
import { type FailureCode, Findings, type UnusableCode, type WarningCode } from './findings.js';
import { type Refusal, type Trust, type VerifyInput, readTrust } from './trust.js';
import { type Level, UNKNOWN, type Verdict, isoTime } from './verdict.js';

const NOT_COSIGNED: Cosigned = { witnesses: [], witnessedAt: null, isMonitored: false };

/**
 * Verifies an export line by line (docs/proof.md). Owns what was read so far, never a whole file: the header, the proof, and
 * what the events lead to. The first line that is none ends it.
 */
export class Verifier {
  private readonly failures = new Findings<FailureCode>();
  private readonly warnings = new Findings<WarningCode>();
  private readonly trust: Trust | null = null;
  private refusal: Refusal | null = null;
  private header: ExportHeader | null = null;
  private proof: ExportProof | null = null;
  private events: EventFold | null = null;
  private lines = 0;
  /** What the last line says; null: it is yet to come. */
  private told: number | null = null;

  constructor(input: VerifyInput = {}) {
    const trust = readTrust(input);
    if ('code' in trust) this.refusal = trust;
    else this.trust = trust;
  }

  /** @param line without its line feed. Whether more are wanted. */
  push(line: string): boolean {
    if (this.refusal !== null || this.trust === null) return false;
    this.lines += 1;
    if (!this.take(line, this.trust))
      this.refuse('form', `line ${this.lines} is not what an export has there`);
    return this.refusal === null;
  }

  /** Nothing of the file can be used from here on. */
  refuse(code: UnusableCode, message: string): void {
    this.refusal ??= { code, message };
  }

  /** @param isBroken something stands behind the last line feed */
  end(isBroken = false): Verdict {
    const { trust, header, events, told } = this;
    if (isBroken && told !== null) this.refuse('form', 'something stands behind the last line');
    if (told === null) this.refuse('cut_off', 'the file breaks off');
    if (this.refusal !== null) return this.unusable(this.refusal);
    // Both are there: the last line came, and the header is the first.
    return this.verdict(trust!, header!, { events: events!, told: told! });
  }

  private take(line: string, trust: Trust): boolean {
    if (this.header === null) {
      this.header = readHeader(line);
      if (this.header === null) return false;
      this.events = new EventFold(this.header, trust.receipts, this.failures, this.warnings);
      return true;
    }
    if (this.header.sealed > 0 && this.proof === null) {
      this.proof = readProof(line);
      return this.proof !== null;
    }
    return this.told === null && this.takeEvent(line);
  }

  private takeEvent(line: string): boolean {
    const read = readLine(line);
    const events = this.events!;
    switch (read?.kind) {
      case undefined:
        return false;
      case 'event':
        if (events.isFull) return false;
        events.push(read.event);
        return true;
      case 'file':
        return events.pushFile(read.name, read.text);
      case 'end':
        this.told = read.count;
        return true;
    }
  }

  private verdict(
    trust: Trust,
    header: ExportHeader,
    { events, told }: { readonly events: EventFold; readonly told: number },
  ): Verdict {
    events.end(told);
    const cosigned = this.checkCheckpoint(trust, header, events);
    this.checkSealed(trust, header, events);
    this.checkAsOf(trust, cosigned);
    const receipts = this.checkReceipts(trust, events);
    if (trust.policy === null)
      this.warnings.add('unpinned', null, 'without a policy anybody can have made this file');
    const level = this.failures.isEmpty ? levelOf(trust, receipts, cosigned) : null;
    const hasWarnings = !this.warnings.isEmpty && trust.isStrict;
    return {
      ...this.known(),
      verdict: level === null ? 'failed' : 'verified',
      exit: level === null ? 1 : hasWarnings ? 3 : 0,
      level,
      witnessed_at: isoTime(cosigned.witnessedAt),
      witnesses: cosigned.witnesses,
      receipts,
    };
  }

  private checkCheckpoint({ policy }: Trust, header: ExportHeader, events: EventFold): Cosigned {
    if (this.proof === null) return NOT_COSIGNED;
    const end = { events: events.count, link: events.sealedLink };
    return checkCheckpoint(this.proof, header, {
      policy,
      end,
      fail: (code, revision, message) => this.failures.add(code, revision, message),
    });
  }

  private checkSealed({ policy }: Trust, { sealed }: ExportHeader, { count }: EventFold): void {
    if (sealed > 0 && sealed >= count) return;
    const message = `nothing says that the events from revision ${sealed} on are all, and are so`;
    if (policy !== null) this.failures.add('unsealed', sealed, message);
    else this.warnings.add(sealed === 0 ? 'no_proof' : 'newer', sealed, message);
  }

  private checkAsOf({ asOf }: Trust, { witnessedAt }: Cosigned): void {
    if (asOf === null || (witnessedAt !== null && witnessedAt >= asOf)) return;
    const seen =
      witnessedAt === null ? 'no witness of the policy has seen it' : `seen ${isoTime(witnessedAt)}`;
    this.failures.add('as_of', null, `it is not known to be of ${isoTime(asOf)} or later: ${seen}`);
  }

  private checkReceipts({ policy }: Trust, events: EventFold): number {
    const { count, differing, unsigned } = events.matched();
    for (const { revision, message } of differing) this.failures.add('receipt', revision, message);
    const reason = policy === null ? 'there is no policy' : 'no key of the policy has signed it';
    for (const revision of unsigned)
      this.warnings.add('receipt_key', revision, `the receipt counts for nothing: ${reason}`);
    return count;
  }

  private unusable({ code, message }: Refusal): Verdict {
    const last = this.events?.hangsUpTo ?? null;
    const hangs = last === null ? '' : `; up to revision ${last} it hangs together`;
    const first = { code, revision: null, message: `${message}${hangs}` };
    return { ...this.known(), failures: [first, ...this.failures.list] };
  }

  private known(): Verdict {
    const { header, events, proof, failures, warnings } = this;
    return {
      ...UNKNOWN,
      ...(header !== null && {
        stream: header.stream,
        session: header.session,
        sealed: header.sealed,
        disclosed: header.disclosed,
        erased: header.erased,
        origin: header.origin,
      }),
      ...(events !== null && {
        events: events.count,
        runs: { ended: events.runs.ended, open: events.runs.open === null ? 0 : 1 },
        from: isoTime(events.from),
        to: isoTime(events.to),
      }),
      size: proof?.checkpoint.size ?? 0,
      failures: failures.list,
      warnings: warnings.list,
    };
  }
}

function levelOf({ policy }: Trust, receipts: number, { isMonitored }: Cosigned): Level {
  if (policy === null) return 'chain';
  if (policy.quorum !== null) return isMonitored ? 'complete' : 'witnessed';
  return receipts > 0 ? 'receipted' : 'signed';
}
