import {
  type ContextMessage,
  type Draft,
  type ErrorCode,
  type Mode,
  type SessionEvent,
  type TurnToolCall,
  cutToBudget,
  formatDollars,
  isFileRef,
} from '#domain';
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
  type ToolCall,
  type ToolDefinition,
} from './model-client.js';
import { isLess, sizeOf, sizeOfAll } from './context-size.js';
import { MODES } from './modes.js';
import { costOf } from './prices.js';
import { type TurnImages, imagesOf, messageOfImages } from './turn-images.js';
import { type Situation, systemMessage } from './prompt.js';
import { type ModelEnd, type RunWatch, UNWATCHED } from '../run/run-watch.js';
import { isTooMuch, newsOf } from './turn-warnings.js';
import type { TextType } from '../run/journal-entry.js';

export type TurnData = Extract<SessionEvent, { type: 'model_turn_completed' }>['data'];

export interface TurnRequest {
  /** The run that it is a turn of. */
  readonly run: TurnRecord;
  /** Where what comes of it is written. */
  readonly sink: RunSink;
  readonly messages: readonly ContextMessage[];
  readonly tools: readonly ToolDefinition[];
  /** What the system message says besides the run's configuration. */
  readonly situation?: Situation;
  /** Takes what the model says; absent: it is written as blocks that the client sees. */
  readonly output?: TurnOutput;
  readonly responseFormat?: ModelRequest['responseFormat'];
  readonly forcedTool?: string;
}

/** What a turn needs to know of its run. */
export type TurnRecord = Pick<
  RunRecord,
  'session' | 'project' | 'state' | 'contents' | 'settled' | 'hasRoom' | 'room'
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

