/** Attempts at the same time to a receiver that answers, and to one that does not. */
const PER_HOST = 8;
const PER_FAILING_HOST = 2;
/** Failures in a row after which a receiver counts as one that does not answer. */
const FAILING_AFTER = 3;

interface Host {
  busy: number;
  failures: number;
  readonly waiting: (() => void)[];
}

/**
 * Bulkhead: bounds concurrent attempts to each host, less for a failing one. Owns a queue for each host; an idle host
 * is forgotten, with its count of failures.
 */
export class HostBulkhead {
  private readonly hosts = new Map<string, Host>();

  /** Does the work when there is a place; `work` returns whether the host answered. */
  async with(origin: string, work: () => Promise<boolean>): Promise<void> {
    const host = this.host(origin);
    if (host.busy < limitOf(host)) host.busy += 1;
    // Whoever is waited for hands the place over.
    else await new Promise<void>((resolve) => host.waiting.push(resolve));
    try {
      host.failures = (await work()) ? 0 : host.failures + 1;
    } finally {
      host.busy -= 1;
      while (host.waiting.length > 0 && host.busy < limitOf(host)) {
        host.busy += 1;
        host.waiting.shift()?.();
      }
      if (host.busy === 0) this.hosts.delete(origin);
    }
  }

  private host(origin: string): Host {
    const known = this.hosts.get(origin);
    if (known !== undefined) return known;
    const host: Host = { busy: 0, failures: 0, waiting: [] };
    this.hosts.set(origin, host);
    return host;
  }
}

const limitOf = ({ failures }: Host): number => (failures >= FAILING_AFTER ? PER_FAILING_HOST : PER_HOST);
