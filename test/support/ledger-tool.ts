import type { Tool, ToolOutcome } from '#agent';

type Act = (input: unknown, signal: AbortSignal) => Promise<string | ToolOutcome | void>;

/** A tool that keeps a ledger of its calls; `name did input`, unless the test says what it does. */
export class LedgerTool implements Tool {
  readonly definition;
  readonly isRepeatable: boolean;
  /** The inputs, in the order of the calls. */
  readonly calls: unknown[] = [];
  private readonly act: Act;

  constructor(name: string, { isRepeatable = false, act }: { isRepeatable?: boolean; act?: Act } = {}) {
    this.definition = { name, description: `the tool ${name}`, parameters: { type: 'object' } };
    this.isRepeatable = isRepeatable;
    this.act = act ?? ((input) => Promise.resolve(`${name} did ${JSON.stringify(input)}`));
  }

  async call(input: unknown, signal: AbortSignal): Promise<ToolOutcome> {
    this.calls.push(input);
    const outcome = await this.act(input, signal);
    return typeof outcome === 'object' ? outcome : { content: outcome ?? '' };
  }
}
