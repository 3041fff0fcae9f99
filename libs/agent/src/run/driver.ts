import {
  BUDGET_EXHAUSTED,
  type CallState,
  type Draft,
  type NextAction,
  type RunEnd,
  type RunState,
  assertNever,
  concernsOthers,
  decideEnd,
  decidePark,
  nextAction,
} from '#domain';
import { LogUnavailable, isErasure } from '#event-log';
import type { ToolDefinition } from '../model/model-client.js';
import type { TurnRequest } from '../model/model-turn.js';
import { choiceOf } from '../model/asked-settings.js';
import { maxStepsOf } from '../model/modes.js';
import type { Situation } from '../model/prompt.js';
import { FinalOutput } from '../output/final-output-turn.js';
import { RunTools } from '../tools/run-tools.js';
import { actionOf } from '../tools/actions-of.js';
import { CallGate } from '../tools/call-gate.js';
import { ToolRunner } from '../tools/tool-runner.js';
import type { Toolbox } from '../tools/tool.js';
import { ToolNews } from '../tools/tool-news.js';
import { BudgetReached } from '../model/spending-limits.js';
import { isMaybeMade, isTask, needsTools } from './action-needs.js';
import { askForBudget } from './budget-wait.js';
import { Compaction } from './compaction.js';
import type { DriverPorts } from './driver-ports.js';
import { CREDENTIALS_GONE, RunStopped, RunTimedOut, endEvent, endFor } from './run-end.js';
import type { RunRecord } from './run-record.js';
import { ClaimLost } from './run-writer.js';

export type { DriverPorts };

/** Drives one run to its end: decide, do, journal, evolve, again. */
export class Driver {
  private readonly calls: ToolRunner;
  private readonly tools: RunTools;
  private readonly news: ToolNews;
  private readonly compaction: Compaction;
  private readonly maxSteps: number;
  private isDraining = false;
  /** The supply of servers for which the tools were opened again. */
  private reopenedFor: string | null = null;

  /**
   * @param reopen opens the tools anew, when somebody has supplied the servers that were lost; absent: they stay as they are
   * @param controller aborted by a cancel, by the run's time limit, when the claim is lost, or when the service stops
   */
  constructor(
    private readonly ports: DriverPorts,
    private readonly record: RunRecord,
    private toolbox: Toolbox,
    private readonly controller: AbortController,
    private readonly reopen: () => Promise<Toolbox> = () => Promise.resolve(toolbox),
  ) {
    this.maxSteps = maxStepsOf(record.state.mode, ports.limits.maxSteps);
    const gate = new CallGate(record.state.config.approvals, ports.schemas, record.project);
    const tools = new RunTools(ports, record, () => this.toolbox, gate, this.maxSteps);
    this.tools = tools;
    this.news = new ToolNews(record);
    this.calls = new ToolRunner(record, ports, gate, tools.targets);
    this.compaction = new Compaction(record, ports.turn, ports.contexts);
  }

  /**
   * Resolves when the run's end is on the log, or with null when it is no longer this process's to drive, or nobody's because
   * it waits for somebody.
   */
  async drive(): Promise<RunEnd | null> {
    const { controller } = this;
    const { runTimeoutMs } = this.ports.limits;
    const cancelTimer = this.ports.clock.timer(runTimeoutMs, () => controller.abort(new RunTimedOut()));
    try {
      await this.loop();
    } catch (error) {
      await this.endAfter(error);
    } finally {
      cancelTimer();
    }
    return this.record.lost ? null : this.record.state.end;
  }

  /**
   * Goes no further than the model turn or the tool calls that are under way. A run with tool servers goes on for as long
   * as it is let: no other process could.
   */
  drain(): void {
    this.isDraining = (this.record.state.config.mcp_servers ?? []).length === 0;
  }

