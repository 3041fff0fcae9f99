/** The current usage of a name that has no room for more. */
export interface Exceeded {
  readonly used: number;
}

/** Settles a reservation: whether the amount was kept, and so appears in `count` from then on. */
export type Reservation = (isKept: boolean) => void;

interface Account {
  /** Sum of all that was ever kept here. */
  kept: number;
  /** Result of the last count, and `kept` as it was before it. */
  counted: number;
  countedAt: number;
  /** Reserved, not yet settled. */
  reserved: number;
}

/**
 * Quota of each name (project) on something that projections count, so that restarts forget nothing and
 * deletions free room. `count` must reflect what this process kept before it was called; open reservations
 * are added here. While it fails, its last result counts, plus what was kept since.
 *
 * May refuse at the very limit where there is room, never the reverse, except for what other processes keep
 * in the same moment. Owns a few numbers for each name that asked.
 */
export class Quota {
  private readonly accounts = new Map<string, Account>();

  constructor(
    readonly limit: number,
    private readonly count: (name: string) => Promise<number>,
    private readonly isOutage: (error: unknown) => boolean,
  ) {}

  /**
   * Reserves room, or says that there is none.
   * @throws what `count` throws, unless it is an outage
   */
  async reserve(name: string, amount: number): Promise<Reservation | Exceeded> {
    const account = this.accountOf(name);
    // First reserved, then counted: of two that ask at the same time at least one sees the other.
    account.reserved += amount;
    const others = account.reserved - amount;
    let isHeld = true;
    const end: Reservation = (isKept) => {
      if (!isHeld) return;
      isHeld = false;
      account.reserved -= amount;
      if (isKept) account.kept += amount;
    };
    try {
      const used = (await this.usedBy(name, account)) + others;
      if (used + amount <= this.limit) return end;
      end(false);
      return { used };
    } catch (error) {
      end(false);
      throw error;
    }
  }

  private async usedBy(name: string, account: Account): Promise<number> {
    const keptBefore = account.kept;
    try {
      const counted = await this.count(name);
      if (keptBefore >= account.countedAt) Object.assign(account, { counted, countedAt: keptBefore });
    } catch (error) {
      if (!this.isOutage(error)) throw error;
    }
    return account.counted + account.kept - account.countedAt;
  }

  private accountOf(name: string): Account {
    const known = this.accounts.get(name);
    if (known !== undefined) return known;
    const account: Account = { kept: 0, counted: 0, countedAt: 0, reserved: 0 };
    this.accounts.set(name, account);
    return account;
  }
}
