import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ProcessWatch } from './postgres/postgres-heartbeats.js';

/** Where a process runs, so that another one in the same place can see whether it still does. */
export interface Identity {
  readonly host: string;
  /** Process ids mean the same only within it, from one start of the machine to the next; null: the system does not say. */
  readonly namespace: string | null;
  readonly pid: number;
}

export const ownIdentity = (): Identity => ({
  host: hostname(),
  namespace: pidNamespace(),
  pid: process.pid,
});

/** Whether the process has certainly ended: it ran here, and its id is nobody's, or this process's own. */
export function hasEnded({ host, namespace, pid }: Identity): boolean {
  const here = ownIdentity();
  if (namespace === null || here.namespace !== namespace || here.host !== host) return false;
  return pid === here.pid || !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ESRCH';
  }
}

/** The same for replicas of one place, which look at each other. */
export const processWatch = (): ProcessWatch => ({ own: JSON.stringify(ownIdentity()), hasEnded: endedOf });

function endedOf(named: string): boolean {
  try {
    const { host, namespace, pid } = JSON.parse(named) as Identity;
    return hasEnded({ host, namespace, pid });
  } catch {
    // Of a version that says it otherwise.
    return false;
  }
}

function pidNamespace(): string | null {
  try {
    // The first namespace of every machine has the same number.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}