  private async loop(): Promise<void> {
    this.news.tell(this.toolbox);
    for (;;) {
      const next = nextAction(this.record.state, this.maxSteps);
      const action = this.record.replay?.next(next) ?? next;
      if (needsTools(action)) {
        const { isLost, missing } = this.toolbox;
        if (isLost) {
          if (!this.mayAskForServers) return this.endWithoutTools(CREDENTIALS_GONE);
          if (await this.waitForServers()) return;
          continue;
        }
        const isAwaited = action.kind === 'run_tools' && this.news.awaited.size > 0;
        if (!isAwaited) this.news.tell(this.toolbox);
        if (missing !== undefined && !isAwaited) return this.endWithoutTools(missing);
      }
      if (await this.waitedFor(() => this.act(action))) return;
    }
  }

  /** Returns whether nobody drives the run any more. */
  private async act(action: NextAction): Promise<boolean> {
    switch (action.kind) {
      case 'call_model':
        if (this.isDraining) throw new RunStopped();
        await this.callModel();
        break;
      case 'run_tools':
        return this.runTools();
      case 'wait':
        return this.park(this.record.state);
      case 'take_in':
        for (const content of action.messages)
          this.record.write([{ type: 'agent_steered', data: { content } }]);
        break;
      case 'close_step':
        await this.closeStep(action.responses);
        break;
      case 'final_output':
        return this.giveFinalOutput();
      case 'finish':
        return this.finish(action.end);
      case 'stop':
        return true;
      default:
        assertNever(action);
    }
    return false;
  }

