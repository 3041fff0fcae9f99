import type { TurnToolCall } from '#domain';
import type { Clock } from '#platform';
import type {
  CallTerms,
  ServerAnswers,
  Tool,
  ToolDefinition,
  ToolOrigin,
  ToolOutcome,
  WantedInputs,
} from '#agent';
import { refusedKindOf } from './call-result.js';
import type { McpLimits } from './limits.js';
import type { McpConnection } from './mcp-connection.js';
import { McpFailure } from './mcp-failure.js';
import { taskIn } from './mcp-task.js';
import type { RequestOptions } from './mcp-wire.js';
import { type OfferedSchema, offerSchema } from './offered-schema.js';
import { headersOfArguments } from './param-headers.js';
import { RPC_CODES, isRecord } from './rpc-message.js';
import type { ListedTool } from './tool-list.js';
import { failed, outcomeUnknown, saidOf, toldResult } from './told-result.js';
import { wantedInputs } from './wanted-inputs.js';

/** OpenAI refuses longer ones; what is left over is said in the schema's own description. */
const maxDescriptionChars = 1_024;

/** So often a server may put a call off. */
const MAX_ROUNDS = 10;

interface CallParams {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly _meta?: object;
  /** What goes with a call that goes on. */
  readonly inputResponses?: ServerAnswers['answers'];
  readonly requestState?: string;
}

class ToolTimedOut extends Error {
  override readonly name = 'ToolTimedOut';
}

/** A tool of a server, under the name that it is offered by. */
export class McpTool implements Tool {
  readonly definition: ToolDefinition;
  readonly isRepeatable: boolean;
  readonly isReadOnly: boolean;
  readonly origin: ToolOrigin;
  private readonly schema: OfferedSchema;

  constructor(
    name: string,
    private readonly listed: ListedTool,
    private readonly connection: McpConnection,
    private readonly clock: Clock,
    private readonly limits: McpLimits,
  ) {
    this.isRepeatable = listed.isRepeatable;
    this.isReadOnly = listed.isReadOnly;
    this.schema = offerSchema(listed.inputSchema, connection.mask);
    this.definition = this.define(name);
    const { mask, config, index } = connection;
    const which = index === 0 ? {} : { server_index: index };
    this.origin = { server: config.serverName, tool: mask.clean(listed.name), ...which };
  }

  /** Rejects only when the signal is aborted, with its reason; the server is told to stop. */
  async call(
    input: unknown,
    signal: AbortSignal,
    _call?: TurnToolCall,
    { traceparent, answers }: CallTerms = {},
  ): Promise<ToolOutcome> {
    signal.throwIfAborted();
    const args = this.schema.toServer(input);
    if (!isRecord(args)) return failed('the arguments must be an object');
    const meta = traceparent === undefined ? {} : { _meta: { traceparent } };
    const params = { name: this.listed.name, arguments: args, ...meta, ...answered(answers) };
    const stop = new AbortController();
    const { idleMs, callMs } = this.limits;
    const follow = () => stop.abort(signal.reason);
    signal.addEventListener('abort', follow, { once: true });
    const timeOut = (ms: number) => () =>
      stop.abort(new ToolTimedOut(`gave no result within ${ms / 1000} s`));
    const cancelCap = this.clock.timer(callMs, timeOut(callMs));
    let cancelIdle = this.clock.timer(idleMs, timeOut(idleMs));
    const onProgress = () => {
      cancelIdle();
      cancelIdle = this.clock.timer(idleMs, timeOut(idleMs));
    };
    try {
      const outcome = await this.attempt(params, { signal: stop.signal, onProgress });
      await this.connection.refreshed();
      signal.throwIfAborted();
      return outcome;
    } finally {
      signal.removeEventListener('abort', follow);
      cancelCap();
      cancelIdle();
    }
  }

