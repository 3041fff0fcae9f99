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

/** The parsed arguments; undefined where they are no JSON. None at all are an empty object. */
export function inputOf({ arguments: text }: TurnToolCall): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
