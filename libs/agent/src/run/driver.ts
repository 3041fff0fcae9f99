import {
  type CallState,
  type ContextFold,
  type Draft,
  type RecordedSessionEvent,
  type RunEnd,
  type RunState,
  type WorkflowRuns,
  assertNever,
  evolveRun,
  formatDollars,
  type NextAction,
  nextAction,
  warningEvent,
} from '#domain';
import type { Clock, Logger } from '#platform';
import type { RunSink } from './block-writer.js';
import { type ContentStore } from '#vault';
import { LogUnavailable, isErasure } from '#event-log';
import type { TextType } from './journal-entry.js';
import type { Journal } from './journal.js';
import { maxStepsOf } from '../model/modes.js';
import { SchemaInUse, type Schemas } from '#json-schema';
import { FinalOutput } from '../output/final-output-turn.js';
import type { ToolDefinition } from '../model/model-client.js';
import type { ModelTurn, TurnRequest } from '../model/model-turn.js';
import { CREDENTIALS_GONE, RunStopped, RunTimedOut, endEvent, endFor } from './run-end.js';
import { RunTools } from '../tools/run-tools.js';
import type { RunWatch } from './run-watch.js';
import { ClaimLost, type RunWriter } from './run-writer.js';
import type { Toolbox } from '../tools/tool.js';
import { ToolRunner } from '../tools/tool-runner.js';

export interface DriverPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly contents: ContentStore;
  readonly turn: ModelTurn;
  readonly schemas: Schemas;
  /** Absent: nobody looks on. */
  readonly watch?: RunWatch | undefined;
  readonly limits: { readonly maxSteps: number; readonly runTimeoutMs: number };
}

export interface Drive {
  readonly session: string;
  readonly journal: Journal;
  readonly writer: RunWriter;
  /** The run as far as the log holds it. */
  readonly state: RunState;
  /** What the model has been told and has said, up to the same point. */
  readonly context: ContextFold;
  readonly toolbox: Toolbox;
  /** The workflows that an earlier process left under way. */
  readonly workflows: WorkflowRuns;
  /** Aborted by a cancel, by the run's time limit, when the claim is lost, or when the service stops. */
  readonly controller: AbortController;
}

/** Drives one run to its end: decide, do, journal, evolve, again. */
export class Driver implements RunSink {
  private state: RunState;
  private writer: RunWriter;
  private readonly tools: ToolRunner;
  private readonly offered: RunTools;
  private isDraining = false;

  constructor(
    private readonly ports: DriverPorts,
    private readonly run: Drive,
  ) {
    this.state = run.state;
    this.writer = run.writer;
    this.tools = new ToolRunner(ports.contents, run.session, this, ports.watch);
    this.offered = new RunTools({
      session: run.session,
      clock: ports.clock,
      contents: ports.contents,
      inUse: (schema) => new SchemaInUse(ports.schemas, schema, run.writer.meta.project),
      turn: ports.turn,
      toolbox: run.toolbox,
      workflows: run.workflows,
      runner: this.tools,
      watch: ports.watch,
      state: () => this.state,
      request: () => this.request([]),
      write: (drafts) => this.write(drafts),
      settled: () => run.journal.settled(this.writer),
      maxTurns: maxStepsOf(run.state.mode, ports.limits.maxSteps),
    });
  }

  /** Resolves when the run's end is on the log, or with null when it is no longer this process's to drive. */
  async drive(): Promise<RunEnd | null> {
    const { controller } = this.run;
    const { runTimeoutMs } = this.ports.limits;
    const cancelTimer = this.ports.clock.timer(runTimeoutMs, () => controller.abort(new RunTimedOut()));
    try {
      await this.loop();
    } catch (error) {
      await this.endAfter(error);
    } finally {
      cancelTimer();
    }
    return this.writer.lost ? null : this.state.end;
  }

  /**
   * Goes no further than the model turn or the tool calls that are under way. A run with tool servers goes on for as long
   * as it is let: no other process could.
   */
  drain(): void {
    this.isDraining = (this.state.config.mcp_servers ?? []).length === 0;
  }

  write(drafts: readonly Draft[]): void {
    this.run.journal.write(this.writer, drafts);
    for (const draft of drafts) {
      this.state = evolveRun(this.state, draft);
      this.run.context.push(this.asRecorded(draft));
    }
  }

  writeText(type: TextType, text: string): void {
    this.run.journal.writeText(this.writer, type, text);
    if (type === 'agent_response') this.run.context.push(this.asRecorded({ type, data: { content: text } }));
  }