  /** What was not carried out for sure, and what may be done twice, is tried again a few times. */
  private async attempt(first: CallParams, options: RequestOptions): Promise<ToolOutcome> {
    let params = first;
    let rounds = 0;
    const { retryMs } = this.limits;
    const { signal } = options;
    let isMaybeDone = false;
    let isListedAgain = false;
    for (let tries = 0; ; tries++) {
      try {
        const result = await this.send(params, options);
        const task = taskIn(result, this.clock.now(), this.limits, this.connection.mask);
        if (task !== null) return { content: '', task };
        if (result['resultType'] === 'input_required') {
          const wants = wantedInputs(result, this.connection.mask);
          if (wants.questions.length > 0) return { content: '', wants };
          params = await this.askedLater(params, wants, ++rounds, signal);
          continue;
        }
        return this.told(result);
      } catch (error) {
        if (signal.aborted) return this.stopped(signal.reason);
        if (!(error instanceof McpFailure)) throw error;
        // It looked at the headers before anything else: they follow from a list of tools that has changed.
        if (error.rpc?.code === RPC_CODES.headerMismatch && !isListedAgain) {
          isListedAgain = true;
          await this.connection.relist(signal).catch(() => undefined);
          continue;
        }
        isMaybeDone ||= ['lost', 'nonsense', 'unusable'].includes(error.kind);
        const pauseMs = retryMs[tries];
        const isHarmless = this.isRepeatable && (error.kind === 'lost' || error.kind === 'nonsense');
        const mayRepeat = isHarmless || error.kind === 'unsent' || error.kind === 'session';
        if (!mayRepeat || pauseMs === undefined) return this.failed(error, isMaybeDone);
        // A session that is gone is opened anew at once, the first time.
        if (error.kind === 'session' && tries === 0) continue;
        await this.clock.sleep(pauseMs, signal).catch(() => undefined);
        if (signal.aborted) return this.stopped(signal.reason);
      }
    }
  }

  /** It wants nothing but to be asked again. @throws McpFailure: too often */
  private async askedLater(
    params: CallParams,
    { state }: WantedInputs,
    round: number,
    signal: AbortSignal,
  ): Promise<CallParams> {
    if (round > MAX_ROUNDS) throw new McpFailure('refused', 'wants to be asked again and again');
    await this.clock.sleep(1_000 * 2 ** (round - 1), signal);
    // What was answered before was for the round before: a server that keeps nothing would take it for an answer to this one.
    const { inputResponses: _, requestState: __, ...rest } = params;
    return { ...rest, ...(state === undefined ? {} : { requestState: state }) };
  }

  /** The result of one request, as it came. @throws McpFailure also where it is none */
  private async send(params: CallParams, options: RequestOptions): Promise<Record<string, unknown>> {
    const listed = this.connection.tools.find(({ name }) => name === params.name) ?? this.listed;
    const headers = headersOfArguments(listed.paramHeaders, params.arguments);
    const result = await this.connection.request('tools/call', { ...params }, { ...options, headers });
    const refused = refusedKindOf(result);
    if (refused !== null) throw refused;
    return result;
  }

  private told(result: Readonly<Record<string, unknown>>): ToolOutcome {
    return toldResult(result, this.definition.name, this.connection, this.limits);
  }

  private failed(failure: McpFailure, isMaybeDone: boolean): ToolOutcome {
    const said = this.says(failure.message);
    if (isMaybeDone && !this.isRepeatable) return outcomeUnknown(said);
    return failed(failure.kind === 'unsent' ? `${said}; the call was not made` : said);
  }

  private stopped(reason: unknown): ToolOutcome {
    if (!(reason instanceof ToolTimedOut)) return failed('cancelled');
    return failed(
      `${this.says(reason.message)} and was told to stop; what it has done until then is unknown`,
    );
  }

  private says(what: string): string {
    return saidOf(this.connection, what);
  }

  private define(name: string): ToolDefinition {
    const { mask, config } = this.connection;
    const own = mask.clean(this.listed.name);
    const origin = own === name ? '' : `(${own} of ${config.serverName}) `;
    const before = config.description === undefined ? '' : `${config.description}\n`;
    // What the caller says of its server is masked, too: a token in it is as much a secret.
    const text = mask.clean(before) + origin + mask.clean(this.listed.description);
    const { parameters } = this.schema;
    if (text.length <= maxDescriptionChars) return { name, description: text, parameters };
    const head = text.slice(0, maxDescriptionChars - 1).replace(/[\uD800-\uDBFF]$/, '');
    return { name, description: `${head}…`, parameters: { ...parameters, description: text } };
  }
}

function answered(answers: ServerAnswers | undefined): Pick<CallParams, 'inputResponses' | 'requestState'> {
  if (answers === undefined) return {};
  const { answers: inputResponses, state } = answers;
  return { inputResponses, ...(state === undefined ? {} : { requestState: state }) };
}
