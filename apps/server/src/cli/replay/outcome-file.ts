import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
  fsyncSync,
} from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { CommandRefused } from '../command.js';
import { type Evaluation, type Outcome, isCompared } from './evaluation.js';

interface Header {
  /** Of this file alone: the replays of another file are others. */
  readonly id: string;
  readonly evaluation: Evaluation;
}

/**
 * The file of an evaluation: a header, which says what is asked, then an outcome a line. Owns which runs are done.
 *
 * 1. The header is on the disk before anything is replayed, since keys of replays are made of it.
 * 2. A line without an end was cut off while it was written, and is as if it was never begun.
 */
export class OutcomeFile {
  private constructor(
    private readonly path: string,
    readonly id: string,
    /** By run. */
    readonly outcomes: Map<string, Outcome>,
  ) {}

  /** Goes on with the file, or begins it. @throws CommandRefused where it is something else, or of other options */
  static open(path: string, evaluation: Evaluation, newId: () => string): OutcomeFile {
    const [first, ...lines] = wholeLinesOf(path);
    if (first === undefined) return OutcomeFile.begin(path, { id: newId(), evaluation });
    const header = parsed(path, first, 1) as Partial<Header>;
    if (typeof header?.id !== 'string' || typeof header.evaluation !== 'object')
      throw new CommandRefused(`--out: ${path} is no file of replays`);
    const other = differing(header.evaluation, evaluation);
    if (other.length > 0)
      throw new CommandRefused(
        `--out: ${path} was begun with another ${other.join(', ')}; name another file`,
      );
    const outcomes = lines.map((line, at) => parsed(path, line, at + 2) as Outcome).filter(isForGood);
    return new OutcomeFile(path, header.id, new Map(outcomes.map((outcome) => [outcome.run, outcome])));
  }

  add(outcome: Outcome): void {
    appendFileSync(this.path, `${JSON.stringify(outcome)}\n`);
    this.outcomes.set(outcome.run, outcome);
  }

  private static begin(path: string, header: Header): OutcomeFile {
    const file = written(path, () => openSync(path, 'w'));
    try {
      writeSync(file, `${JSON.stringify(header)}\n`);
      // Invariant 1.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return new OutcomeFile(path, header.id, new Map());
  }
}

/** The lines of a file, of which none may be there yet. Cuts off what stands behind the last end of a line (invariant 2). */
function wholeLinesOf(path: string): readonly string[] {
  const bytes = written(path, () => {
    try {
      return readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
  });
  const end = bytes.lastIndexOf('\n') + 1;
  if (end === 0 && bytes.length > 0 && !'{"id":"'.startsWith(bytes.toString('latin1', 0, 7)))
    throw new CommandRefused(`--out: ${path} is no file of replays`);
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
  if (lines.length > 0 && end < bytes.length) written(path, () => truncateSync(path, end));
  return lines;
}

function parsed(path: string, line: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new CommandRefused(`--out: line ${number} of ${path} is no JSON`);
  }
}

function written<T>(path: string, what: () => T): T {
  try {
    return what();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandRefused(`--out: ${path} cannot be written: ${code}`, { cause: error });
  }
}

/** The options in which two evaluations differ. */
function differing(one: Evaluation, other: Evaluation): string[] {
  const flat = ({ changes, ...rest }: Evaluation): Record<string, unknown> => ({ ...rest, ...changes });
  const [a, b] = [flat(one), flat(other)];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isDeepStrictEqual(a[name], b[name])).map((name) => `--${name}`);
}

/** A version before this one wrote down as refused what only had no budget left. */
const isForGood = (outcome: Outcome): boolean =>
  isCompared(outcome) || outcome.replay !== null || outcome.error.code !== 'budget_exhausted';
