import {
  type AttemptRef,
  type CallState,
  type Content,
  type Draft,
  OUTCOME_UNKNOWN,
  type TurnToolCall,
} from '#domain';
import type { RunSink } from '../run/block-writer.js';
import type { RunRecord } from '../run/run-record.js';
import type { ToolDefinition } from '../model/model-client.js';
import { type RunWatch, UNWATCHED } from '../run/run-watch.js';
import type { Tool, ToolOutcome } from './tool.js';

/** Runs the tool calls of a turn, all at the same time, and records each result as soon as it is there. */
export class ToolRunner {
  private offered: readonly Tool[] = [];
  private byName: ReadonlyMap<string, Tool> = new Map();
  private known: readonly ToolDefinition[] = [];
  /** Calls whose turn this process heard itself: they have not been made yet. Of others it cannot be known. */
  private readonly fresh = new WeakSet<TurnToolCall>();

  constructor(
    private readonly record: Pick<RunRecord, 'session' | 'contents'>,
    private readonly sink: RunSink,
    private readonly watch: RunWatch = UNWATCHED,
  ) {}

  /** From now on these are the tools. */
  offer(tools: readonly Tool[]): readonly ToolDefinition[] {
    if (tools !== this.offered) {
      this.offered = tools;
      this.byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
      this.known = tools.map((tool) => tool.definition);
    }
    return this.known;
  }

  startTurn(calls: readonly TurnToolCall[]): void {
    for (const call of calls) this.fresh.add(call);
  }

  /** Whether the call was heard by this process, and so has not been made by another. */
  isFresh(call: TurnToolCall): boolean {
    return this.fresh.has(call);
  }

  /** What the log and the client are told before the calls are made. */
  async uses(calls: readonly TurnToolCall[]): Promise<Draft[]> {
    const drafts: Draft[] = [];
    for (const call of calls) {
      const text = JSON.stringify({ tool: call.name, input: inputOf(call) ?? call.arguments });
      const content = await this.stored(text);
      drafts.push({ type: 'agent_tool_use_start', data: {} }, { type: 'agent_tool_use', data: { content } });
    }
    return drafts;
  }

  /**
   * Makes the calls that have no result. Resolves when each has one; rejects when the signal is aborted: from then on
   * nothing is called and nothing is recorded.
   */
  async run(open: readonly CallState[], signal: AbortSignal, step?: AttemptRef): Promise<void> {
    signal.throwIfAborted();
    await Promise.all(
      open.map(async ({ call }) => this.take(call, await this.outcomeOf(call, signal), signal, step)),
    );
  }

  /** Records that nobody knows what became of calls that were under way. */
  async giveUp(open: readonly CallState[], step?: AttemptRef): Promise<void> {
    const { signal } = new AbortController();
    const outcome = { content: OUTCOME_UNKNOWN, isError: true };
    for (const { call } of open) await this.take(call, outcome, signal, step);
  }

  /** The responses of calls that have a result, in the order of the calls. */
  async responses(calls: readonly CallState[]): Promise<Draft[]> {
    const drafts: Draft[] = [];
    for (const { call, result } of calls) {
      if (result === null) continue;
      const { session, contents } = this.record;
      const text = JSON.stringify({ tool: call.name, content: await contents.text(session, result.content) });
      drafts.push({ type: 'agent_tool_response', data: { content: await this.stored(text) } });
    }
    return drafts;
  }

  private async outcomeOf(call: TurnToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    if (call.cut) return { content: CUT, isError: true };
    const tool = this.byName.get(call.name);
    if (!this.isFresh(call) && !tool?.isRepeatable) return { content: OUTCOME_UNKNOWN, isError: true };
    if (call.name.trim() === '')
      return { content: 'the call was not made: it does not name a tool', isError: true };
    if (!tool) return { content: `there is no tool called ${call.name}`, isError: true };
    const input = inputOf(call);
    if (input === undefined) return { content: 'the arguments are not valid JSON', isError: true };
    try {
      return await this.watch.toolCall(call, (traceparent) => tool.call(input, signal, call, traceparent));
    } catch (error) {
      signal.throwIfAborted();
      return {
        content: `the tool failed: ${error instanceof Error ? error.message : String(error)}`,
        isError: true,
      };
    }
  }

  private async take(
    call: TurnToolCall,
    outcome: ToolOutcome,
    signal: AbortSignal,
    step?: AttemptRef,
  ): Promise<void> {
    const content = await this.stored(outcome.content);
    signal.throwIfAborted();
    const failed = outcome.isError ? ({ is_error: true } as const) : {};
    const of = step === undefined ? {} : { step };
    const data = { call_id: call.id, content, ...failed, ...of };
    this.sink.write([{ type: 'tool_call_completed', data }, ...(outcome.events ?? [])]);
  }

  private stored(text: string): Promise<Content> {
    return this.record.contents.store(this.record.session, text);
  }
}

const CUT =
  'the call was not made: your answer was cut at its limit before the arguments were complete; give shorter ones';

/** The parsed arguments; undefined where they are no JSON. None at all are an empty object. */
function inputOf(call: TurnToolCall): unknown {
  if (call.arguments.trim() === '') return {};
  try {
    return JSON.parse(call.arguments) as unknown;
  } catch {
    return undefined;
  }
}
