import {
  type McpServerConfig,
  type Tool,
  type Toolbox,
  type ToolboxRequest,
  type ToolOutcome,
  Toolboxes,
} from '#agent';
import type { RunToolboxes } from '#runs';
import type { Owner } from '../engine/scheduler.js';
import { resultOf } from './script.js';
import { cancellable, stalled } from './sim-model.js';
import { REMOTE, rememberedServers } from './sim-servers.js';
import { type SimWorld, immortal, momentOf, strikes } from './sim-world.js';

/** Tools that only read, one of them much, and one that must never be called twice for the same intent. */
export const TOOLS = ['read', 'read_much', 'pay'] as const;
/** Of the tools of servers those that say nothing of themselves are not repeated, either. */
export const ONCE: ReadonlySet<string> = new Set([
  'pay',
  ...Object.keys(REMOTE).filter((name) => !REMOTE[name]?.readOnlyHint && !REMOTE[name]?.idempotentHint),
]);

/** The tools as one worker reaches them. */
export class SimToolboxes extends Toolboxes {
  private readonly servers: RunToolboxes | null;
  /** Runs whose servers this process is to know. */
  private readonly told = new Set<string>();

  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    super();
    const toolOf = (name: string, _: object, token: string) => new SimTool(name, world, owner, token);
    this.servers = world.parts.flows ? rememberedServers(world, owner, toolOf) : null;
  }

  override remember(run: string, servers: readonly McpServerConfig[]): void {
    this.servers?.remember(run, servers);
    if (servers.length > 0) this.told.add(run);
  }

  override forget(run: string): void {
    this.servers?.forget(run);
    this.told.delete(run);
  }

  override knows(run: string): boolean {
    return this.servers?.knows(run) ?? false;
  }

  override hold(run: string, project: string): void {
    this.servers?.hold(run, project);
  }

  override async open(request: ToolboxRequest, signal: AbortSignal): Promise<Toolbox> {
    await cancellable(this.world, this.owner, 'tools opened', signal);
    const remote = await this.servers?.open(request, signal);
    const needsServers = (request.config.mcp_servers ?? []).length > 0;
    if (remote !== undefined && needsServers && (remote.isLost === true) === this.told.has(request.run))
      this.world.violated('I5 servers are lost with their process', `${this.owner.name}: ${request.run}`);
    const { open } = this.world.ledger;
    const mine = open.get(this.owner.name) ?? new Set();
    open.set(this.owner.name, mine.add(request.run));
    if (mine.size > this.world.maxRuns)
      this.world.violated(
        'I10 no more runs than there is room',
        `${this.owner.name}: ${[...mine].join(', ')}`,
      );
    const own = TOOLS.map((name) => new SimTool(name, this.world, this.owner));
    return {
      tools: [...own, ...(remote?.tools ?? [])],
      ...(remote?.notices ? { notices: remote.notices } : {}),
      ...(remote?.warnings ? { warnings: remote.warnings } : {}),
      ...(remote?.isLost ? { isLost: true } : {}),
      close: () => {
        mine.delete(request.run);
        return Promise.resolve();
      },
    };
  }
}

class SimTool implements Tool {
  readonly definition;
  readonly isRepeatable: boolean;

  constructor(
    private readonly name: string,
    private readonly world: SimWorld,
    private readonly owner: Owner,
    /** What its server was reached with; absent: it is the service's own. */
    private readonly token?: string,
  ) {
    this.definition = { name, description: name, parameters: {} };
    this.isRepeatable = world.flaw === 'tools_repeatable' || !ONCE.has(name);
  }

  async call(input: unknown, signal: AbortSignal): Promise<ToolOutcome> {
    const { world, owner, name } = this;
    const { key } = input as { key: string };
    world.ledger.calls.push({ key, worker: owner.name, began: momentOf(world) });
    try {
      await cancellable(world, owner, `${name} called`, signal);
    } catch (reason) {
      // The request had left: it takes effect although nobody waits for it any more.
      if (strikes(world, 'toolLateEffect')) {
        world.scheduler.after(immortal(owner.name), 0, `${name} takes effect late`, () => this.act(key));
      }
      throw reason;
    }
    if (strikes(world, 'toolStall')) await stalled(signal);
    this.act(key);
    const isFailing = strikes(world, 'toolError');
    await cancellable(world, owner, `${name} answers`, signal);
    if (isFailing) throw new Error('the connection broke');
    return { content: resultOf(name, key) };
  }

  private act(key: string): void {
    const { world, owner, name, token = null } = this;
    world.ledger.effects.push({ tool: name, key, worker: owner.name, at: world.store.head, token });
  }
}
