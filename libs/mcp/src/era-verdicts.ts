import { hash } from 'node:crypto';
import type { LegacyVersion } from './protocol-versions.js';

/** What a server speaks, and what has to be known of it to begin. */
export type EraVerdict =
  | { readonly era: 'modern'; readonly mayChangeTools: boolean }
  /** `version` is the one that `initialize` offers first. */
  | { readonly era: 'legacy'; readonly version: LegacyVersion };

/** A server that was replaced by one that speaks today's revision too answers as before: it has to be asked. */
const legacyMs = 10 * 60_000;
const maxVerdicts = 1_000;

/**
 * What servers were found to speak, so that not every run has to ask. Owns these verdicts, in memory, by a hash of the
 * address; where there are too many, the oldest goes. One about an earlier revision holds for ten minutes, one about today's
 * until it is forgotten because it did not prove true.
 */
export class EraVerdicts {
  private readonly verdicts = new Map<string, { readonly verdict: EraVerdict; readonly until: number }>();

  /** @param now milliseconds since 1970 */
  get(serverUrl: string, now: number): EraVerdict | undefined {
    const kept = this.verdicts.get(keyOf(serverUrl));
    return kept !== undefined && now < kept.until ? kept.verdict : undefined;
  }

  /** @param now milliseconds since 1970 */
  set(serverUrl: string, verdict: EraVerdict, now: number): void {
    const key = keyOf(serverUrl);
    this.verdicts.delete(key);
    const [oldest] = this.verdicts.keys();
    if (oldest !== undefined && this.verdicts.size >= maxVerdicts) this.verdicts.delete(oldest);
    this.verdicts.set(key, { verdict, until: verdict.era === 'legacy' ? now + legacyMs : Infinity });
  }

  forget(serverUrl: string): void {
    this.verdicts.delete(keyOf(serverUrl));
  }
}

const keyOf = (serverUrl: string): string => hash('sha256', serverUrl, 'base64');
