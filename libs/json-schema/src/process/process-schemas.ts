import { createHash } from 'node:crypto';
import { Problem } from '#domain';
import {
  type Clock,
  ExpendableProcess,
  type ExpendableTerms,
  FairSemaphore,
  ProcessDied,
  ProcessNotStarted,
  SCHEMAS_MB,
  compiledFile,
} from '#platform';
import type { Checked, SchemaAnswer, SchemaRequest } from '../schema-requests.js';
import { TOO_LARGE, schemaText } from '../schema-text.js';
import { type SchemaVerdict, Schemas } from '../schemas.js';
import { TOO_LONG, TOO_MUCH_MEMORY, type Validation } from '../validation.js';

/** Node and Ajv take 85 MB of it. */
const TERMS: ExpendableTerms = {
  file: compiledFile('./schema-process.js', import.meta.url),
  heapMb: 160,
  memoryMb: SCHEMAS_MB,
  // More than the limits of its work add up to: what cannot be interrupted is ended with its process.
  cpuMs: 6_000,
  idleMs: 30_000,
};
/** On whatever machine. */
const TIMEOUT_MS = 60_000;
/** Schemas that wait to be checked, of one project and of all. */
const MAX_WAITING_EACH = 200;
const MAX_WAITING = 1_000;
const MAX_STARTS = 5;
const START_PAUSE_MS = 1_000;
/** Verdicts that are kept: a client sends the same schema with each run. */
const MAX_KEPT = 1_000;

/**
 * JSON schemas in a sandboxed child process. Owns the process and a cache of verdicts.
 * 1. One request at a time, fair between projects.
 * 2. A request that kills the process is refused or invalid, with the reason; other requests are not affected.
 */
export class ProcessSchemas extends Schemas {
  private readonly process: ExpendableProcess<SchemaRequest, SchemaAnswer>;
  private readonly turns = new FairSemaphore({ room: 1 });
  private readonly waiting = new Map<string, number>();
  /** By the hash of the schema's text, the one that was asked for last at the end. */
  private readonly known = new Map<string, Promise<Checked>>();

  constructor(
    private readonly clock: Clock,
    terms: Partial<ExpendableTerms> = {},
  ) {
    super();
    this.process = new ExpendableProcess({ ...TERMS, ...terms }, clock);
  }

  /** Of its process, while there is one. */
  get pid(): number | null {
    return this.process.pid;
  }

  override async check(schema: object, path: string, project: string): Promise<SchemaVerdict> {
    const text = schemaText(schema);
    const found = text === null ? refused(TOO_LARGE) : await this.checked(schema, text, project);
    if (found.kind === 'accepted') return found;
    return { kind: 'refused', error: { path: path + found.at, message: found.message } };
  }

  override validate(schema: object, value: unknown, project: string): Promise<Validation> {
    return this.validated({ kind: 'validate', schema, value }, project);
  }

  override validateText(schema: object, text: string, project: string): Promise<Validation> {
    return this.validated({ kind: 'validate_text', schema, text }, project);
  }

  close(): Promise<void> {
    return this.process.close();
  }

  /** Who asks for what is being checked waits for the same answer. What came of a death is found out again. */
  private async checked(schema: object, text: string, project: string): Promise<Checked> {
    const key = createHash('sha256').update(text).digest('base64');
    const known = this.known.get(key);
    this.known.delete(key);
    const verdict = known ?? this.checkedAnew(schema, project);
    this.known.set(key, verdict);
    if (this.known.size > MAX_KEPT) this.known.delete(this.known.keys().next().value!);
    const forget = (): void => {
      if (this.known.get(key) === verdict) this.known.delete(key);
    };
    try {
      const found = await verdict;
      if (DEATHS.has(found)) forget();
      return found;
    } catch (error) {
      forget();
      throw error;
    }
  }

  private async checkedAnew(schema: object, project: string): Promise<Checked> {
    const mine = this.waiting.get(project) ?? 0;
    if (mine >= MAX_WAITING_EACH || this.turns.waiting >= MAX_WAITING)
      throw new Problem('unavailable', 'too many schemas wait to be checked', { retryAfterS: 1 });
    this.waiting.set(project, mine + 1);
    try {
      return (await this.ask({ kind: 'check', schema }, project)) as Checked;
    } catch (error) {
      if (error instanceof ProcessNotStarted)
        throw new Problem('unavailable', 'schemas cannot be checked now', { retryAfterS: 1 });
      if (!(error instanceof ProcessDied)) throw error;
      return error.why === 'time' ? LATE : HUGE;
    } finally {
      const left = this.waiting.get(project)! - 1;
      if (left > 0) this.waiting.set(project, left);
      else this.waiting.delete(project);
    }
  }

  private async validated(request: SchemaRequest, project: string): Promise<Validation> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.ask(request, project)) as Validation;
      } catch (error) {
        if (error instanceof ProcessDied) return error.why === 'time' ? TOO_LONG : TOO_MUCH_MEMORY;
        // The machine may have no room for a process just now.
        if (!(error instanceof ProcessNotStarted) || attempt === MAX_STARTS) throw error;
        await this.clock.sleep(START_PAUSE_MS);
      }
    }
  }

  /** Invariant 1. @throws ProcessDied, ProcessNotStarted */
  private async ask(request: SchemaRequest, project: string): Promise<SchemaAnswer> {
    const giveBack = await this.turns.take(project);
    try {
      // What others have left in it must not count against this request.
      const isFresh = this.process.pid === null;
      const asking = { timeoutMs: TIMEOUT_MS };
      return await this.process.ask(request, asking).catch((error: unknown) => {
        if (isFresh || !(error instanceof ProcessDied) || error.why === 'time') throw error;
        return this.process.ask(request, asking);
      });
    } finally {
      giveBack();
    }
  }
}

const refused = (message: string): Checked => ({ kind: 'refused', at: '', message });
const LATE = refused('takes too long to compile');
const HUGE = refused('takes too much memory to compile');
const DEATHS: ReadonlySet<Checked> = new Set([LATE, HUGE]);
