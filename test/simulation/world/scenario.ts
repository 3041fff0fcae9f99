import { sealCallback } from '#delivery';
import type { OnBusy, TaskCommand } from '#domain';
import type { ScheduleWish } from '#runs';
import type { Tape } from '../engine/tape.js';
import { drawWorkflows } from './draw-workflows.js';
import type { Parts } from './parts.js';
import { OPEN_BOX } from './receivers.js';
import type { Script } from './script.js';
import type { Extras, SimClients } from './sim-clients.js';

const MAX_SESSIONS = 3;
const ON_BUSY: readonly OnBusy[] = ['enqueue', 'interrupt', 'reject'];
const TURN_TOOLS = ['read', 'pay', 'read', 'pay', 'nope', 'broken', 'read_much'];
/** The first is called in every second place of a world that has them. */
const FLOW_TOOLS = ['flow0', 'flow1', 'look', 'put', 'order'];
const TASK_COMMANDS: readonly TaskCommand[] = ['pause', 'resume', 'cancel'];
const CRONS = ['* * * * *', '*/2 * * * *'];
const RECEIVER = { url: 'https://receiver.example.org/hook', headers: {} };

/** What the clients of a world do: a wish every now and then, drawn from the tape. */
export class Scenario {
  private left: number;
  private messages = 0;
  private newSessions = 0;
  private readonly isSmall: boolean;

  constructor(
    private readonly tape: Tape,
    private readonly clients: SimClients,
    private readonly parts: Parts,
    /** Names of the tasks that there are. */
    private readonly tasks: () => readonly string[],
    private readonly now: () => number,
  ) {
    this.left = 1 + tape.choose(12);
    this.isSmall = tape.choose(3) > 0;
  }

  get isOver(): boolean {
    return this.left === 0;
  }

  act(): void {
    this.left--;
    const { tape, clients } = this;
    const { runs, sessions } = clients;
    const session = sessions[tape.choose(sessions.length)];
    if (session === undefined) return this.start();
    const known = runs[runs.length - 1 - tape.choose(runs.length)];
    const cases = this.parts.tasks ? 11 : 8;
    const next = tape.choose(cases + (this.parts.erasures ? 2 : 0));
    if (next >= cases) return clients.erasing.erase(session);
    switch (next) {
      case 0:
      case 1:
        return this.newSessions < MAX_SESSIONS ? this.start() : this.start(session);
      case 2:
      case 3:
      case 4:
        return this.start(session);
      case 5:
        return known && clients.cancel(known);
      case 6:
        return clients.clear(session);
      case 7:
        return clients.follow({ session, after: -1 });
      default:
        return this.commandTask();
    }
  }

  private commandTask(): void {
    const { tape } = this;
    const known = this.tasks();
    const task = known[tape.choose(known.length)];
    const command = TASK_COMMANDS[tape.choose(TASK_COMMANDS.length)];
    if (task !== undefined && command !== undefined) this.clients.commandTask(task, command);
  }

  private start(session?: string): void {
    const { tape } = this;
    if (session === undefined) this.newSessions++;
    const onBusy = ON_BUSY[tape.choose(ON_BUSY.length)] ?? 'enqueue';
    const isStreaming = tape.choose(2) > 0;
    const script = this.script();
    this.clients.start({
      ...(session === undefined ? {} : { session }),
      message: JSON.stringify(script),
      onBusy,
      ...this.extras(script.m, isStreaming ? { streaming_tokens: true } : {}),
    });
  }

  private extras(m: number, config: Extras['config']): Extras {
    const { tape, parts } = this;
    const hasFlows = parts.flows && tape.choose(4) > 0;
    const hasServers = parts.flows && tape.choose(2) > 0;
    return {
      config: {
        ...config,
        ...(hasFlows ? { workflows: drawWorkflows(tape, m) } : {}),
        ...(hasServers ? { mcp_servers: ['crm'] } : {}),
        ...(parts.actions
          ? {
              approvals: {
                tools: { pay: 'ask', look: 'ask' },
                expires_s: [600, 1, 60][tape.choose(3)] ?? 60,
              } as const,
            }
          : {}),
      },
      hasServers,
      ...(parts.tasks && tape.choose(2) > 0 ? { schedules: this.schedules() } : {}),
      ...(parts.callbacks && tape.choose(3) > 0 ? { callback: sealCallback(OPEN_BOX, '', RECEIVER) } : {}),
    };
  }

  private schedules(): ScheduleWish[] {
    const { tape } = this;
    return Array.from({ length: 1 + tape.choose(2) }, () => ({
      schedule: this.schedule(),
      message: JSON.stringify(this.script()),
    }));
  }

  private schedule(): number | string {
    const { tape } = this;
    switch (tape.choose(4)) {
      case 0:
        return 1 + tape.choose(120);
      case 1:
        return new Date(this.now() + 200_000 + tape.choose(200_000)).toISOString();
      default:
        return CRONS[tape.choose(CRONS.length)] ?? '* * * * *';
    }
  }

  private script(): Script {
    const { tape } = this;
    const turns = Array.from({ length: tape.choose(this.isSmall ? 2 : 4) }, () =>
      Array.from({ length: 1 + tape.choose(3) }, () => this.tool()),
    );
    return { m: ++this.messages, turns, words: tape.choose(5), thinks: tape.choose(3) === 2 };
  }

  private tool(): string {
    const { tape } = this;
    const tools = this.parts.flows && tape.choose(2) > 0 ? FLOW_TOOLS : TURN_TOOLS;
    return tools[tape.choose(tools.length)] ?? 'read';
  }
}
