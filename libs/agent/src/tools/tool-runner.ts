import {
  type AttemptRef,
  type CallState,
  type Content,
  type Draft,
  MAX_OPEN_ACTIONS,
  NOT_MADE,
  OUTCOME_UNKNOWN,
  type ResultFile,
  type RunState,
  type TurnToolCall,
  inputOf,
  isUnasked,
  isUndecided,
} from '#domain';
import type { Clock } from '#platform';
import type { ToolDefinition } from '../model/model-client.js';
import type { TakenTurn } from '../model/model-turn.js';
import { type RunWatch, UNWATCHED } from '../run/run-watch.js';
import { WorkflowWaits } from '../workflow/workflow-runner.js';
import { actionsOf } from './actions-of.js';
import type { CallGate } from './call-gate.js';
import { TaskLeft } from '../run/run-end.js';
import { calledServer, calledTool } from './called-tool.js';
import { CallMaker, type Called } from './call-maker.js';
import type { CallRecord } from './call-record.js';
import type { Tool, ToolFile, ToolOutcome, ToolServer } from './tool.js';

export interface ToolRunnerPorts {
  readonly clock: Clock;
  readonly watch?: RunWatch | undefined;
}

/** What calls may go to now. */
export interface CallTargets {
  readonly tools: () => readonly Tool[];
  readonly servers: () => readonly ToolServer[];
}

/**
 * Runs the tool calls of a turn, all at the same time, and records each result as soon as it is there. A call that needs
 * somebody is made when a person has released it, once: the log holds that it is begun before it is made.
 */
export class ToolRunner {
  private seen: readonly Tool[] = [];
  private offered: readonly Tool[] = [];
  private byName: ReadonlyMap<string, Tool> = new Map();
  private known: readonly ToolDefinition[] = [];
  /** Calls whose turn this process heard itself: they have not been made yet. Of others it cannot be known. */
  private readonly fresh = new WeakSet<TurnToolCall>();
  private readonly maker: CallMaker;

  constructor(
    private readonly record: CallRecord,
    private readonly ports: ToolRunnerPorts,
    private readonly gate: CallGate,
    private readonly targets: CallTargets,
  ) {
    this.maker = new CallMaker(record, ports.clock, gate, ports.watch ?? UNWATCHED);
  }

  /** The tools as they are from now on. */
  offer(): readonly ToolDefinition[] {
    const tools = this.targets.tools();
    if (tools !== this.seen) {
      this.seen = tools;
      this.offered = this.gate.allowed(tools);
      this.byName = new Map(this.offered.map((tool) => [tool.definition.name, tool]));
      this.known = this.offered.map((tool) => tool.definition);
    }
    return this.known;
  }

  /** The name of the server of a tool that is offered; undefined: it is of none. */
  readonly serverOf = (tool: string): string | undefined => this.byName.get(tool)?.origin?.server;

  /**
   * Writes a turn, with what the log and the client are told before its calls are made, in one append. Where that comes to
   * nothing, what the turn cost is written all the same.
   */
  async writeTurn({ calls: called, data: turn }: TakenTurn, signal?: AbortSignal): Promise<void> {
    const { offered, calls, contents } = await this.told(turn, signal).catch((error: unknown) => {
      if (called.length > 0) this.record.write(called);
      throw error;
    });
    let room = MAX_OPEN_ACTIONS - this.record.state.openActions.length;
    const settled = calls.map(({ needs, ...call }) =>
      needs === undefined || room-- <= 0 ? call : { ...call, needs },
    );
    for (const call of settled) this.fresh.add(call);
    const drifts = new Set(this.record.replay?.assign(settled));
    this.record.write([
      ...offered.map((tools): Draft => ({ type: 'tools_offered', data: { tools } })),
      ...called,
      { type: 'model_turn_completed', data: settled.length > 0 ? { ...turn, tool_calls: settled } : turn },
      ...contents.flatMap((content): Draft[] => [
        { type: 'agent_tool_use_start', data: {} },
        { type: 'agent_tool_use', data: { content } },
      ]),
      ...contents.flatMap((content, at): Draft[] =>
        drifts.has(settled[at]!) ? [{ type: 'agent_drift', data: { content } }] : [],
      ),
      ...actionsOf(settled, contents, this.record, this.ports.clock.now()),
    ]);
  }

  /** What is told of a turn, when its texts are stored. @throws the signal's reason */
  private async told(turn: TakenTurn['data'], signal: AbortSignal | undefined) {
    const news = this.gate.newsOf(this.offered);
    const offered = news === null ? [] : [await this.stored(JSON.stringify(news))];
    const calls = await Promise.all((turn.tool_calls ?? []).map((call) => this.settled(call)));
    const contents = await this.inputsOf(calls);
    signal?.throwIfAborted();
    return { offered, calls, contents };
  }

