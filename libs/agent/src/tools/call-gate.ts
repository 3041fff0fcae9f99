import { type ApprovalPolicy, type OfferedTool, type TurnToolCall, readArguments, ruleFor } from '#domain';
import { type Schemas, faultsOfArguments } from '#json-schema';
import type { Tool } from './tool.js';

/**
 * Says which tools of a run are offered, and who has to do something before a call has a result. Owns what the model was
 * offered so far.
 */
export class CallGate {
  private readonly offered = new Map<string, string>();
  /** Lists that were told of: they are asked about at every turn, and seldom change. */
  private readonly told = new WeakSet<readonly Tool[]>();

  constructor(
    private readonly policy: ApprovalPolicy | undefined,
    private readonly schemas: Schemas,
    private readonly project: string,
  ) {}

  /** Those that the policy does not deny. The same array where it denies none. */
  allowed(tools: readonly Tool[]): readonly Tool[] {
    const { policy } = this;
    if (policy === undefined) return tools;
    return tools.filter((tool) => tool.isCallers === true || this.ruleFor(tool) !== 'deny');
  }

  /** Who is asked before there is a result. */
  neededBy(tool: Tool): TurnToolCall['needs'] {
    if (tool.isCallers === true) return 'caller';
    return this.ruleFor(tool) === 'ask' ? 'approval' : undefined;
  }

  /**
   * What is wrong with the arguments, so that nobody is asked about them; null: nothing. A caller gets them as the model
   * wrote them, with all the digits of their numbers.
   */
  async faultOf(call: TurnToolCall, { definition, isCallers }: Tool): Promise<string | null> {
    const read = readArguments(call);
    if (read.kind === 'broken' || (read.kind === 'lossy' && isCallers !== true)) return read.fault;
    const faults = await faultsOfArguments(this.schemas, definition, read.input, this.project);
    return faults.length === 0 ? null : `the arguments do not fit the tool: ${faults.join('; ')}`;
  }

  /** The tools as the log is told of them; null: it knows them all. */
  newsOf(tools: readonly Tool[]): readonly OfferedTool[] | null {
    if (this.told.has(tools)) return null;
    this.told.add(tools);
    const all = tools.map(({ definition, origin = {} }): OfferedTool => ({ ...definition, ...origin }));
    const isNews = all.filter((tool) => {
      const text = JSON.stringify(tool);
      const isKnown = this.offered.get(tool.name) === text;
      this.offered.set(tool.name, text);
      return !isKnown;
    });
    return isNews.length > 0 ? all : null;
  }

  private ruleFor({ definition: { name: offered }, origin, isReadOnly = false }: Tool) {
    if (this.policy === undefined) return 'allow';
    const server = origin === undefined ? {} : { server: origin.server };
    return ruleFor(this.policy, { offered, own: origin?.tool ?? offered, isReadOnly, ...server });
  }
}
