import {
  type ActionDecision,
  type ActionId,
  type ActionKind,
  type SessionEvent,
  asSessionEvent,
  sessionOfAction,
} from '#domain';
import type { SimActionIndex } from './sim-action-index.js';
import type { SimClients } from './sim-clients.js';
import { serversFor } from './sim-servers.js';
import type { SimWorld } from './sim-world.js';

/** By kind; the first is what is decided when all is well. */
const DECISIONS: Readonly<Partial<Record<ActionKind, readonly ActionDecision[]>>> = {
  approval: ['approve', 'approve', 'deny'],
  tool_servers: ['supply', 'supply', 'deny'],
};
const DELAYS_MS = [0, 10, 2_000, 90_000];

type Asked = Extract<SessionEvent, { type: 'agent_action_required' }>['data'];

/** What somebody wanted of an action, and was told. */
export interface Verdict {
  readonly action: ActionId;
  readonly decision: ActionDecision;
  /** Whose run it is. */
  readonly starter: string;
  /** `done`, or the code of the refusal. */
  answer?: string;
}

/** Clients that decide on calls as soon as they are told of them, or late, twice, each with any worker. */
export class DecidingClients {
  constructor(
    private readonly world: SimWorld,
    private readonly clients: SimClients,
    private readonly verdicts: Verdict[],
    private readonly index: SimActionIndex,
  ) {}

  /** From now on they hear of what is asked. */
  listen(): void {
    this.world.store.listeners.add((events) => {
      for (const raw of events) {
        if (raw.type !== 'agent_action_required') continue;
        const event = asSessionEvent(raw);
        if (event.type === 'agent_action_required') this.hear(event.data, raw.revision, raw.meta.actor);
      }
    });
  }

  private hear({ action_id: action, kind }: Asked, revision: number, starter: string): void {
    const { tape, scheduler } = this.world;
    this.index.note(action, revision);
    for (let left = 1 + tape.choose(2); left > 0; left--) {
      const choices = DECISIONS[kind] ?? ['deny' as const];
      const decision = choices[tape.choose(choices.length)] ?? 'deny';
      const verdict: Verdict = { action, decision, starter };
      this.verdicts.push(verdict);
      const ms = DELAYS_MS[tape.choose(DELAYS_MS.length)] ?? 0;
      scheduler.after(this.clients.owner, ms, `client decides ${decision}`, () => this.decide(verdict, 0));
    }
  }

  private decide(verdict: Verdict, tries: number): void {
    const { action, decision, starter } = verdict;
    const request = decision === 'supply' ? { decision, mcpServers: serversFor(starter) } : { decision };
    const actor = this.clients.nextActor();
    this.clients.send(
      decision,
      (life) => life.core.actions(() => this.index).resolve(action, request, { project: 'default', actor }),
      (answer) => {
        if (answer.kind === 'ok') verdict.answer = 'done';
        else if (answer.kind === 'refused' && answer.isFinal) verdict.answer = answer.code;
        else this.clients.later(tries, 'client decides again', () => this.decide(verdict, tries + 1));
      },
      sessionOfAction(action) ?? undefined,
    );
  }
}
