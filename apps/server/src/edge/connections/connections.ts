import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, isIPv6 } from 'node:net';

export interface ConnectionTerms {
  /** Open connections of everybody. */
  readonly max: number;
  /** Of one remote address. Behind a proxy all come from the proxy's. */
  readonly maxPerAddress: number;
  /** For how long a connection that has just come, or was just answered, may be without a request and stays. */
  readonly graceMs?: number;
  /** Monotonic, in ms. */
  readonly now?: () => number;
  /** Told of a connection for which there is no room. */
  readonly refuse: (socket: Socket) => void;
}

/** Long enough for a first request to follow its connection. */
const GRACE_MS = 500;
/** Beyond the limit so many are told why at the same time; more are dropped in silence, so that telling has a bound. */
const TOLD = 500;

/** An open connection; those without a request under way stand in their address's list, the one that waits longest first. */
interface Seat {
  readonly socket: Socket;
  readonly address: Address;
  requests: number;
  idleSince: number;
  before: Seat | null;
  after: Seat | null;
}

interface Address {
  readonly name: string;
  open: number;
  firstIdle: Seat | null;
  lastIdle: Seat | null;
}

const SEAT = Symbol('seat');
type Seated = Socket & { [SEAT]?: Seat };

/**
 * Connection limits, of all and of one address. Over a limit the connection that has been idle for longest, of the address
 * that has most, is closed for the new one; where none is idle, the new one is refused. So idle connections keep nobody
 * out.
 *
 * Owns a record of each open connection and of each address that has one.
 */
export class Connections {
  private readonly addresses = new Map<string, Address>();
  private readonly graceMs: number;
  private readonly now: () => number;
  private open = 0;

  constructor(private readonly terms: ConnectionTerms) {
    this.graceMs = terms.graceMs ?? GRACE_MS;
    this.now = terms.now ?? (() => performance.now());
  }

  get size(): number {
    return this.open;
  }

  watch(server: Server): void {
    server.maxConnections = this.terms.max + TOLD;
    server.prependListener('connection', (socket: Socket) => this.arrived(socket));
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const seat = (request.socket as Seated)[SEAT];
      if (seat === undefined) return;
      if (seat.requests++ === 0) leaveIdle(seat);
      response.once('close', () => this.answered(seat));
    });
  }

  private arrived(socket: Socket): void {
    const address = this.addressOf(addressName(socket.remoteAddress ?? ''));
    if (!this.makeRoom(address)) {
      this.forget(address);
      return this.terms.refuse(socket);
    }
    const seat: Seat = { socket, address, requests: 0, idleSince: 0, before: null, after: null };
    (socket as Seated)[SEAT] = seat;
    this.open++;
    address.open++;
    this.enterIdle(seat);
    socket.once('close', () => this.left(seat));
  }

  private answered(seat: Seat): void {
    if (--seat.requests === 0 && isSeated(seat)) this.enterIdle(seat);
  }

  private left(seat: Seat): void {
    if (!isSeated(seat)) return;
    delete (seat.socket as Seated)[SEAT];
    leaveIdle(seat);
    this.open--;
    seat.address.open--;
    this.forget(seat.address);
  }

  /** Whether there is room for one more of this address. */
  private makeRoom(address: Address): boolean {
    const { max, maxPerAddress } = this.terms;
    if (address.open >= maxPerAddress) return this.evictFrom(address);
    if (this.open < max) return true;
    const byMost = [...this.addresses.values()].filter(({ firstIdle }) => firstIdle !== null);
    return byMost.sort((a, b) => b.open - a.open).some((one) => this.evictFrom(one));
  }

  private evictFrom({ firstIdle: seat }: Address): boolean {
    if (seat === null || this.now() - seat.idleSince < this.graceMs) return false;
    this.left(seat);
    seat.socket.destroy();
    return true;
  }

  private enterIdle(seat: Seat): void {
    const { address } = seat;
    seat.idleSince = this.now();
    seat.before = address.lastIdle;
    seat.after = null;
    if (address.lastIdle === null) address.firstIdle = seat;
    else address.lastIdle.after = seat;
    address.lastIdle = seat;
  }

  private addressOf(name: string): Address {
    const known = this.addresses.get(name);
    if (known !== undefined) return known;
    const address: Address = { name, open: 0, firstIdle: null, lastIdle: null };
    this.addresses.set(name, address);
    return address;
  }

  private forget({ name, open }: Address): void {
    if (open === 0) this.addresses.delete(name);
  }
}

const isSeated = (seat: Seat): boolean => (seat.socket as Seated)[SEAT] === seat;

/** Nothing happens where it is not in the list. */
function leaveIdle(seat: Seat): void {
  const { address, before, after } = seat;
  if (address.firstIdle === seat) address.firstIdle = after;
  else if (before !== null) before.after = after;
  if (address.lastIdle === seat) address.lastIdle = before;
  else if (after !== null) after.before = before;
  seat.before = null;
  seat.after = null;
}

const MAPPED = '::ffff:';

/** Of IPv6 the first 64 bits: what is behind them is one customer's. A zone, and IPv4 in IPv6's clothes, do not count. */
export function addressName(address: string): string {
  if (address.toLowerCase().startsWith(MAPPED) && address.includes('.')) return address.slice(MAPPED.length);
  const [bare = ''] = address.split('%', 1);
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail ? tail.split(':') : [])];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
