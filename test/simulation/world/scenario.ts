import type { OnBusy } from '#domain';
import type { Tape } from '../engine/tape.js';
import type { Script } from './script.js';
import type { SimClients } from './sim-clients.js';

const MAX_SESSIONS = 3;
const ON_BUSY: readonly OnBusy[] = ['enqueue', 'interrupt', 'reject'];
const TURN_TOOLS = ['read', 'pay', 'read', 'pay', 'nope', 'broken', 'read_much'];

/** What the clients of a world do: a wish every now and then, drawn from the tape. */
export class Scenario {
  private left: number;
  private messages = 0;
  private newSessions = 0;
  private readonly isSmall: boolean;

  constructor(
    private readonly tape: Tape,
    private readonly clients: SimClients,
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
    switch (tape.choose(8)) {
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
      default:
        return clients.follow({ session, after: -1 });
    }
  }

  private start(session?: string): void {
    const { tape } = this;
    if (session === undefined) this.newSessions++;
    const onBusy = ON_BUSY[tape.choose(ON_BUSY.length)] ?? 'enqueue';
    const isStreaming = tape.choose(2) > 0;
    const message = JSON.stringify(this.script());
    this.clients.start({ ...(session === undefined ? {} : { session }), message, onBusy, isStreaming });
  }

  private script(): Script {
    const { tape } = this;
    const turns = Array.from({ length: tape.choose(this.isSmall ? 2 : 4) }, () =>
      Array.from({ length: 1 + tape.choose(3) }, () => TURN_TOOLS[tape.choose(TURN_TOOLS.length)] ?? 'read'),
    );
    return { m: ++this.messages, turns, words: tape.choose(5), thinks: tape.choose(3) === 2 };
  }
}
