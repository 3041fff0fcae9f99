import { DirectoryNodes } from '#proof';
import type { EventLog } from '#event-log';
import { KeptSeals } from './kept-seals.js';
import { LogKeys, type LogKeysPorts } from './log-keys.js';
import { PROOF_STREAM, proofLogEvent } from './proof-log.js';
import { SealLog } from './seal-log.js';
import { SealingStopped } from './sealing-stopped.js';
import { HeadsOnly } from './tables/heads-only.js';
import { TreeFiller } from './tree-filler.js';

export interface SealCheck {
  readonly origin: string;
  /** That were made again. */
  readonly seals: number;
  /** What is wrong, on a line; null: every root is the one that was signed. */
  readonly fault: string | null;
}

export interface CheckPorts extends LogKeysPorts {
  readonly log: EventLog;
}

/** Makes the whole tree again, for each origin that signed it, and compares it with every seal. @throws LogUnavailable */
export async function checkSeals(ports: CheckPorts, signal: AbortSignal): Promise<readonly SealCheck[]> {
  const checks: SealCheck[] = [];
  for (const origin of await originsOf(ports.log)) checks.push(await checkOrigin(origin, ports, signal));
  return checks;
}

async function checkOrigin(origin: string, ports: CheckPorts, signal: AbortSignal): Promise<SealCheck> {
  const keys = new LogKeys(origin, ports);
  await keys.start(signal);
  const seals = new SealLog(origin, ports);
  const [state, last] = [await new KeptSeals(origin, ports.signed).read(), await seals.last()];
  // Of a log that was copied the key store knows the original: of the copy nothing was signed yet.
  const kept = state?.logId === ports.log.logId ? state : null;
  const told = last?.seal ?? 0;
  const fault = (text: string): SealCheck => ({ origin, seals: told, fault: text });
  if (kept !== null && kept.seal > told + 1)
    return fault(`seal ${kept.seal} was signed, and the log ends with seal ${told}`);
  try {
    const tables = new HeadsOnly();
    const filler = new TreeFiller({ ...ports, keys, seals });
    const tree = await filler.make(tables, null, new DirectoryNodes(), kept);
    if (kept !== null && kept.seal === tree?.seal && kept.directory !== tree.directory)
      return fault(`what is kept of seal ${kept.seal} is not what the log says of it`);
    return { origin, seals: tree?.seal ?? 0, fault: null };
  } catch (error) {
    if (error instanceof SealingStopped) return fault(error.message);
    throw error;
  }
}

async function originsOf(log: EventLog): Promise<ReadonlySet<string>> {
  const origins = new Set<string>();
  for await (const page of log.readStream(PROOF_STREAM))
    for (const event of page) {
      const read = proofLogEvent(event);
      if (read?.type === 'log_sealed') origins.add(read.data.origin);
    }
  return origins;
}