  /**
   * Makes the calls that have no result, and those that are released meanwhile. Resolves with null when each has one; when
   * what is left waits for somebody, with the run as it was known then. Rejects when the signal is aborted: from then on
   * nothing is called and nothing is recorded.
   */
  async run(
    open: () => readonly CallState[],
    signal: AbortSignal,
    step?: AttemptRef,
  ): Promise<RunState | null> {
    await this.ask(open(), step);
    const underWay = new Set<string>();
    const waiting = new Set<string>();
    let fault: { readonly error: unknown } | null = null;
    let changed = Promise.withResolvers<void>();
    const wake = () => changed.resolve();
    const stopListening = this.record.onNews(() => {
      waiting.clear();
      wake();
    });
    const make = async (call: CallState): Promise<void> => {
      const { id } = call.call;
      const { decisions } = this.record.state;
      underWay.add(id);
      try {
        const outcome = await this.maker.outcomeOf(call, this.calledBy(call), signal, step);
        if (outcome !== null) await this.take(call, outcome, signal, step);
      } catch (error) {
        // What was decided meanwhile may be what it waits for.
        if (error instanceof TaskLeft) waiting.add(id);
        else if (!(error instanceof WorkflowWaits)) fault ??= { error };
        else if (this.record.state.decisions === decisions) waiting.add(id);
      } finally {
        underWay.delete(id);
        wake();
      }
    };
    try {
      for (;;) {
        signal.throwIfAborted();
        changed = Promise.withResolvers<void>();
        for (const call of open())
          if (!isUndecided(call) && !underWay.has(call.call.id) && !waiting.has(call.call.id))
            void make(call);
        if (underWay.size === 0) return open().length === 0 ? null : this.record.state;
        await changed.promise;
        if (fault !== null) throw (fault as { readonly error: unknown }).error;
      }
    } finally {
      stopListening();
    }
  }

  /** Asks about those of which nobody is asked: somebody was, in a run that this one goes on with, and did not decide. */
  private async ask(calls: readonly CallState[], step?: AttemptRef): Promise<void> {
    const all = calls.filter(isUnasked).map(({ call }) => call);
    if (all.length === 0) return;
    const contents = await this.inputsOf(all);
    const actions = actionsOf(all, contents, this.record, this.ports.clock.now());
    const data = { call_ids: all.map(({ id }) => id), ...(step === undefined ? {} : { step }) };
    this.record.write([{ type: 'tool_calls_reopened', data }, ...actions]);
  }

  /** Records that nobody knows what became of calls that were under way, and that the others were not made. */
  async giveUp(open: readonly CallState[], step?: AttemptRef): Promise<void> {
    const { signal } = new AbortController();
    for (const call of open) {
      const isMaybeMade = call.call.needs === undefined || call.isBegun === true;
      const content = isMaybeMade ? OUTCOME_UNKNOWN : NOT_MADE;
      await this.take(call, { content, isError: true }, signal, step);
    }
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

  private calledBy({ call }: CallState): Called {
    const tool = (): Tool | undefined => {
      this.offer();
      return calledTool(call, this.offered);
    };
    return { tool, server: calledServer(call, this.targets.servers()), isFresh: this.fresh.has(call) };
  }

  /** The call as the log is told of it: whose tool it is of, and who is to be asked. */
  private async settled(call: TurnToolCall): Promise<TurnToolCall> {
    const tool = this.byName.get(call.name);
    if (tool === undefined) return call;
    const needs = this.gate.neededBy(tool);
    const isAsked = needs !== undefined && !call.cut && (await this.gate.faultOf(call, tool)) === null;
    return { ...call, ...tool.origin, ...(isAsked ? { needs } : {}) };
  }

  private async inputsOf(calls: readonly TurnToolCall[]): Promise<Content[]> {
    const contents: Content[] = [];
    for (const call of calls)
      contents.push(
        await this.stored(JSON.stringify({ tool: call.name, input: inputOf(call) ?? call.arguments })),
      );
    return contents;
  }

  private async take(
    { call }: CallState,
    outcome: ToolOutcome,
    signal: AbortSignal,
    step?: AttemptRef,
  ): Promise<void> {
    const content = await this.stored(outcome.content);
    const files = await this.kept(call, outcome.files ?? []);
    signal.throwIfAborted();
    const isError = outcome.isError ? ({ is_error: true } as const) : {};
    const of = step === undefined ? {} : { step };
    const data = { call_id: call.id, content, ...isError, ...of, ...(files.length > 0 ? { files } : {}) };
    this.record.write([{ type: 'tool_call_completed', data }, ...(outcome.events ?? [])]);
  }

  /** One at a time: together they may be as large as an answer. */
  private async kept(call: TurnToolCall, files: readonly ToolFile[]): Promise<ResultFile[]> {
    const { session, contents } = this.record;
    const kept: ResultFile[] = [];
    for (const { id, bytes, mediaType, name } of files) {
      const file = await contents.bytesToFile(session, bytes);
      const named = name === undefined ? {} : { name };
      kept.push({ id, file, media_type: mediaType, tool: call.name, ...named });
    }
    return kept;
  }

  private stored(text: string): Promise<Content> {
    return this.record.contents.store(this.record.session, text);
  }
}
