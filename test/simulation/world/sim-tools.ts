import { type Tool, type Toolbox, type ToolboxRequest, type ToolOutcome, Toolboxes } from '#agent';
import type { Owner } from '../engine/scheduler.js';
import { resultOf } from './script.js';
import { cancellable, stalled } from './sim-model.js';
import { type SimWorld, immortal, strikes } from './sim-world.js';

/** Tools that only read, one of them much, and one that must never be called twice for the same intent. */
export const TOOLS = ['read', 'read_much', 'pay'] as const;
export const ONCE: ReadonlySet<string> = new Set(['pay']);

/** The tools as one worker reaches them. */
export class SimToolboxes extends Toolboxes {
  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    super();
  }

  override async open(request: ToolboxRequest, signal: AbortSignal): Promise<Toolbox> {
    await cancellable(this.world, this.owner, 'tools opened', signal);
    const { open } = this.world.ledger;
    const mine = open.get(this.owner.name) ?? new Set();
    open.set(this.owner.name, mine.add(request.run));
    if (mine.size > this.world.maxRuns)
      this.world.violated(
        'I10 no more runs than there is room',
        `${this.owner.name}: ${[...mine].join(', ')}`,
      );
    return {
      tools: TOOLS.map((name) => new SimTool(name, request, this.world, this.owner)),
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
    private readonly name: (typeof TOOLS)[number],
    private readonly request: ToolboxRequest,
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    this.definition = { name, description: name, parameters: {} };
    this.isRepeatable = world.flaw === 'tools_repeatable' || !ONCE.has(name);
  }

  async call(input: unknown, signal: AbortSignal): Promise<ToolOutcome> {
    const { world, owner, name } = this;
    const { key } = input as { key: string };
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
    const { world, owner, name } = this;
    const { session, run } = this.request;
    world.ledger.effects.push({ tool: name, key, session, run, worker: owner.name, at: world.store.head });
  }
}
