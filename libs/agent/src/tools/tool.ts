import type {
  Draft,
  RunConfig,
  RunWarning,
  ServerTask,
  TurnToolCall,
  ProjectId,
  RunId,
  SessionId,
} from '#domain';
import type { McpServerConfig } from './mcp-server-config.js';
import type { ToolDefinition } from '../model/model-client.js';

/** A file that came with a result, e.g. an image. */
export interface ToolFile {
  /** `file_` and 24 hex digits, derived from the session and the content; the text of the result names it. */
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly name?: string;
}

export interface ToolOutcome {
  /** What the agent is told. */
  readonly content: string;
  readonly isError?: boolean;
  /** Nobody knows whether it has taken effect. */
  readonly isUnknown?: true;
  /** Kept in the session's files before the result is recorded. */
  readonly files?: readonly ToolFile[];
  /** Written together with the result. */
  readonly events?: readonly Draft[];
  /** Nothing has come of the call yet: the server goes on with it. */
  readonly task?: ServerTask;
  /** Nothing has come of it: the server wants to know more first. */
  readonly wants?: WantedInputs;
}

/** What a server wants to be answered before it goes on with a call. */
export interface WantedInputs {
  readonly questions: readonly WantedInput[];
  /** What it wants back with the answers, as it came. */
  readonly state?: string;
}

/** Something to fill in, or to be done at an address. */
export interface WantedInput {
  /** As the server calls it. */
  readonly key: string;
  readonly message: string;
  /** JSON schema of an object. */
  readonly schema?: object;
  readonly url?: string;
}

export interface ServerAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: object;
}

export interface ServerAnswers {
  /** By the keys of the questions. */
  readonly answers: Readonly<Record<string, ServerAnswer>>;
  readonly state?: string;
}

/** What goes with a call besides its arguments. */
export interface CallTerms {
  /** Handed on to whoever else carries it out. */
  readonly traceparent?: string | undefined;
  /** To what the server wanted to know: the call goes on with them. */
  readonly answers?: ServerAnswers | undefined;
}

/** As calls of it are recorded. */
export interface ToolOrigin {
  readonly server: string;
  readonly tool: string;
  /** Of several servers of that name, which one in the order of the request; absent: the first. */
  readonly server_index?: number;
}

/** Something that the agent may do. It tells of its failures in the outcome; what it throws counts as one, too. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** Where it is one of a tool server: that server's name, and the tool's own name there. */
  readonly origin?: ToolOrigin;
  /** Its server says that it only reads. */
  readonly isReadOnly?: boolean;
  /** The caller carries it out: it is never called here. */
  readonly isCallers?: true;
  /** Whether a call whose result was lost may be made again: it reads only, or twice is the same as once. */
  readonly isRepeatable: boolean;
  /**
   * `input` is the parsed arguments of `call`. Stops promptly when the signal is aborted.
   */
  call(input: unknown, signal: AbortSignal, call?: TurnToolCall, terms?: CallTerms): Promise<ToolOutcome>;
}

/** A tool server of a run, whatever it offers now, and whether or not it can be reached. */
export interface ToolServer {
  readonly name: string;
  /** Of several servers of that name, which one in the order of the request, from 0 on. */
  readonly index: number;
  /**
   * Waits a while for one that is away. Resolves with why it cannot be used, as the end of "the tool server …"; null: it can.
   * @throws the signal's reason
   */
  reached(signal: AbortSignal): Promise<string | null>;
  /** Waits until something has come of a task, which `follow` tells then without asking again. @throws the signal's reason */
  untilNews(task: ServerTask, signal: AbortSignal): Promise<void>;
  /** Waits for what comes of a task that it has made of the call. Stops as a tool's `call` does. */
  follow(
    call: TurnToolCall,
    task: ServerTask,
    signal: AbortSignal,
    answers?: ServerAnswers,
  ): Promise<ToolOutcome>;
}

/** The tools of one run, opened when it is claimed and closed at its end. */
export interface Toolbox {
  /** What is offered now; it may change while the run goes on. */
  readonly tools: readonly Tool[];
  /** Those that calls of earlier turns may still be of. */
  readonly servers?: readonly ToolServer[];
  /** What the agent is to be told of its tools, e.g. which server could not be reached. */
  readonly notices?: readonly string[];
  /** What the caller is to be told of them: the same array for as long as nothing has changed. */
  readonly warnings?: readonly RunWarning[];
  /** What is missing of what the run cannot do without: it ends before the model is asked. */
  readonly missing?: string | undefined;
  /** The run's tool servers cannot be had any more: their credentials went with the process that had them. */
  readonly isLost?: true;
  close(): Promise<void>;
}

export interface ToolboxRequest {
  readonly session: SessionId;
  readonly run: RunId;
  readonly project: ProjectId;
  readonly config: RunConfig;
}

export abstract class Toolboxes {
  /** Keeps what a caller sent of its tool servers, in memory, until the run ends. */
  remember(_run: string, _servers: readonly McpServerConfig[]): void {}

  /** The run has ended, or was never accepted. */
  forget(_run: string): void {}

  /** The run waits for somebody: what is kept of it may be let go, where there is too much. */
  hold(_run: string, _project: ProjectId): void {}

  /** Whether the servers of the run are known here. */
  knows(_run: string): boolean {
    return false;
  }

  abstract open(request: ToolboxRequest, signal: AbortSignal): Promise<Toolbox>;

  /** Opens the tools of a run with what is known of its servers now, even if that is forgotten until then. */
  later(_run: string): OpenToolbox {
    return (request, signal) => this.open(request, signal);
  }
}

export type OpenToolbox = (request: ToolboxRequest, signal: AbortSignal) => Promise<Toolbox>;

/** Offers the same tools to every run. */
export class FixedToolboxes extends Toolboxes {
  constructor(private readonly tools: readonly Tool[]) {
    super();
  }

  override open(): Promise<Toolbox> {
    return Promise.resolve({ tools: this.tools, close: () => Promise.resolve() });
  }
}