  /** Where a budget is spent the run waits for more of it, or ends where nobody can be asked. */
  private async waitedFor(act: () => Promise<boolean>): Promise<boolean> {
    const { state: known } = this.record;
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof BudgetReached)) throw error;
      if (this.record.replay !== null) return this.finish(BUDGET_EXHAUSTED);
      await askForBudget(this.record, error.holding, this.ports.clock);
      return this.park(known);
    }
  }

  private async callModel(): Promise<void> {
    const { tools, calls, record } = this;
    const { signal } = this.controller;
    const request = (): TurnRequest => {
      const choice = choiceOf(record.state, tools.all);
      return { ...this.request(calls.offer(), tools.situation), ...choice, serverOf: calls.serverOf };
    };
    const turn = await this.compaction.ask(request, (asked) => this.ports.turn.take(asked, signal), signal);
    await calls.writeTurn(turn);
  }

  private request(tools: readonly ToolDefinition[], situation: Situation): TurnRequest {
    const { record } = this;
    return { run: record, sink: record, messages: record.messages, tools, situation };
  }

  private async giveFinalOutput(): Promise<boolean> {
    const { turn, schemas } = this.ports;
    const { record, controller, tools } = this;
    const output = new FinalOutput(record, turn, schemas);
    const { signal } = controller;
    const request = () => this.request([], tools.situationWithoutTools);
    const produce = (asked: TurnRequest) => output.produce(asked, signal);
    const found = await this.compaction.untilItFits(request, produce, signal);
    if (found.kind === 'invalid') return this.finish(found.end);
    return this.finish({ kind: 'completed' }, [{ type: 'agent_final_output', data: found.data }]);
  }

  /** No tool is called before the log holds the intent to. Returns whether the run is parked. */
  private async runTools(): Promise<boolean> {
    this.calls.offer();
    await this.record.settled();
    const open = (): readonly CallState[] => this.record.state.calls.filter((c) => c.result === null);
    const known = await this.calls.run(open, this.controller.signal);
    return known !== null && (await this.park(known));
  }

  /**
   * Nothing can be done before somebody decides. Returns whether nobody drives the run from here on; else there is news.
   * @param known the run when nothing could be done
   */
  private async park(known: RunState): Promise<boolean> {
    const { record, controller } = this;
    const parked = await record.decided((state) => decidePark(state, known.decisions));
    if (parked.length > 0) return true;
    controller.signal.throwIfAborted();
    if (record.state === known && !this.hasTask) throw new Error('the run waits, and nobody is asked');
    return false;
  }

  /** The process that knew the servers is gone. A run that somebody, or a server, has part in asks for them. */
  private get mayAskForServers(): boolean {
    const { asked, servers, calls, hadTask = false } = this.record.state;
    const isConcerned =
      asked > 0 ||
      hadTask ||
      calls.some(concernsOthers) ||
      this.record.workflows.openCalls.some(concernsOthers);
    return isConcerned && servers?.outcome !== 'denied';
  }

  /** Whether a server goes on with a call by itself. */
  private get hasTask(): boolean {
    return this.record.state.calls.some(isTask) || this.record.workflows.openCalls.some(isTask);
  }

  /** Asks for the servers, or opens what was supplied. Returns whether the run is parked. */
  private async waitForServers(): Promise<boolean> {
    const { record } = this;
    const { state: known } = record;
    const { servers, config } = known;
    if (servers?.outcome === 'supplied' && servers.action !== this.reopenedFor) {
      this.reopenedFor = servers.action;
      this.toolbox = await this.reopen();
      this.news.tell(this.toolbox);
      return false;
    }
    if (servers?.outcome !== 'open') {
      await this.calls.giveUp(record.state.calls.filter(isMaybeMade));
      const { mcp_servers: names = [] } = config;
      const content = await record.contents.store(record.session, JSON.stringify({ servers: names }));
      record.write([actionOf('tool_servers', content, record, this.ports.clock.now())]);
    }
    return this.park(known);
  }

  /** Each response for itself: together they may be too large for one append. */
  private async closeStep(missing: readonly CallState[]): Promise<void> {
    if (missing.length > 0)
      for (const draft of await this.calls.responses(missing)) this.record.write([draft]);
    this.record.write([{ type: 'agent_step', data: { step: String(this.record.state.steps + 1) } }]);
  }

  /** The servers of the run's tools went with the process that knew them, or cannot be used. */
  private async endWithoutTools(message: string): Promise<void> {
    const { record } = this;
    await this.tools.giveUp();
    await this.calls.giveUp(record.state.calls.filter((c) => c.result === null));
    if (record.state.isStepOpen) await this.closeStep(record.state.calls.filter((c) => !c.isResponded));
    await this.finish({
      kind: 'failed',
      code: 'tool_servers_lost',
      message,
      isRetryable: true,
    });
  }

  private async endAfter(error: unknown): Promise<void> {
    const { record, controller } = this;
    // One of several calls may have failed: the others are not to outlive the run.
    controller.abort(error);
    const reason: unknown = controller.signal.reason;
    const { lost } = record;
    if (reason instanceof ClaimLost || lost instanceof ClaimLost) return;
    if (lost !== null) return this.endWithout(lost);
    if (reason instanceof RunStopped) return record.settled();
    // Another process has erased the session: until that is heard of nothing can be written, not even an end. Or the key of
    // a file could not be asked for: whoever began the drive goes on from the log when it can be.
    if (isErasure(reason) || reason instanceof LogUnavailable) throw reason;
    if (record.state.end === null) await this.finish(this.endOf(reason));
  }

  /** Something of this run can never be on the log. It ends without it: begun anew, it would come to the same. */
  private async endWithout(refused: Error): Promise<void> {
    this.record.goOnWithout();
    await this.finish(this.endOf(refused));
  }

  private endOf(reason: unknown): RunEnd {
    const { logger, limits } = this.ports;
    const end = endFor(reason, limits.runTimeoutMs);
    if (end.kind === 'failed' && end.code === 'internal')
      logger.error({ err: reason, run: this.record.run }, 'a run failed for a reason of our own');
    return end;
  }

  /** Returns whether it is the end: a message may have come in that the model was not given. */
  private async finish(end: RunEnd, last: readonly Draft[] = []): Promise<boolean> {
    const { cost } = this.record.state.spent;
    const written = await this.record.decided((state) => decideEnd(state, endEvent(end), cost, last));
    return written.length > 0;
  }
}
