import type { KafkaConnection } from '#delivery';
import { sessionStream } from '#domain';
import { ContentStore, MemoryFileStore } from '#vault';
import { type NewEvent, newEvent } from '#event-log';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { KafkaPublisher } from '../../libs/delivery/src/kafka/kafka-publisher.js';
import { TempLog } from './temp-log.js';

const PROJECT = 'p';
export const PUBLIC_URL = 'https://annals.example.org/agents';
const RUN = (session: string): string => `run_${session}_1`;

/** Real parts of one process: clock, chance, log. What goes wrong behind the scenes is kept. */
export class KafkaWorld {
  readonly errors: object[] = [];
  readonly clock = new SystemClock();
  readonly random = new SystemRandom();
  readonly files = new MemoryFileStore();
  readonly contents = new ContentStore(this.files);
  readonly logger: SilentLogger;
  readonly background: ProcessBackground;
  /** Public events, in the order of the log. */
  readonly written: { session: string; revision: number; id: string; type: string; json: string }[] = [];
  private readonly revisions = new Map<string, number>();

  private constructor(public temp: TempLog) {
    const { errors } = this;
    class Errors extends SilentLogger {
      override error(fields?: object): void {
        if (fields !== undefined) errors.push(fields);
      }
    }
    this.logger = new Errors();
    this.background = new ProcessBackground(this.logger);
  }

  static async open(): Promise<KafkaWorld> {
    return new KafkaWorld(await TempLog.open());
  }

  get ports() {
    const { clock, random, contents, logger, background } = this;
    const publicUrl = PUBLIC_URL;
    return { clock, random, contents, logger, background, publicUrl, log: this.temp.log };
  }

  publisher(address: string, more: Partial<KafkaConnection> = {}): KafkaPublisher {
    return new KafkaPublisher({ brokers: [address], ssl: false, sasl: null, ...more }, this.ports);
  }

  /** Appends public events, each followed by one that stays inside. */
  async write(session: string, texts: readonly (string | object)[]): Promise<void> {
    const meta = { schemaVersion: 1, project: PROJECT, actor: 'key_1', run: RUN(session) };
    const events: NewEvent[] = [];
    for (const content of texts) {
      const data = { content };
      const event = this.event('agent_response', data, meta);
      const { id, type, json } = event;
      const revision = (this.revisions.get(session) ?? -1) + 1 + events.length;
      events.push(event, this.event('model_turn_completed', { finish_reason: 'stop' }, meta));
      this.written.push({ session, revision, id, type, json });
    }
    const result = await this.temp.log.append(sessionStream(session), events, { expected: 'any' });
    if (result.kind === 'appended') this.revisions.set(session, result.last);
  }

  /** The log is closed, what it holds of an event is cut in half, and it is opened again. */
  async damage(session: string, revision: number): Promise<void> {
    this.temp = await this.temp.damaged(sessionStream(session), revision);
  }

  async close(): Promise<void> {
    await this.background.settled();
    await this.temp.close();
  }

  private event(type: string, data: object, meta: NewEvent['meta']): NewEvent {
    return newEvent({ id: this.random.uuid(), type, time: this.clock.now(), data }, meta);
  }
}
