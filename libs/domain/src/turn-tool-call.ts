import { hasLossyNumber, lossyNumberFault } from './lossy-number.js';

/** A call of a tool, as a turn of the model is recorded. */
export interface TurnToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it. */
  readonly arguments: string;
  /** The answer was cut before the arguments were complete: the call is not made. */
  readonly cut?: true;
  /** Where the tool is one of a tool server: that server's name, and the tool's own name there. */
  readonly server?: string;
  readonly tool?: string;
  /** Of several servers of that name, which one in the order of the request; absent: the first. */
  readonly server_index?: number;
  /**
   * Who has to do something before there is a result: a person decides whether the call is made, or the caller makes it.
   * Settled once, when the turn is recorded; absent: nobody.
   */
  readonly needs?: 'approval' | 'caller';
}

/** What a tool server has made of a call that takes long. */
export interface ServerTask {
  /** Whoever knows it may ask for the result. */
  readonly id: string;
  /** How often the server wants to be asked, in ms; it may say another time with each answer. */
  readonly poll_ms: number;
  /** When the server started it, and when it forgets it, in ms since 1970; absent: never. */
  readonly started_at: number;
  readonly expires_at?: number;
  /** Of a call that was made again, because nobody knows what became of an earlier task of it. */
  readonly is_repeat?: true;
}

export type ReadArguments =
  | { readonly kind: 'read'; readonly input: unknown }
  /** A number in it is not the one that the model wrote. */
  | { readonly kind: 'lossy'; readonly input: unknown; readonly fault: string }
  | { readonly kind: 'broken'; readonly fault: string };

/** What the arguments of a call say. None at all are an empty object. */
export function readArguments(call: Pick<TurnToolCall, 'arguments'>): ReadArguments {
  const input = inputOf(call);
  if (input !== undefined) return { kind: 'read', input };
  const { arguments: text } = call;
  const fault = lossyNumberFault(text);
  if (fault === null) return { kind: 'broken', fault: 'the arguments are not valid JSON' };
  const said = `the arguments cannot be taken as they are: ${fault}`;
  return { kind: 'lossy', input: JSON.parse(text) as unknown, fault: said };
}

/** The parsed arguments; undefined where they are no JSON, or would not be what the model wrote. */
export function inputOf({ arguments: text }: Pick<TurnToolCall, 'arguments'>): unknown {
  if (text.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(text);
    return hasLossyNumber(text) ? undefined : input;
  } catch {
    return undefined;
  }
}
