import { untold } from '../model/turn-warnings.js';
import type { RunRecord } from '../run/run-record.js';
import type { Toolbox } from './tool.js';

/** Tells the caller what is missing of a run's tools: each once, also where another process has told of it before. */
export class ToolNews {
  private told: Toolbox['warnings'];

  constructor(private readonly record: RunRecord) {}

  /** Names of the servers of calls that have no result. */
  get awaited(): ReadonlySet<string> {
    const { state, workflows } = this.record;
    const open = [...state.calls.filter(({ result }) => result === null), ...workflows.openCalls];
    return new Set(open.flatMap(({ call }) => call.server ?? []));
  }

  /** A server whose calls are open is told of when they have their results: it may only be away for a while. */
  tell({ warnings = NONE }: Toolbox): void {
    if (warnings === this.told) return;
    const { awaited, record } = this;
    const due = warnings.filter(
      ({ code, server = '' }) => code !== 'tool_server_unavailable' || !awaited.has(server),
    );
    const news = untold(due, record.state.warnings);
    if (news.length > 0) record.write(news);
    if (awaited.size === 0) this.told = warnings;
  }
}

const NONE: NonNullable<Toolbox['warnings']> = [];
