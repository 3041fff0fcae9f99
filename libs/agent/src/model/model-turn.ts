import { type CallKind, type ContextMessage, type Draft, type Mode, formatDollars } from '#domain';
import {
  Backoff,
  type BackoffShape,
  type Clock,
  FairSemaphore,
  type ModelParameter,
  type Random,
} from '#platform';
import { BlockWriter, type RunSink } from '../run/block-writer.js';
import type { RunRecord } from '../run/run-record.js';
import {
  type ModelClient,
  ModelFailure,
  type ModelMessage,
  type ModelRequest,
  type OnBroken,
  type ToolDefinition,
  type Usage,
} from './model-client.js';
import { charsOf } from './request-chars.js';
import { MODES } from './modes.js';
import { samplingOf } from './asked-settings.js';
import { PriceList } from './price-list.js';
import { type TurnImages, imagesOf, messageOfImages } from './turn-images.js';
import { BudgetReached, type SpendingLimits, UNLIMITED } from './spending-limits.js';
import { readOut } from './read-out.js';
import { type Situation, systemMessage } from './prompt.js';
import { type ModelEnd, type RunWatch, UNWATCHED } from '../run/run-watch.js';
import { recordedCall } from './recorded-call.js';
import { type TurnData, turnDataOf } from './turn-data.js';
import { TurnFailed } from './turn-failed.js';
import { newsOf, newsOfTools } from './turn-warnings.js';
import type { TextType } from '../run/journal-entry.js';

/** A turn that the model has taken, and the calls that it took: they are told of in the same append. */
export interface TakenTurn {
  readonly calls: readonly Draft[];
  readonly data: TurnData;
}

export { type TurnData, TurnFailed };

export interface TurnRequest {
  /** The run that it is a turn of. */
  readonly run: TurnRecord;
  /** Where what comes of it is written. */
  readonly sink: RunSink;
  readonly messages: readonly ContextMessage[];
  readonly tools: readonly ToolDefinition[];
  /** The name of the server that a tool is one of; undefined: it is of none. Absent: all are. */
  readonly serverOf?: (tool: string) => string | undefined;
  /** What the model is asked for; absent: a turn of the main agent. */
  readonly kind?: CallKind;
  /** What the system message says besides the run's configuration. */
  readonly situation?: Situation;
  /** Takes what the model says; absent: it is written as blocks that the client sees. */
  readonly output?: TurnOutput;
  readonly responseFormat?: ModelRequest['responseFormat'];
  readonly forcedTool?: string;
  readonly toolChoice?: ModelRequest['toolChoice'];
}

/** What a turn needs to know of its run. */
export type TurnRecord = Pick<
  RunRecord,
  'session' | 'project' | 'key' | 'state' | 'contents' | 'settled' | 'hasRoom' | 'room'
>;

/** Takes the text of a turn while it comes. */
export interface TurnOutput {
  /** An attempt begins: what an earlier one said does not count. */
  restart?(): void;
  add(type: TextType, text: string): Promise<void> | undefined;
  /** All the text so far was thinking; false: it has been told as text, and is not to be taken for the answer. */
  wasThinking(): boolean;
  close(): Promise<void>;
  /** The attempt has ended before its time: what was said until then. */
  breakOff?(): Promise<void>;
}

const ATTEMPTS = 3;
/** Waits of 1 to 1.5 and 4 to 6 s: with the time that failures take themselves, three attempts within about 30 s. */
const PAUSES: BackoffShape = { firstMs: 1_000, longestMs: 4_000, factor: 4, jitter: [1, 1.5] };
const MAX_RETRY_AFTER_MS = 12_000;
/** Bytes of images that are in memory for requests at a time; each is there about five times, as text and as JSON. */
const IMAGE_ROOM = { room: 48 * 1024 * 1024, roomEach: 24 * 1024 * 1024 };
/** UTF-16 units of what is told of a failure. */
const MAX_MESSAGE = 2000;

interface CalledFacts {
  readonly chars: number;
  readonly isBroken: boolean;
}

interface Attempt {
  /** The calls so far, this one among them when it has ended. */
  readonly spent: readonly Draft[];
  readonly called: (usage: Usage, isBroken?: boolean) => void;
}

/** Takes one turn of the model: asks, again where that may help, and writes what it says while it says it. */
export class ModelTurn {
  private readonly imageRoom = new FairSemaphore(IMAGE_ROOM);

  constructor(
    private readonly model: ModelClient,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly watch: RunWatch = UNWATCHED,
    /** What is not sent, by the mode of the run. */
    private readonly omit: Partial<Readonly<Record<Mode, readonly ModelParameter[]>>> = {},
    private readonly prices: PriceList = new PriceList(),
    private readonly limits: SpendingLimits = UNLIMITED,
  ) {}

  /** @throws BudgetReached, TurnFailed, or the signal's reason when it is aborted */
  async take(request: TurnRequest, signal: AbortSignal): Promise<TakenTurn> {
    const backoff = new Backoff(this.clock, PAUSES, this.random);
    const chars = charsOf(request);
    for (let attempt = 1; ; attempt++) {
      /** Calls that came to nothing. */
      const spent: Draft[] = [];
      const called = (usage: Usage, isBroken = false): void =>
        void spent.push(this.called(request, usage, { chars, isBroken }));
      await this.requireLeft(request.run, signal);
      try {
        return await this.attempt(request, signal, { spent, called });
      } catch (error) {
        const isOver = signal.aborted || !(error instanceof ModelFailure);
        const isLast = isOver || error.kind !== 'transient' || attempt >= ATTEMPTS;
        if (isLast && spent.length > 0) request.sink.write(spent);
        signal.throwIfAborted();
        if (!(error instanceof ModelFailure)) throw error;
        if (isLast) throw failed(error);
        const data = { attempt, error: shown(error) };
        request.sink.write([...spent, { type: 'model_turn_failed', data }]);
        const askedMs = Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
        await backoff.wait(signal, (ms) => Math.max(ms, askedMs));
        signal.throwIfAborted();
        // Whoever has lost the run meanwhile finds it out here, before the model is asked once more.
        await request.run.settled();
      }
    }
  }

