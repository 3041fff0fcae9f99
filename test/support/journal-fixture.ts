import { Journal, RunWriter } from '#agent';
import { type Draft, type RunRequest, decideOpen, sessionStream } from '#domain';
import { type EventMeta, type RecordedEvent, newEvent } from '#event-log';
import { CountingRandom } from './counting-random.js';
import { ManualClock } from './manual-clock.js';
import { ScriptedLog } from './scripted-log.js';
import { PROJECT, runRequest } from './session-tape.js';
import type { TempLog } from './temp-log.js';

export const META: EventMeta = { schemaVersion: 1, project: PROJECT, actor: 'key_1' };

/** The journal of a new session, on a log whose appends the test decides about. */
export class JournalFixture {
  readonly stream: string;
  /** Where its run starts. */
  readonly startedAt = 3;
  readonly run: string;
  readonly log: ScriptedLog;
  readonly clock = new ManualClock();
  readonly random: CountingRandom;
  readonly journal: Journal;
  readonly writer: RunWriter;
  /** What the listener heard, call by call. */
  readonly heard: (readonly RecordedEvent[])[] = [];
  /** Why the run was aborted. */
  readonly aborts: Error[] = [];
  readonly failures: unknown[] = [];
  private rivals = 0;

  constructor(
    private readonly temp: TempLog,
    readonly session: string,
  ) {
    this.stream = sessionStream(session);
    this.run = `run_${session}_1`;
    this.log = new ScriptedLog(temp.log);
    this.random = new CountingRandom(session);
    const start = (_: string, work: () => Promise<void>) =>
      void work().catch((error: unknown) => this.failures.push(error));
    const { log, clock, random } = this;
    this.journal = new Journal(
      this.stream,
      { log, clock, random, start },
      { committed: (events) => this.heard.push(events) },
    );
    this.writer = new RunWriter(
      { run: this.run, worker: 'w1', epoch: 1 },
      { ...META, run: this.run },
      (reason) => this.aborts.push(reason),
    );
  }

  /** Opens the session with its run, which `w1` has claimed: revisions 0 to 3. */
  static async open(
    temp: TempLog,
    session: string,
    request: Partial<RunRequest> = {},
  ): Promise<JournalFixture> {
    const fixture = new JournalFixture(temp, session);
    await fixture.journal.command(META, (state) => ({
      events: decideOpen(state, runRequest(fixture.run, request), { worker: 'w1', hasRoom: true }) ?? [],
      value: null,
    }));
    return fixture;
  }

  /** Another process writes to the stream. */
  rival(run: string | undefined, ...drafts: readonly Draft[]) {
    const meta = { ...META, actor: 'key_2', ...(run === undefined ? {} : { run }) };
    const events = drafts.map(({ type, data }) =>
      newEvent(
        { id: `00000000-0000-4000-8000-${String(++this.rivals).padStart(12, '0')}`, type, time: 5, data },
        meta,
      ),
    );
    return this.temp.log.append(this.stream, events, { expected: 'any' });
  }

  /** The events on the log behind the first four, as `type` or `type text`. */
  async lines(): Promise<string[]> {
    const events = (await this.temp.read(this.stream)).slice(4);
    return events.map(({ type, data }) => ('content' in data ? `${type} ${String(data.content)}` : type));
  }

  write(...drafts: readonly Draft[]): void {
    this.journal.write(this.writer, drafts);
  }

  writeText(text: string, type: 'agent_response' | 'agent_thinking' = 'agent_response'): void {
    this.journal.writeText(this.writer, type, text);
  }

  settled(): Promise<void> {
    return this.journal.settled(this.writer);
  }
}
