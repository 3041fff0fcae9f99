import { Resolver as Asker } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type PinnedAddress, Resolver } from './resolver.js';

/** Total time limit of a look-up (ms), waiting in the queue included. */
const PATIENCE_MS = 2_000;
/** How long (ms) an answer for one address family (A, AAAA) waits for the other. */
const OTHER_KIND_MS = 300;
const FAILURE_HOLDS_MS = 30_000;
const MAX_FAILURES = 10_000;
/** Concurrent look-ups of one asker (project). */
const SHARE = 8;
const MAX_ASKERS = 10_000;
const FILES_HOLD_MS = 5_000;
const LOCAL: readonly PinnedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export interface NameSources {
  /** Name servers as `address:port`; absent: those of the system's resolv.conf. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly resolvConf?: string;
}

/**
 * Resolves host names given by callers, by DNS messages to the name servers. The system's getaddrinfo
 * occupies a thread of libuv's small pool, shared with file access, for as long as a name server is silent.
 * Here a name that does not answer delays nobody else: look-ups of the same name are merged, concurrency is
 * bounded by asker, and failures are cached.
 */
export class NetworkNames extends Resolver {
  private readonly underWay = new Map<string, Promise<readonly PinnedAddress[]>>();
  private readonly failures = new Map<string, number>();
  private readonly shares = new Map<string, LookupQueue>();
  private files: Promise<Files> | null = null;
  private filesReadAt = 0;

  constructor(private readonly sources: NameSources = {}) {
    super();
  }

  override async resolve(host: string, asker = ''): Promise<readonly PinnedAddress[]> {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (!isName(name)) throw notFound(name);
    const { hosts, search, dots } = await this.filesNow();
    const listed = hosts.get(name);
    if (listed !== undefined) return listed;
    if (name === 'localhost' || name.endsWith('.localhost')) return LOCAL;
    const failedAt = this.failures.get(name);
    if (failedAt !== undefined && performance.now() - failedAt < FAILURE_HOLDS_MS) throw notFound(name);
    return this.once(name, asker, candidates(name, search, dots));
  }

  private once(name: string, asker: string, names: readonly string[]): Promise<readonly PinnedAddress[]> {
    const known = this.underWay.get(name);
    if (known !== undefined) return known;
    const share = this.shareOf(asker);
    const asking = share.run(
      () => this.underWay.get(name) ?? this.ask(name, names),
      () => this.forgetShare(asker, share),
    );
    return asking;
  }

  private ask(name: string, names: readonly string[]): Promise<readonly PinnedAddress[]> {
    const asking = this.found(names).then(
      (addresses) => {
        this.failures.delete(name);
        return addresses;
      },
      (error: unknown) => {
        this.remember(name);
        throw error;
      },
    );
    const ended = asking.finally(() => this.underWay.delete(name));
    this.underWay.set(name, ended);
    return ended;
  }

  /** The addresses of the first name that has any. */
  private async found(names: readonly string[]): Promise<readonly PinnedAddress[]> {
    const asker = new Asker({ timeout: PATIENCE_MS / 2, tries: 2 });
    if (this.sources.servers !== undefined) asker.setServers(this.sources.servers);
    const late = setTimeout(() => asker.cancel(), PATIENCE_MS);
    try {
      for (const name of names) {
        const addresses = await addressesOf(asker, name);
        if (addresses.length > 0) return addresses;
      }
    } finally {
      clearTimeout(late);
      asker.cancel();
    }
    throw notFound(names[0] ?? '');
  }

  private remember(name: string): void {
    this.failures.delete(name);
    this.failures.set(name, performance.now());
    for (const oldest of this.failures.keys()) {
      if (this.failures.size <= MAX_FAILURES) break;
      this.failures.delete(oldest);
    }
  }

  /** The number of queues is bounded: askers beyond the bound share one. */
  private shareOf(asker: string): LookupQueue {
    const key = this.shares.has(asker) || this.shares.size < MAX_ASKERS ? asker : '';
    const share = this.shares.get(key) ?? new LookupQueue();
    this.shares.set(key, share);
    return share;
  }

  private forgetShare(asker: string, share: LookupQueue): void {
    if (share.isIdle && this.shares.get(asker) === share) this.shares.delete(asker);
  }

  /** Re-read from time to time: they change in containers. */
  private filesNow(): Promise<Files> {
    const now = performance.now();
    if (this.files === null || now - this.filesReadAt > FILES_HOLD_MS) {
      this.filesReadAt = now;
      this.files = readFiles(this.sources);
    }
    return this.files;
  }
}

/** Runs a bounded number of look-ups at once, in order; one that waits too long is rejected. */
class LookupQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  async run<T>(work: () => Promise<T>, ended: () => void): Promise<T> {
    if (this.running >= SHARE) await this.turn();
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
      ended();
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(late);
        resolve();
      };
      const late = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        reject(new Error('too many names are being looked up'));
      }, PATIENCE_MS);
      this.waiting.push(go);
    });
  }
}

async function addressesOf(asker: Asker, name: string): Promise<readonly PinnedAddress[]> {
  const four = asker.resolve4(name).then(
    (found) => found.map((address): PinnedAddress => ({ address, family: 4 })),
    () => [],
  );
  const six = asker.resolve6(name).then(
    (found) => found.map((address): PinnedAddress => ({ address, family: 6 })),
    () => [],
  );
  const first = await four;
  if (first.length === 0) return six;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<PinnedAddress[]>((resolve) => {
    timer = setTimeout(() => resolve([]), OTHER_KIND_MS);
  });
  const second = await Promise.race([six, late]);
  clearTimeout(timer);
  return [...first, ...second];
}

interface Files {
  readonly hosts: ReadonlyMap<string, readonly PinnedAddress[]>;
  readonly search: readonly string[];
  readonly dots: number;
}

async function readFiles({
  hostsFile = '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
}: NameSources): Promise<Files> {
  const [hosts, conf] = await Promise.all([linesOf(hostsFile), linesOf(resolvConf)]);
  const listed = new Map<string, PinnedAddress[]>();
  for (const [address = '', ...names] of hosts) {
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, '');
      listed.set(key, [...(listed.get(key) ?? []), { address, family }]);
    }
  }
  let [search, dots]: [string[], number] = [[], 1];
  for (const [key, ...values] of conf) {
    if (key === 'search' || key === 'domain') search = values;
    const said = values.find((value) => value.startsWith('ndots:'));
    if (key === 'options' && said !== undefined) dots = Number(said.slice('ndots:'.length)) || 0;
  }
  return { hosts: listed, search: search.slice(0, 6).filter((domain) => domain !== '.'), dots };
}

/** Words of each line, without comments. A missing file has none. */
async function linesOf(path: string): Promise<string[][]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) => (line.split(/[#;]/, 1)[0] ?? '').split(/[ \t\r]+/).filter((word) => word !== ''));
}

/** Names to try, in the order of resolv.conf(5): one with at least `ndots` dots is tried as it is first. */
function candidates(name: string, search: readonly string[], dots: number): string[] {
  const longer = search.map((domain) => `${name}.${domain.replace(/\.$/, '')}`).filter(isName);
  return name.split('.').length > dots ? [name, ...longer] : [...longer, name];
}

const isName = (name: string): boolean =>
  name.length > 0 &&
  name.length <= 253 &&
  name.split('.').every((label) => label.length > 0 && label.length <= 63);

const notFound = (name: string): Error => new Error(`${name.slice(0, 100)} cannot be resolved`);
