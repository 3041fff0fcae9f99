import { describe, expect, it } from '@jest/globals';
import { SilentLogger } from '#platform';
import { Stop, type Stoppable } from './stop.js';
import { Wrapper } from './wrapper.js';

/** A service that is told to stop, and what came of it. */
class Stopped {
  readonly done: string[] = [];
  readonly exits: number[] = [];
  readonly exited = Promise.withResolvers<void>();
  readonly stop: Stop;

  constructor({
    wrapper = null,
    service = () => Promise.resolve(),
    app = () => Promise.resolve(),
  }: { wrapper?: Wrapper | null; service?: () => Promise<void>; app?: () => Promise<void> } = {}) {
    this.stop = new Stop({
      settings: { shutdownGraceMs: 0 },
      logger: new SilentLogger(),
      wrapper,
      exit: (code) => {
        this.exits.push(code);
        this.exited.resolve();
      },
    });
    this.parts = {
      service: { close: () => this.does('service', service) },
      app: {
        close: () => this.does('app', app),
        getHttpAdapter: () => ({
          getInstance: () => ({
            server: {
              close: () => this.done.push('listening'),
              closeAllConnections: () => this.done.push('connections'),
            },
          }),
        }),
      },
    } as unknown as Stoppable;
  }

  readonly parts: Stoppable;

  private does(what: string, work: () => Promise<void>): Promise<void> {
    this.done.push(what);
    return work();
  }
}

const ALL = ['listening', 'service', 'connections', 'app'];
const never = (): Promise<void> => new Promise(() => undefined);
const npm = (): Wrapper | null =>
  Wrapper.find({ npm_lifecycle_script: "'annals'" }, () => ({ parent: 2, runner: 1 }));

describe('a stop', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'by %s closes everything and exits with 0',
    async (signal) => {
      const stopped = new Stopped();
      stopped.stop.serve(stopped.parts);
      stopped.stop.hear(signal);
      await stopped.exited.promise;
      expect([stopped.done, stopped.exits]).toEqual([ALL, [0]]);
    },
  );

  it.each(['service', 'app'])('exits with 1 where the %s does not close, and skips nothing', async (what) => {
    const stopped = new Stopped({ [what]: () => Promise.reject(new Error('it does not close')) });
    stopped.stop.serve(stopped.parts);
    stopped.stop.hear('SIGTERM');
    await stopped.exited.promise;
    expect([stopped.done, stopped.exits]).toEqual([ALL, [1]]);
  });

  it('that comes while the service opens is done when it has opened', async () => {
    const stopped = new Stopped();
    stopped.stop.hear('SIGTERM');
    expect([stopped.stop.isStopping, stopped.done]).toEqual([true, []]);
    stopped.stop.serve(stopped.parts);
    await stopped.exited.promise;
    expect([stopped.done, stopped.exits]).toEqual([ALL, [0]]);
  });

  it('ends at once when it is asked for again, but not by the end of a terminal', () => {
    const stopped = new Stopped({ service: never });
    stopped.stop.serve(stopped.parts);
    for (const signal of ['SIGHUP', 'SIGHUP'] as const) stopped.stop.hear(signal);
    expect(stopped.exits).toEqual([]);
    stopped.stop.hear('SIGTERM');
    expect(stopped.exits).toEqual([1]);
  });

  it('is not asked for again by npm, which hands on what everybody was told', () => {
    const stopped = new Stopped({ service: never, wrapper: npm() });
    stopped.stop.serve(stopped.parts);
    for (const signal of ['SIGINT', 'SIGINT'] as const) stopped.stop.hear(signal);
    expect(stopped.exits).toEqual([]);
  });
});

describe('what started this process', () => {
  it('is of no concern unless it is a runner of packages that runs this program', () => {
    const seen = () => ({ parent: 2, runner: null });
    expect(Wrapper.find({}, seen)).toBeNull();
    expect(Wrapper.find({ npm_lifecycle_script: 'node deploy.mjs' }, seen)).toBeNull();
    expect(Wrapper.find({ npm_lifecycle_script: 'exec node .ci/start.mjs' }, seen)?.isGone).toBe(false);
  });

  it('has ended when another process is the parent, or that of the shell between', () => {
    let seen: { parent: number; runner: number | null } = { parent: 12, runner: 11 };
    const wrapper = Wrapper.find({ npm_lifecycle_script: "'annals' start" }, () => seen);
    expect(wrapper?.isGone).toBe(false);
    seen = { parent: 12, runner: 1 };
    expect(wrapper?.isGone).toBe(true);
    seen = { parent: 1, runner: null };
    expect(wrapper?.isGone).toBe(true);
  });
});
