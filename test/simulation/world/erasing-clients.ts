import { Problem, sessionStream } from '#domain';
import { FileMissing } from '#vault';
import { LogUnavailable } from '#event-log';
import type { SimClients } from './sim-clients.js';
import type { Files } from './sim-files.js';
import type { Life, SimWorker } from './sim-worker.js';
import { type SimWorld, momentOf } from './sim-world.js';
import type { EraseRequest, Transcript } from './transcript.js';

const PROJECT = 'default';
const GONE = 'I14 what is erased cannot be read';

/** Clients that erase sessions, and then look whether anything of them can still be read. */
export class ErasingClients {
  constructor(
    private readonly world: SimWorld,
    private readonly workers: readonly SimWorker[],
    private readonly transcript: Transcript,
    private readonly clients: SimClients,
    /** Everything that was ever kept in a file. */
    private readonly archive: Files,
  ) {}

  erase(session: string): void {
    this.ask(this.wish(session));
    // Two people want it at once, of whatever worker.
    if (this.world.tape.chance(300)) this.ask(this.wish(session));
  }

  isErased(session: string): boolean {
    return this.world.store.stream(sessionStream(session)).at(-1)?.type === 'session_erased';
  }

  /** Nobody gives anything of the session any more, however he is asked. */
  look(session: string): void {
    for (const { life } of this.workers) {
      if (life === null || life.isDraining) continue;
      this.clients.connect(life, { session, after: -1 }, () => undefined);
      const pages = life.streams.page({ session, after: -1 }, 50).then(({ items }) => items.length === 0);
      this.mustBe(pages, `${life.owner.name} gives pages of ${session}`);
    }
  }

  private wish(session: string): EraseRequest {
    const request: EraseRequest = { actor: this.clients.nextActor(), session, tries: 0 };
    this.transcript.erasures.push(request);
    return request;
  }

  private ask(request: EraseRequest): void {
    const { session, actor } = request;
    request.tries++;
    let by: Life | undefined;
    const work = async (life: Life) => {
      by = life;
      const erased = await life.erasing?.eraser.erase(session, { project: PROJECT, actor });
      return erased?.events ?? 0;
    };
    this.clients.send(
      'erase',
      work,
      (answer) => {
        if (answer.kind === 'ok' && by !== undefined) {
          const answered = momentOf(this.world);
          request.answer = { kind: 'done', events: answer.value, worker: by.owner.name, answered };
          this.answered(session, by);
        } else if (answer.kind === 'refused' && answer.isFinal) {
          request.answer = { kind: 'refused', code: answer.code };
        } else this.clients.later(request.tries, 'client erases again', () => this.ask(request));
      },
      session,
    );
  }

  private answered(session: string, by: Life): void {
    const { world, archive } = this;
    const [first] = world.store.stream(sessionStream(session));
    if (!this.isErased(session)) world.violated(GONE, `${session} was answered as erased`);
    if (world.store.keys.peek(first?.meta.keyId ?? '') !== 'destroyed')
      world.violated(GONE, `the key of ${session} is there after the answer`);
    this.look(session);
    const isUnknown = by.core.sessions.get(session).then(
      () => false,
      (error: unknown) => {
        if (!(error instanceof Problem && error.code === 'not_found')) throw error;
        return true;
      },
    );
    this.mustBe(isUnknown, `${by.owner.name} knows ${session}`);
    for (const name of archive.keys())
      if (name.startsWith(`${session}/`)) this.mustBe(this.isMissing(by, session, name), `${name} is there`);
  }

  private isMissing(life: Life, session: string, name: string): Promise<boolean> {
    this.world.marks.hit('file of an erased session');
    const file = { $file: name.slice(session.length + 1), bytes: 1 };
    return life.core.contents.text(session, file).then(
      () => false,
      (error: unknown) => {
        if (!(error instanceof FileMissing)) throw error;
        return true;
      },
    );
  }

  /** Where the log does not answer nothing is learnt. */
  private mustBe(question: Promise<boolean>, otherwise: string): void {
    question.then(
      (holds) => {
        if (!holds) this.world.violated(GONE, otherwise);
      },
      (error: unknown) => {
        if (!(error instanceof LogUnavailable))
          this.world.violated('errors', `${otherwise}? ${String(error)}`);
      },
    );
  }
}