  private async attempt(
    request: TurnRequest,
    signal: AbortSignal,
    { spent, called }: Attempt,
  ): Promise<TakenTurn> {
    const { state } = request.run;
    const onBroken = (usage: Usage): void => called(usage, true);
    const end = await this.watch.modelCall(state.model, () => this.ask(request, signal, onBroken));
    called(end.usage);
    const data = await turnDataOf(end, request.run);
    // Of a summary nobody is told what is missing of it.
    if (request.kind !== 'compaction') for (const event of newsOf(end, state)) request.sink.write([event]);
    return { calls: spent, data };
  }

  private called({ run, kind = 'turn' }: TurnRequest, usage: Usage, facts: CalledFacts): Draft {
    const { model, mode } = run.state;
    const called = recordedCall({ kind, mode, model, price: this.prices.of(model), ...facts }, usage);
    this.limits.spent({ project: run.project, key: run.key, model }, called.data);
    return called;
  }

  /** The run's own budget first, then those that it shares. @throws BudgetReached */
  private async requireLeft({ project, key, state }: TurnRecord, signal: AbortSignal): Promise<void> {
    const { model, limit, spent } = state;
    const isOwn = limit !== undefined && (spent.cost >= limit || this.prices.of(model) === null);
    const own = isOwn ? { spent: formatDollars(spent.cost), limit: formatDollars(limit) } : null;
    const holding = own ?? (await this.limits.holding({ project, key, model }, signal));
    if (holding !== null) throw new BudgetReached(holding);
  }

  private async ask(request: TurnRequest, signal: AbortSignal, onBroken: OnBroken): Promise<ModelEnd> {
    const images = imagesOf(request.messages);
    const { project } = request.run;
    const giveBack = images.bytes === 0 ? null : await this.imageRoom.take(project, signal, images.bytes);
    try {
      return await this.askWith(await this.messagesOf(request, images), request, signal, onBroken);
    } finally {
      giveBack?.();
    }
  }

  private async askWith(
    messages: readonly ModelMessage[],
    request: TurnRequest,
    signal: AbortSignal,
    onBroken: OnBroken,
  ): Promise<ModelEnd> {
    const { run, sink, tools } = request;
    const { state, session, project, contents } = run;
    const isStreaming = state.config.streaming_tokens === true;
    const block: TurnOutput = request.output ?? new BlockWriter(sink, contents, session, isStreaming);
    block.restart?.();
    const omit = this.omit[state.mode] ?? [];
    const settings = { ...samplingOf(state, request.kind), ...formOf(request) };
    const asked = { model: state.model, messages, tools, project, omit, ...settings };
    const stream = this.model.stream(asked, signal, onBroken);
    try {
      for await (const pieces of stream) {
        for (const piece of pieces) {
          if (piece.kind === 'end') {
            await block.close();
            return piece;
          }
          if (piece.kind === 'left_out') {
            this.tellOfTools(piece.tools, request);
            continue;
          }
          if (piece.kind === 'was_thinking') {
            if (!block.wasThinking()) sink.write([disowned]);
            continue;
          }
          const stored = block.add(piece.kind === 'text' ? 'agent_response' : 'agent_thinking', piece.text);
          if (stored) await stored;
        }
        if (!run.hasRoom) await run.room();
      }
      throw new ModelFailure('transient', 'the model ended its answer without an end');
    } catch (error) {
      // Why it ended counts more than that what it said could not be kept.
      await block.breakOff?.().catch(() => undefined);
      throw error;
    }
  }

  /** Before anything of the turn. Of a summary nobody is told what is missing of it. */
  private tellOfTools(leftOut: readonly string[], { kind, serverOf = ofNone, run, sink }: TurnRequest): void {
    if (kind === 'compaction') return;
    for (const event of newsOfTools(leftOut, serverOf, run.state)) sink.write([event]);
  }

  private async messagesOf(
    { run, situation, messages: told }: TurnRequest,
    { behind }: TurnImages,
  ): Promise<ModelMessage[]> {
    const { config, mode } = run.state;
    const messages: ModelMessage[] = [
      { role: 'system', content: systemMessage(config, MODES[mode], situation) },
    ];
    for (const [at, message] of told.entries()) {
      messages.push(await readOut(message, run));
      const images = behind.get(at);
      const shown = images === undefined ? null : await messageOfImages(images, run);
      if (shown !== null) messages.push(shown);
    }
    return messages;
  }
}

/** Text that turned out to be thinking when it had been shown: it stands in the history, but in no context. */
const disowned: Draft = {
  type: 'model_turn_failed',
  data: { attempt: 0, error: 'what the model had written was its thinking' },
};

const ofNone = (): undefined => undefined;

const formOf = ({ responseFormat, forcedTool, toolChoice }: TurnRequest) => ({
  ...(responseFormat === undefined ? {} : { responseFormat }),
  ...(toolChoice === undefined ? {} : { toolChoice }),
  ...(forcedTool === undefined ? {} : { forcedTool }),
});

const shown = ({ message }: ModelFailure): string => message.slice(0, MAX_MESSAGE);

function failed(error: ModelFailure): TurnFailed {
  if (error.kind === 'too_long') return new TurnFailed('context_too_long', shown(error), false, error);
  return new TurnFailed('model_unavailable', shown(error), error.kind === 'transient', error);
}
