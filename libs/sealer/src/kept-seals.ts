import type { Seal } from './seal.js';

/** Port: where what was signed last is kept, beside the key that signed it. All writes are durable when they resolve. */
export interface SignedStates {
  signed(origin: string): Promise<{ readonly seal: number; readonly text: string } | null>;
  saveSigned(
    origin: string,
    before: number,
    state: { readonly seal: number; readonly text: string },
  ): Promise<boolean>;
}

/** The newest seal of an origin, as it is kept: the fence between those that would seal. */
export class KeptSeals {
  constructor(
    private readonly origin: string,
    private readonly states: SignedStates,
  ) {}

  /** null: nothing was ever signed. @throws LogUnavailable */
  async read(): Promise<Seal | null> {
    const state = await this.states.signed(this.origin);
    return state === null ? null : (JSON.parse(state.text) as Seal);
  }

  /** @param before number of the seal that it replaces, 0: none. False: another has. @throws LogUnavailable */
  save(before: number, { seal, logId, size, events, last, directory, note }: Seal): Promise<boolean> {
    const text = JSON.stringify({ logId, seal, size, events, last, directory, note } satisfies Seal);
    return this.states.saveSigned(this.origin, before, { seal, text });
  }
}
