import { RunToolboxes, type StartedRun } from '#runs';
import { type Draft, isEndType, sessionStream } from '#domain';
import { type RecordedEvent, newEvent } from '#event-log';
import { EgressGuard, SilentLogger, SystemClock, readEgressAllow } from '#platform';
import { CountingRandom } from './counting-random.js';
import { CALLER, House } from './house.js';
import { McpFixture } from './mcp-servers/mcp-fixture.js';
import { passing, written } from './recorded-run.js';
import { type RetryStory, SHOP, type Steer } from './retry-stories.js';
import { TempLog } from './temp-log.js';

/** Real ms in which any of these runs has to come to its end. */
const STUCK_MS = 60_000;

const silence: Steer = () => () => Promise.resolve();
// Tables that know of nothing yet.
const index = { askedAt: () => Promise.resolve(null), due: () => Promise.resolve([]) };

/** A story on a real log with a real tool server, told once, and gone on with by processes that never heard of it. */
export class RetryWorld {
  private boots = 0;
  private copies = 0;

  private constructor(
    private readonly story: RetryStory,
    private readonly temp: TempLog,
    readonly server: McpFixture,
  ) {}

  static async open(story: RetryStory): Promise<RetryWorld> {
    const server = await McpFixture.start({ ...SHOP, wire: story.wire });
    return new RetryWorld(story, await TempLog.open(), server);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.temp.close();
  }

  /** A process that knows no server of any run. */
  newHouse(steer: Steer = silence): House {
    const toolboxes = new RunToolboxes({
      egress: new EgressGuard(readEgressAllow('127.0.0.1')),
      clock: new SystemClock(),
      logger: new SilentLogger(),
      knowledge: { open: () => Promise.resolve([]) },
    });
    const script = (request: Parameters<RetryStory['says']>[0]) => this.story.says(request, steer);
    return new House(this.temp, `${this.story.wire} ${++this.boots}`, { script, toolboxes });
  }

  /** The story as it went without a fault: every decision is made when the run is parked. */
  async record(): Promise<StartedRun> {
    const started = Promise.withResolvers<StartedRun>();
    const house = this.newHouse((message) => async () => {
      const { session } = await started.promise;
      await house.start(message, { session, onBusy: 'steer' });
    });
    const { config } = this.story;
    started.resolve(await house.start('go', { config, mcpServers: this.servers }));
    const first = await started.promise;
    await this.ended(house, first, 'parked');
    return first;
  }

  eventsOf({ session }: Pick<StartedRun, 'session'>): Promise<RecordedEvent[]> {
    return this.temp.read(sessionStream(session));
  }

  /** Events of a run in a session of their own, with these behind them. */
  async copy(of: StartedRun, events: readonly RecordedEvent[], more: readonly Draft[]): Promise<StartedRun> {
    const session = `ses_copy${++this.copies}`;
    const renamed = <T>(value: T): T =>
      JSON.parse(JSON.stringify(value).replaceAll(of.session, session)) as T;
    const random = new CountingRandom(session);
    const last = events.at(-1)!;
    const ends = more.map((draft) => ({
      ...draft,
      time: last.time,
      meta: { ...last.meta, actor: CALLER.actor, run: of.run },
    }));
    const written = [...events, ...ends].map(({ type, time, data, meta }) =>
      newEvent({ id: random.uuid(), type, time, data: renamed(data) }, renamed(meta)),
    );
    await this.temp.log.append(sessionStream(session), written, { expected: 'no_stream' });
    return { ...of, session, run: renamed(of.run) };
  }

  async retry(house: House, { run, requested }: StartedRun): Promise<StartedRun> {
    const wish = { run, requested, mcpServers: this.servers };
    const command = await house.core.retries.commandOf(wish, CALLER.project, { actor: CALLER.actor });
    return house.core.startRun.start(command);
  }

  /** Brings a run to its end: decides whatever is asked, at once or only when nobody drives it. */
  async ended(house: House, started: StartedRun, when: 'asked' | 'parked' = 'asked'): Promise<RecordedEvent> {
    const stop = new AbortController();
    const stuck = setTimeout(() => stop.abort(new Error('the run is stuck')), STUCK_MS);
    try {
      const decided = this.decideAll(house, started, when, stop.signal);
      const ended = Promise.race([Promise.all([house.ended(started), decided]), aborted(stop.signal)]);
      const [end] = await passing(house, ended);
      await house.settled();
      return end;
    } finally {
      clearTimeout(stuck);
      stop.abort();
    }
  }

  private get servers() {
    return [{ serverName: 'shop', serverUrl: this.server.url }];
  }

  private async decideAll(
    house: House,
    { session, run }: StartedRun,
    when: 'asked' | 'parked',
    signal: AbortSignal,
  ): Promise<void> {
    const actions = house.core.actions(() => index);
    let open: Asked[] = [];
    for await (const events of house.log.subscribeStream(sessionStream(session), { signal })) {
      const own = events.filter(({ meta }) => meta.run === run);
      for (const { type, data } of own) {
        if (type === 'agent_action_required') open.push(data as Asked);
        if (type !== 'agent_action_resolved') continue;
        open = open.filter(({ action_id: id }) => id !== (data as Asked).action_id);
      }
      if (own.some(({ type }) => isEndType(type))) return;
      if (when === 'parked' && events.at(-1)?.type !== 'run_parked') continue;
      // The log is a moment ahead of what the process knows of it.
      await written(house);
      const due = when === 'parked' ? open.splice(0, 1) : open.splice(0);
      for (const asked of due) await actions.resolve(asked.action_id, this.decisionOn(asked), CALLER);
    }
  }

  private decisionOn({ kind, content }: Asked) {
    if (kind === 'tool_servers') return { decision: 'supply', mcpServers: this.servers } as const;
    const { input } = JSON.parse(content) as { readonly input: { readonly key: string } };
    const decision = this.story.calls[input.key]?.decision;
    if (decision === undefined) throw new Error(`nobody is to be asked about ${input.key}`);
    return decision;
  }
}

interface Asked {
  readonly action_id: string;
  readonly kind: string;
  readonly content: string;
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
