import { readFileSync } from 'node:fs';
import { type PicoDollars, parseDollars } from '#domain';
import { type CommandArgs, UsageFault } from '../command.js';
import type { Changes, Evaluation } from './evaluation.js';

export interface ReplayOptions {
  readonly evaluation: Evaluation;
  /** The file that the outcomes go to. */
  readonly out: string;
  /** Nothing is started once the replays have cost that much; null: no limit. */
  readonly budget: PicoDollars | null;
  /** Replays that are under way at once. */
  readonly parallel: number;
  readonly isJson: boolean;
}

const STATUSES = ['completed', 'failed', 'cancelled', 'all'] as const;
const MODES = ['flash', 'base', 'max', 'fast'] as const;
const TOOLS = ['recorded', 'none'] as const;
const PARALLEL = 4;
const MOST_PARALLEL = 64;

/** As `GET /runs` takes it: a date, or a time with its zone. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

type Values = CommandArgs['values'];

/** What the command line says. @throws UsageFault, which names the option */
export function replayOptionsOf({ values, flags }: CommandArgs): ReplayOptions {
  const [from, to] = [timeOf(values, '--from'), timeOf(values, '--to')];
  if (Date.parse(from) >= Date.parse(to)) throw fault('--from must be before --to');
  const session = values.get('--session');
  return {
    evaluation: {
      from,
      to,
      ...(session === undefined ? {} : { session }),
      status: wordOf(values, '--status', STATUSES) ?? 'completed',
      changes: changesOf(values),
    },
    out: required(values, '--out'),
    budget: budgetOf(values),
    parallel: parallelOf(values),
    isJson: flags.has('--json'),
  };
}

function changesOf(values: Values): Changes {
  const mode = wordOf(values, '--mode', MODES);
  const [model, system, rules] = [
    values.get('--model'),
    fileOf(values, '--system'),
    fileOf(values, '--rules'),
  ];
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(system === undefined ? {} : { system }),
    ...(rules === undefined ? {} : { rules: rules.split(/\r?\n/).filter((rule) => rule.trim() !== '') }),
    tools: wordOf(values, '--tools', TOOLS) ?? 'recorded',
  };
}

function required(values: Values, option: string): string {
  const value = values.get(option);
  if (value === undefined) throw fault(`${option} is missing`);
  return value;
}

function timeOf(values: Values, option: string): string {
  const text = required(values, option);
  if (TIME.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  throw fault(`${option} must be a date or a time: 2026-01-31 or 2026-01-31T12:00:00Z`);
}

function wordOf<T extends string>(values: Values, option: string, words: readonly T[]): T | undefined {
  const value = values.get(option);
  const word = words.find((one) => one === value);
  if (value !== undefined && word === undefined) throw fault(`${option} must be ${words.join(', ')}`);
  return word;
}

function fileOf(values: Values, option: string): string | undefined {
  const path = values.get(option);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch (error) {
    throw fault(`${option} must be a file that can be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function budgetOf(values: Values): PicoDollars | null {
  const text = values.get('--budget');
  if (text === undefined) return null;
  try {
    return parseDollars(text);
  } catch {
    throw fault('--budget must be US dollars as a decimal: 5 or 0.25');
  }
}

function parallelOf(values: Values): number {
  const text = values.get('--parallel') ?? String(PARALLEL);
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST_PARALLEL) return count;
  throw fault(`--parallel must be a whole number from 1 to ${MOST_PARALLEL}`);
}

const fault = (what: string): UsageFault => new UsageFault(`replay: ${what}; see \`annals replay --help\``);