  /** Each once, also where another process has told of it before. */
  private tellOfTools(): void {
    const told = new Set(this.state.warnings.map((warning) => warningEvent(warning).data.content));
    const all = (this.run.toolbox.warnings ?? []).map(warningEvent);
    const news = all.filter(({ data }) => !told.has(data.content));
    if (news.length > 0) this.write(news);
  }

  private async loop(): Promise<void> {
    this.tellOfTools();
    const maxSteps = maxStepsOf(this.state.mode, this.ports.limits.maxSteps);
    for (;;) {
      const action = nextAction(this.state, maxSteps);
      if (needsTools(action)) {
        const { isLost, missing } = this.run.toolbox;
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
    const turn = await this.ports.turn.take(
      this.request(this.tools.offer(this.offered.all)),
      this.run.controller.signal,
    );
    const calls = turn.tool_calls ?? [];
    this.tools.startTurn(calls);
    const uses = calls.length > 0 ? await this.tools.uses(calls) : [];
    this.write([{ type: 'model_turn_completed', data: turn }, ...uses]);
  }

  private request(tools: readonly ToolDefinition[]): TurnRequest {
    const { journal, session, context, writer } = this.run;
    const { state, offered } = this;
    return {
      session,
      project: writer.meta.project,
      state,
      messages: context.messages,
      tools,
      journal,
      sink: this,
      settled: () => journal.settled(this.writer),
      situation: offered.situation,
    };
  }

  private async giveFinalOutput(): Promise<void> {
    const { contents, turn, schemas } = this.ports;
    const { session, controller, writer } = this.run;
    const { project } = writer.meta;
    const output = new FinalOutput({ contents, turn, session, sink: this, schemas, project });
    const request = { ...this.request([]), situation: this.offered.situationWithoutTools };
    const found = await output.produce(this.state, request, controller.signal);
    if (found.kind === 'invalid') return this.finish(found.end);
    this.write([{ type: 'agent_final_output', data: found.data }]);
  }

  /** No tool is called before the log holds the intent to. */
  private async runTools(calls: readonly CallState[]): Promise<void> {
    this.tools.offer(this.offered.all);
    await this.run.journal.settled(this.writer);
    await this.tools.run(calls, this.run.controller.signal);
  }

  /** Each response for itself: together they may be too large for one append. */
  private async closeStep(missing: readonly CallState[]): Promise<void> {
    if (missing.length > 0) for (const draft of await this.tools.responses(missing)) this.write([draft]);
    this.write([{ type: 'agent_step', data: { step: String(this.state.steps + 1) } }]);
  }

  /** The servers of the run's tools went with the process that knew them, or cannot be used. */
  private async endWithoutTools(message: string): Promise<void> {
    await this.offered.giveUp();
    await this.tools.giveUp(this.state.calls.filter((c) => c.result === null));
    if (this.state.isStepOpen) await this.closeStep(this.state.calls.filter((c) => !c.isResponded));
    await this.finish({
      kind: 'failed',
      code: 'tool_servers_lost',
      message,
      isRetryable: true,
    });
  }

  private async endAfter(error: unknown): Promise<void> {
    const { journal, controller } = this.run;
    // One of several calls may have failed: the others are not to outlive the run.
    controller.abort(error);
    const reason: unknown = controller.signal.reason;
    const { lost } = this.writer;
    if (reason instanceof ClaimLost || lost instanceof ClaimLost) return;
    if (lost !== null) return this.endWithout(lost);
    if (reason instanceof RunStopped) return journal.settled(this.writer);
    // Another process has erased the session: until that is heard of nothing can be written, not even an end. Or the key of
    // a file could not be asked for: whoever began the drive goes on from the log when it can be.
    if (isErasure(reason) || reason instanceof LogUnavailable) throw reason;
    if (this.state.end === null) await this.finish(this.endOf(reason));
  }

  /** Something of this run can never be on the log. It ends without it: begun anew, it would come to the same. */
  private async endWithout(refused: Error): Promise<void> {
    this.writer = this.writer.again();
    await this.finish(this.endOf(refused));
  }

  private endOf(reason: unknown): RunEnd {
    const { logger, limits } = this.ports;
    const end = endFor(reason, limits.runTimeoutMs);
    if (end.kind === 'failed' && end.code === 'internal')
      logger.error({ err: reason, run: this.writer.claim.run }, 'a run failed for a reason of our own');
    return end;
  }

  private async finish(end: RunEnd): Promise<void> {
    this.write([{ type: 'agent_cost', data: { cost: formatDollars(this.state.cost) } }, endEvent(end)]);
    await this.run.journal.settled(this.writer);
  }

  private asRecorded(draft: Draft): RecordedSessionEvent {
    return { ...draft, revision: -1, time: 0, meta: this.writer.meta };
  }
}

const needsTools = ({ kind }: NextAction): boolean => kind === 'call_model' || kind === 'run_tools';
