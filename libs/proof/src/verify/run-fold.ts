import { utf8 } from '../bytes.js';
import { sha256 } from '../hashing.js';
import type { ExportEvent } from './export-lines.js';
import type { FailureCode } from './findings.js';
import { shown } from './findings.js';

const ENDS = new Set(['agent_completed', 'agent_error', 'agent_cancelled']);
/** A longer text is no claim of a run. */
const MAX_CLAIM_CHARS = 1024 * 1024;

export interface RunFault {
  readonly code: Extract<FailureCode, 'run_order' | 'run_label' | 'epoch'>;
  readonly message: string;
}

/** The runs of a session, which come one after the other. */
export class RunFold {
  ended = 0;
  private started: ExportEvent | null = null;
  /** The last epoch of each run, by the hash of its id. */
  private readonly epochs = new Map<string, number>();

  /** Where the run began that has no end; null: each has one. */
  get open(): number | null {
    return this.started?.revision ?? null;
  }

  /** What is wrong with an event. */
  push(event: ExportEvent): readonly RunFault[] {
    const faults = [this.order(event), this.label(event), this.epoch(event)];
    if (event.type === 'agent_started') this.started = event;
    else if (ENDS.has(event.type)) {
      this.started = null;
      this.ended += 1;
    }
    return faults.filter((fault) => fault !== null);
  }

  private order({ type }: ExportEvent): RunFault | null {
    const { started } = this;
    if (type === 'agent_started' && started !== null)
      return fault('run_order', `a run begins here, and the one of revision ${started.revision} has no end`);
    if (ENDS.has(type) && started === null) return fault('run_order', 'a run ends here that did not begin');
    return null;
  }

  private label({ type, run, causationId }: ExportEvent): RunFault | null {
    if (causationId?.startsWith('run_') === true && causationId !== run)
      return fault('run_label', `it names the run ${named(run)} and is caused by ${shown(causationId)}`);
    const { started } = this;
    if (started === null || type === 'agent_started' || !type.startsWith('agent_')) return null;
    if (run !== started.run)
      return fault('run_label', `it names the run ${named(run)} within the run ${named(started.run)}`);
    if (ENDS.has(type) && !isOneCause(started.causationId, causationId, run))
      return fault('run_label', 'its cause is not that of the beginning of its run');
    return null;
  }

  private epoch({ type, run, text }: ExportEvent): RunFault | null {
    if (type !== 'run_claimed' || run === undefined || text === undefined) return null;
    const epoch = epochOf(text);
    if (epoch === null) return null;
    const key = String.fromCharCode(...sha256(utf8(run)).subarray(0, 16));
    const before = this.epochs.get(key);
    this.epochs.set(key, epoch);
    if (before === undefined || epoch > before) return null;
    return fault('epoch', `the run is claimed under epoch ${epoch} after ${before}`);
  }
}

/**
 * Earlier versions wrote no cause at either end: a run that one of them began and another one ended, over an upgrade or
 * back, has it at one of them alone, where it must be the run.
 */
function isOneCause(begin: string | undefined, end: string | undefined, run: string | undefined): boolean {
  if (begin === undefined || end === undefined) return begin === end || (begin ?? end) === run;
  return begin === end;
}

const fault = (code: RunFault['code'], message: string): RunFault => ({ code, message });

const named = (run: string | undefined): string => (run === undefined ? 'none' : shown(run));

function epochOf(text: string): number | null {
  if (text.length > MAX_CLAIM_CHARS) return null;
  try {
    const read: unknown = JSON.parse(text);
    const epoch = typeof read === 'object' && read !== null && 'epoch' in read ? read.epoch : null;
    return Number.isSafeInteger(epoch) ? (epoch as number) : null;
  } catch {
    return null;
  }
}