/** The model could not be brought to answer. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly isRetryable: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

const ATTEMPTS = 3;
/** Waits of 1 to 1.5 and 4 to 6 s: with the time that failures take themselves, three attempts within about 30 s. */
const PAUSES: BackoffShape = { firstMs: 1_000, longestMs: 4_000, factor: 4, jitter: [1, 1.5] };
const MAX_RETRY_AFTER_MS = 12_000;
/** A context that the server finds too long is halved so many times. */
const CUTS = 4;
/** JSON bytes of one turn's calls, together: they stand in one event, as large as the content of one may be. */
const MAX_CALL_BYTES = 160 * 1024;
/** Bytes of images that are in memory for requests at a time; each is there about five times, as text and as JSON. */
const IMAGE_ROOM = { room: 48 * 1024 * 1024, roomEach: 24 * 1024 * 1024 };
/** UTF-16 units of what is told of a failure. */
const MAX_MESSAGE = 2000;

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
  ) {}

  /** @throws TurnFailed, or the signal's reason when it is aborted */
  async take(request: TurnRequest, signal: AbortSignal): Promise<TurnData> {
    let budget = MODES[request.run.state.mode].contextChars;
    const backoff = new Backoff(this.clock, PAUSES, this.random);
    for (let attempt = 1, cuts = 0; ;) {
      try {
        const { state } = request.run;
        const { model } = state;
        const end = await this.watch.modelCall(model, () => this.ask(request, budget, signal));
        const turn = turnData(end, model);
        for (const event of newsOf(end, state)) request.sink.write([event]);
        return { ...turn, ...(await kept(end, request.run)) };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelFailure)) throw error;
        const less = Math.min(budget, sizeOfAll(request.messages)) / 2;
        if (error.kind === 'too_long' && cuts < CUTS && isLess(request.messages, less, budget)) {
          budget = less;
          cuts++;
        } else {
          if (error.kind !== 'transient' || attempt >= ATTEMPTS) throw failed(error);
          attempt++;
          const askedMs = Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
          await backoff.wait(signal, (ms) => Math.max(ms, askedMs));
          signal.throwIfAborted();
        }
        request.sink.write([
          { type: 'model_turn_failed', data: { attempt: attempt + cuts - 1, error: shown(error) } },
        ]);
        // Whoever has lost the run meanwhile finds it out here, before the model is asked once more.
        await request.run.settled();
      }
    }
  }

  private async ask(request: TurnRequest, budget: number, signal: AbortSignal): Promise<ModelEnd> {
    const told = cutToBudget(request.messages, budget, sizeOf);
    const images = imagesOf(told);
    const { project } = request.run;
    const giveBack = images.bytes === 0 ? null : await this.imageRoom.take(project, signal, images.bytes);
    try {
      return await this.askWith(await this.messagesOf(request, told, images), request, signal);
    } finally {
      giveBack?.();
    }
  }

  private async askWith(
    messages: readonly ModelMessage[],
    request: TurnRequest,
    signal: AbortSignal,
  ): Promise<ModelEnd> {
    const { run, sink, tools } = request;
    const { state, session, project, contents } = run;
    const mode = MODES[state.mode];
    const isStreaming = state.config.streaming_tokens === true;
    const block: TurnOutput = request.output ?? new BlockWriter(sink, contents, session, isStreaming);
    block.restart?.();
    const { reasoningEffort } = mode;
    const omit = this.omit[state.mode] ?? [];
    const asked = { model: state.model, messages, tools, reasoningEffort, project, omit, ...formOf(request) };
    const stream = this.model.stream(asked, signal);
    try {
      for await (const pieces of stream) {
        for (const piece of pieces) {
          if (piece.kind === 'end') {
            await block.close();
            return piece;
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

  private async messagesOf(
    { run, situation }: TurnRequest,
    told: readonly ContextMessage[],
    { behind }: TurnImages,
  ): Promise<ModelMessage[]> {
    const { config, mode } = run.state;
    const messages: ModelMessage[] = [
      { role: 'system', content: systemMessage(config, MODES[mode], situation) },
    ];
    for (const [at, message] of told.entries()) {
      messages.push(isInline(message) ? message : await readOut(message, run));
      const images = behind.get(at);
      const shown = images === undefined ? null : await messageOfImages(images, run);
      if (shown !== null) messages.push(shown);
    }
    return messages;
  }
}

async function readOut(message: ContextMessage, { session, contents }: TurnRecord): Promise<InlineMessage> {
  const content = await contents.textOrNote(session, message.content);
  if (message.role !== 'assistant' || message.provider === undefined)
    return { ...message, content } as InlineMessage;
  return { ...message, content, provider: await contents.text(session, message.provider) };
}

/** What the server may want back, as the log holds it. */
async function kept(
  { provider }: ModelEnd,
  { session, contents }: TurnRecord,
): Promise<Pick<TurnData, 'provider'>> {
  if (provider === undefined || isTooMuch(provider)) return {};
  return { provider: await contents.storeBeside(session, provider) };
}

/** Text that turned out to be thinking when it had been shown: it stands in the history, but in no context. */
const disowned: Draft = {
  type: 'model_turn_failed',
  data: { attempt: 0, error: 'what the model had written was its thinking' },
};

const formOf = ({ responseFormat, forcedTool }: TurnRequest) => ({
  ...(responseFormat === undefined ? {} : { responseFormat }),
  ...(forcedTool === undefined ? {} : { forcedTool }),
});

const shown = ({ message }: ModelFailure): string => message.slice(0, MAX_MESSAGE);

function failed(error: ModelFailure): TurnFailed {
  if (error.kind === 'too_long') return new TurnFailed('context_too_long', shown(error), false, error);
  return new TurnFailed('model_unavailable', shown(error), error.kind === 'transient', error);
}

function turnData(end: ModelEnd, model: string): TurnData {
  const { usage, toolCalls } = end;
  const tool_calls = distinct(toolCalls);
  if (Buffer.byteLength(JSON.stringify(tool_calls)) > MAX_CALL_BYTES) {
    throw new ModelFailure(
      'transient',
      `the model called tools with more than ${MAX_CALL_BYTES} bytes of arguments`,
    );
  }
  return {
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      ...(usage.estimated ? { estimated: true as const } : {}),
    },
    cost: formatDollars(costOf(model, usage)),
    finish_reason: end.finishReason,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
}

/** Some servers give every call of a turn the same id, or none. */
function distinct(calls: readonly ToolCall[]): TurnToolCall[] {
  const seen = new Set<string>();
  return calls.map(({ id, name, arguments: input, isCut }, i) => {
    let unique = id;
    for (let n = i; unique === '' || seen.has(unique); n++) unique = `${id || 'call'}_${n}`;
    seen.add(unique);
    return { id: unique, name, arguments: input, ...(isCut ? { cut: true as const } : {}) };
  });
}

type InlineMessage = Exclude<ModelMessage, { role: 'system' }>;

const isInline = (message: ContextMessage): message is ContextMessage & InlineMessage =>
  !isFileRef(message.content) &&
  !(message.role === 'assistant' && message.provider !== undefined && isFileRef(message.provider));
