import type {
  NextAction,
  OfferedTool,
  RecordedSessionEvent,
  ResultFile,
  RunConfig,
  SessionId,
  TurnToolCall,
} from '#domain';
import { type RecordedCall, RecordedResults, type RecordedRun } from '#projections';
import type { ContentStore } from '#vault';
import type { Tool, ToolFile, ToolOutcome, Toolbox } from '../tools/tool.js';
import { RUN_WORKFLOW } from '../workflow/run-workflow-tool.js';
import { reservedHandoffNames } from './handoff.js';

/** The record that a run is given again from. */
export interface ReplaySource {
  /** In whose files the contents of the record lie. */
  readonly session: SessionId;
  readonly contents: ContentStore;
  readonly recorded: RecordedRun;
}

interface Offer {
  readonly step: number;
  readonly tools: readonly Tool[];
}

const DRIFT =
  'the call was not made: this run is given again from a record, which holds no result of such a call any more';

/** Codes of the warnings that tell of the tools: the agent was told of them, too. */
const OF_TOOLS: ReadonlySet<string> = new Set(['tool_server_unavailable', 'tools_left_out']);

/**
 * What a run that gives another one again takes from its record: tools, the results of their calls, the messages that steered
 * it. Owns which of that was given: a function of the run's own events, so a crash changes nothing. Handing off and workflows
 * are carried out, with what a person changed then, unless one said that they are not to be.
 */
export class Replay {
  private readonly results: RecordedResults;
  private readonly given = new WeakMap<TurnToolCall, RecordedCall | null>();
  private steps = 0;
  private steered = 0;

  private constructor(
    private readonly source: ReplaySource,
    private readonly offers: readonly Offer[],
    private readonly carriedOut: ReadonlySet<string>,
  ) {
    this.results = new RecordedResults(source.recorded.calls);
  }

  /** @param config of the run that is driven @throws what a file of the record throws */
  static async open(source: ReplaySource, { agents = [], workflows = [] }: RunConfig): Promise<Replay> {
    const { session, contents, recorded } = source;
    const offers = await Promise.all(
      recorded.offered.map(async ({ step, tools }) => ({
        step,
        tools: JSON.parse(await contents.text(session, tools)) as readonly OfferedTool[],
      })),
    );
    const ofWorkflows = workflows.length > 0 ? [RUN_WORKFLOW] : [];
    const carriedOut = new Set([...ofWorkflows, ...reservedHandoffNames(agents)]);
    const isRecorded = ({ name }: OfferedTool): boolean => !carriedOut.has(name);
    const of = offers.map(({ step, tools }) => ({ step, tools: tools.filter(isRecorded).map(recordedTool) }));
    return new Replay(source, of, carriedOut);
  }

  /** The tools as they were offered then: to the first step, and what came later from there on. */
  get toolbox(): Toolbox {
    const warnings = this.source.recorded.warnings.filter(({ code }) => OF_TOOLS.has(code));
    const tools = (): readonly Tool[] => this.tools;
    return {
      get tools() {
        return tools();
      },
      warnings,
      notices: warnings.map(({ reason }) => reason),
      close: () => Promise.resolve(),
    };
  }

  /** An event of the run itself. */
  push(event: RecordedSessionEvent): void {
    if (event.type === 'agent_step') this.steps += 1;
    else if (event.type === 'agent_steered') this.steered += 1;
    else if (event.type === 'model_turn_completed') this.assign(event.data.tool_calls ?? []);
  }

  /** Gives the calls of a turn their results, each once. Returns those that the record holds none of. */
  assign(calls: readonly TurnToolCall[]): readonly TurnToolCall[] {
    for (const call of calls) if (!this.given.has(call)) this.given.set(call, this.results.take(call));
    return calls.filter((call) => !this.carriedOut.has(call.name) && this.given.get(call) === null);
  }

  /** What comes of a call; null: it is carried out. */
  async outcomeOf(call: TurnToolCall): Promise<ToolOutcome | null> {
    const recorded = this.given.get(call) ?? null;
    if (this.carriedOut.has(call.name) && (recorded?.decided?.decision ?? 'approve') === 'approve')
      return null;
    if (recorded === null) return { content: DRIFT, isError: true };
    const { result } = recorded;
    const { session, contents } = this.source;
    const content = await contents.text(session, result.content);
    const files = await Promise.all((result.images ?? []).map((image) => this.recordedFile(image)));
    return { content, isError: result.isError, files };
  }

  /** JSON text of what a person said of a call that is carried out; null: nobody was asked. */
  async decisionOn(call: TurnToolCall): Promise<string | null> {
    const { decided } = this.given.get(call) ?? {};
    const { session, contents } = this.source;
    return decided === undefined ? null : contents.text(session, decided.content);
  }

  /** What the model was shown is shown to it again, so it is kept with this run, too. */
  private async recordedFile({ id, file, media_type: mediaType, name }: ResultFile): Promise<ToolFile> {
    const bytes = await this.source.contents.bytes(this.source.session, file);
    return { id, bytes, mediaType, ...(name === undefined ? {} : { name }) };
  }

  /** A message that steered the run comes where it came then, or before the end, where the run ends sooner. */
  next(action: NextAction): NextAction {
    const message = this.source.recorded.steering[this.steered];
    if (message === undefined || !isBetweenSteps(action)) return action;
    const isDue = message.steps <= this.steps || action.kind !== 'call_model';
    return isDue ? { kind: 'take_in', messages: [message.content] } : action;
  }

  private get tools(): readonly Tool[] {
    const { offers, steps } = this;
    return (offers.findLast(({ step }) => step <= steps) ?? offers[0])?.tools ?? NO_TOOLS;
  }
}

const NO_TOOLS: readonly Tool[] = [];

const isBetweenSteps = (action: NextAction): boolean =>
  action.kind === 'call_model' ||
  action.kind === 'final_output' ||
  (action.kind === 'finish' && action.end.kind === 'completed');

const recordedTool = ({ server, tool, server_index, ...definition }: OfferedTool): Tool => ({
  definition,
  ...(server === undefined || tool === undefined
    ? {}
    : { origin: { server, tool, ...(server_index === undefined ? {} : { server_index }) } }),
  // Nothing is made, so nothing is made twice.
  isRepeatable: true,
  call: () => Promise.resolve({ content: DRIFT, isError: true }),
});
