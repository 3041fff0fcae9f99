/** One thing that `annals` does. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What stands behind the name: operands, each a choice of words, and flags. */
  readonly operands?: readonly (readonly string[])[];
  readonly flags?: Readonly<Record<string, string>>;
  /** More lines for its own help. */
  readonly details: string;
  /** What carries it out, loaded when it is wanted. */
  load(): Promise<{ readonly run: (args: CommandArgs) => Promise<number | null> }>;
}

export interface CommandArgs {
  readonly operands: readonly string[];
  readonly flags: ReadonlySet<string>;
}

/** A command line that means nothing: one line, and exit code 2. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}
