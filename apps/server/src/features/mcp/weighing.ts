import type { Weigh } from '#platform';
import type { AnswerRoom } from '../../edge/answers/answer-room.js';
import type { Exchange } from './exchange.js';

/** What an answer that is held as a whole takes of the room for large ones, until its exchange is over. */
export class Weighing {
  private kept = 0;

  private constructor(private readonly hold: Weigh) {}

  static of(room: AnswerRoom, exchange: Exchange): Weighing {
    const share = room.share(exchange.caller.project, exchange.gone);
    exchange.whenOver(() => share.release());
    return new Weighing(share.weigh);
  }

  /** Before so many bytes are loaded beside what is kept. @throws Problem overloaded */
  readonly weigh: Weigh = (bytes) => this.hold(this.kept + bytes);

  /** So many more stay until the answer is sent. @throws Problem overloaded */
  async keep(bytes: number): Promise<void> {
    this.kept += bytes;
    await this.hold(this.kept);
  }
}
