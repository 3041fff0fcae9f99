/** What a name has already, where there was no room for more. */
export interface Exceeded {
  readonly used: number;
}

/** Counts as used until it is told how it ended: whether it is kept, and so counted from now on by whoever counts. */
export type Reservation = (isKept: boolean) => void;

interface Account {
  /** All that was ever kept here. */
  kept: number;
  /** As it was counted last, and what had been kept before that. */
  counted: number;
  countedAt: number;
  /** What is about to be kept, or not. */
  reserved: number;
}

/**
 * What each name (a project) may have of something that is counted elsewhere: in tables that follow the log, so a restart
 * forgets nothing and a deletion gives back. `count` must know what this process kept before it was asked; what is being
 * kept right now is added here. Where it cannot be asked, what it said last counts, and what was kept since.
 *
 * It may say of a few at the very limit that there is no room where there is, never the other way round (but for what
 * other processes keep in the same moment). Owns a few numbers for each name that asked.
 */
export class Quota {
  private readonly accounts = new Map<string, Account>();

  constructor(
    readonly limit: number,
    private readonly count: (name: string) => Promise<number>,
    private readonly isOutage: (error: unknown) => boolean,
  ) {}

  /** @throws what `count` throws, where that is no outage */
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
