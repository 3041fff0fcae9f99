import type { LogKeys } from './log-keys.js';

/** The lines of a policy that say who else is believed. */
const OTHERS = /^\s*(?:witness|group|quorum)\b/;

/**
 * What the world is to believe of this log, as a policy file (https://c2sp.org/tlog-policy): its keys, and the witnesses that
 * the operator names.
 * @param witnesses the operator's own policy file; null: there is none
 */
export function policyText(keys: LogKeys, witnesses: string | null): string {
  const others = (witnesses ?? '').split('\n').filter((line) => OTHERS.test(line));
  const lines = [
    ...keys.active.map(({ vkey }) => `log ${vkey}`),
    ...keys.retiredKeys.map(({ vkey }) => `# retired ${vkey}`),
    ...others.map((line) => line.trim()),
    ...(others.length === 0 ? ['quorum none'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
