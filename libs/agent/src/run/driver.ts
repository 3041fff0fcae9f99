import {
  type CallState,
  type NextAction,
  type RunEnd,
  assertNever,
  formatDollars,
  nextAction,
  warningEvent,
} from '#domain';
import { LogUnavailable, isErasure } from '#event-log';
import type { Schemas } from '#json-schema';
import type { Clock, Logger } from '#platform';
import type { ToolDefinition } from '../model/model-client.js';
import type { ModelTurn, TurnRequest } from '../model/model-turn.js';
import { maxStepsOf } from '../model/modes.js';
import type { Situation } from '../model/prompt.js';
import { FinalOutput } from '../output/final-output-turn.js';
import { RunTools } from '../tools/run-tools.js';
import { ToolRunner } from '../tools/tool-runner.js';
import type { Toolbox } from '../tools/tool.js';
import { CREDENTIALS_GONE, RunStopped, RunTimedOut, endEvent, endFor } from './run-end.js';
import type { RunRecord } from './run-record.js';
import type { RunWatch } from './run-watch.js';
import { ClaimLost } from './run-writer.js';

export interface DriverPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly turn: ModelTurn;
  readonly schemas: Schemas;
  /** Absent: nobody looks on. */
  readonly watch?: RunWatch | undefined;
  readonly limits: { readonly maxSteps: number; readonly runTimeoutMs: number };
}

/** Drives one run to its end: decide, do, journal, evolve, again. */
export class Driver {
  private readonly calls: ToolRunner;
  private readonly tools: RunTools;
  private readonly maxSteps: number;
  private isDraining = false;

  /** @param controller aborted by a cancel, by the run's time limit, when the claim is lost, or when the service stops */
  constructor(
    private readonly ports: DriverPorts,
    private readonly record: RunRecord,
    private readonly toolbox: Toolbox,
    private readonly controller: AbortController,
  ) {
    this.maxSteps = maxStepsOf(record.state.mode, ports.limits.maxSteps);
    this.calls = new ToolRunner(record, record, ports.watch);
    this.tools = new RunTools(ports, record, toolbox, this.calls, this.maxSteps);
  }

  /** Resolves when the run's end is on the log, or with null when it is no longer this process's to drive. */
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

  /** Each once, also where another process has told of it before. */
  private tellOfTools(): void {
    const told = new Set(this.record.state.warnings.map((warning) => warningEvent(warning).data.content));
    const all = (this.toolbox.warnings ?? []).map(warningEvent);
    const news = all.filter(({ data }) => !told.has(data.content));
    if (news.length > 0) this.record.write(news);
  }

  private async loop(): Promise<void> {
    this.tellOfTools();
    for (;;) {
      const action = nextAction(this.record.state, this.maxSteps);
      if (needsTools(action)) {
        const { isLost, missing } = this.toolbox;
        if (isLost) return this.endWithoutTools(CREDENTIALS_GONE);
        if (missing !== undefined) return this.endWithoutTools(missing);
      }
      switch (action.kind) {
        case 'call_model':
          if (this.isDraining) throw new RunStopped();
          await this.callModel();
          break;
        case 'run_tools':
          await this.runTools(action.calls);
          break;
        case 'close_step':
          await this.closeStep(action.responses);
          break;
        case 'final_output':
          await this.giveFinalOutput();
          break;
        case 'finish':
          return this.finish(action.end);
        case 'stop':
          return;
        default:
          assertNever(action);
      }
    }
  }

  private async callModel(): Promise<void> {
    const { tools } = this;
    const request = this.request(this.calls.offer(tools.all), tools.situation);
    const turn = await this.ports.turn.take(request, this.controller.signal);
    const calls = turn.tool_calls ?? [];
    this.calls.startTurn(calls);
    const uses = calls.length > 0 ? await this.calls.uses(calls) : [];
    this.record.write([{ type: 'model_turn_completed', data: turn }, ...uses]);
  }

  private request(tools: readonly ToolDefinition[], situation: Situation): TurnRequest {
    const { record } = this;
    return { run: record, sink: record, messages: record.messages, tools, situation };
  }

  private async giveFinalOutput(): Promise<void> {
    const { turn, schemas } = this.ports;
    const { record, controller, tools } = this;
    const output = new FinalOutput(record, turn, schemas);
    const request = this.request([], tools.situationWithoutTools);
    const found = await output.produce(request, controller.signal);
    if (found.kind === 'invalid') return this.finish(found.end);
    record.write([{ type: 'agent_final_output', data: found.data }]);
  }

  /** No tool is called before the log holds the intent to. */
  private async runTools(calls: readonly CallState[]): Promise<void> {
    this.calls.offer(this.tools.all);
    await this.record.settled();
    await this.calls.run(calls, this.controller.signal);
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

  private async finish(end: RunEnd): Promise<void> {
    const { record } = this;
    record.write([{ type: 'agent_cost', data: { cost: formatDollars(record.state.cost) } }, endEvent(end)]);
    await record.settled();
  }
}

const needsTools = ({ kind }: NextAction): boolean => kind === 'call_model' || kind === 'run_tools';
