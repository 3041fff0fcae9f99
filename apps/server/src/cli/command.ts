/** One thing that `annals` does. */
export interface Command {
  /** One word, or two where several belong together (`keys list`). */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What stands behind the name: operands, each a choice of words or, named so, any word; flags; options with a value. */
  readonly operands?: readonly (readonly string[] | string)[];
  readonly flags?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** It asks for no settings: none are read, and none can keep it from its work. */
  readonly isWithoutSettings?: true;
  /** More lines for its own help. */
  readonly details: string;
  /** What carries it out, loaded when it is wanted. */
  load(): Promise<{ readonly run: (args: CommandArgs) => Promise<number | null> }>;
}

export interface CommandOption {
  readonly value: string;
  readonly meaning: string;
  /** It may be given again. */
  readonly repeats?: true;
}

export interface CommandArgs {
  readonly operands: readonly string[];
  readonly flags: ReadonlySet<string>;
  /** Of the options that were given. */
  readonly values: ReadonlyMap<string, string>;
  /** Of the options that may be given again, each value. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** A command line that means nothing: one line, and exit code 2. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

/** What an operator can mend, said in one line: the command did nothing, and ends with 1. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}
